// Tests random arrivals, releases and aborts of three agents at a priority semaphore. Plain lists predict the served
// waits.

import { Arena } from '@sluice/core';
import { Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { PrioritySemaphore } from '../src/index.ts';
import { AgeingQueue, type Waiter } from './support/ageing-queue.ts';
import './support/kinds.ts';

const ROUNDS = 12;
const CALLS = 120;
const AGENTS = 3;

class History {
  readonly #random: Random;
  readonly #arena: Arena;
  readonly #agents: readonly PrioritySemaphore[];
  readonly #ideal: AgeingQueue;
  readonly #controllers = new Map<number, AbortController>();
  readonly #log: string[] = [];
  #served: number[] = [];
  #count = 0;

  constructor(random: Random, engine: 'wasm' | 'js') {
    this.#random = random;
    const ageing = random.pick([1, 2, 5, 16]);
    this.#log.push(`ageing ${ageing}`);
    this.#arena = Arena.create({ policy: { buckets: 4, spinMicros: 0 }, engine: engineNamed(engine) });
    const first = PrioritySemaphore.create(0, { arena: this.#arena, ageing });
    const others = Array.from({ length: AGENTS - 1 }, () =>
      openAs(secondAgent(this.#arena), first.handle, (handle) => PrioritySemaphore.from(handle)),
    );
    this.#agents = [first, ...others];
    this.#ideal = new AgeingQueue(ageing);
  }

  async call(): Promise<void> {
    const what = this.#random.below(20);
    if (what < 9) await this.#come();
    else if (what < 15) await this.#release(this.#random.chance(20) ? 3 : 1);
    else if (what === 15) this.#tryOut();
    else if (what < 18 && this.#ideal.waiting.length > 0) await this.#leave(this.#random.pick(this.#ideal.waiting));
  }

  async finish(): Promise<void> {
    while (this.#ideal.waiting.length > 0) await this.#release(1);
    expect(this.#arena.inspect().elements, this.#story).toMatchObject({ waiting: 0, abandoned: 0 });
    this.#agents[0]?.free();
  }

  async #come(): Promise<void> {
    const waiter = {
      id: this.#count++,
      priority: this.#random.chance(50) ? this.#random.below(8) : this.#random.pick([2, 3]),
    };
    const agent = this.#random.below(AGENTS);
    this.#log.push(`${agent} arrives with priority ${waiter.priority}`);
    const controller = new AbortController();
    this.#controllers.set(waiter.id, controller);
    const atOnce = this.#ideal.come(waiter);
    this.#at(agent)
      .acquireAsync(1, { signal: controller.signal, priority: waiter.priority })
      .then(
        () => this.#served.push(waiter.id),
        (reason: unknown) => {
          if (reason !== 'aborted') this.#served.push(NaN);
        },
      );
    await this.#expectServed(atOnce ? [waiter] : []);
  }

  async #release(permits: number): Promise<void> {
    this.#log.push(`a release of ${permits}`);
    const served = Array.from({ length: permits }, () => this.#ideal.release()).filter(
      (waiter) => waiter !== undefined,
    );
    this.#at(this.#random.below(AGENTS)).release(permits);
    await this.#expectServed(served);
  }

  async #leave(waiter: Waiter): Promise<void> {
    this.#log.push(`wait ${waiter.id} is aborted`);
    this.#ideal.leave(waiter);
    this.#controllers.get(waiter.id)?.abort('aborted');
    await this.#expectServed([]);
  }

  #tryOut(): void {
    const sem = this.#at(this.#random.below(AGENTS));
    const taken = sem.tryAcquire(1, 0, this.#random.below(8));
    expect(taken, this.#story).toBe(this.#ideal.free > 0);
    if (taken) sem.release();
  }

  async #expectServed(served: readonly Waiter[]): Promise<void> {
    for (let turns = 0; turns < 3; turns++) await turn();
    // Agents of one thread settle in any order.
    expect(
      [...this.#served].sort((a, b) => a - b),
      this.#story,
    ).toEqual(served.map(({ id }) => id).sort((a, b) => a - b));
    this.#served = [];
    const { available, waiters } = this.#at(0).inspect();
    expect([available, waiters.length, this.#at(0).waiting], this.#story).toEqual([
      this.#ideal.free,
      this.#ideal.waiting.length,
      this.#ideal.waiting.length,
    ]);
  }

  #at(agent: number): PrioritySemaphore {
    const sem = this.#agents[agent];
    if (sem === undefined) throw new Error('no such agent');
    return sem;
  }

  get #story(): string {
    return this.#log.join(', ');
  }
}

test.each(['wasm', 'js'] as const)(
  'random histories of three agents agree with one list per priority and ageing (%s)',
  async (engine) => {
    const session = new Session(`priority semaphore, random histories (${engine})`);
    for (let round = 0; round < ROUNDS; round++) {
      const history = new History(session.random, engine);
      for (let call = 0; call < CALLS; call++) await history.call();
      await history.finish();
    }
    session.done(2 * ROUNDS * CALLS);
  },
);
