// Tests random calls of three agents at a resizable semaphore. Plain numbers and a list predict the results.

import { Arena, type CancelledError } from '@sluice/core';
import { Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { ResizableSemaphore } from '../src/index.ts';
import './support/kinds.ts';

const ROUNDS = 12;
const CALLS = 120;
const AGENTS = 3;

interface Waiter {
  readonly id: number;
  readonly agent: number;
  readonly permits: number;
}

class History {
  readonly #random: Random;
  readonly #arena: Arena;
  readonly #agents: readonly ResizableSemaphore[];
  readonly #log: string[] = [];
  readonly #controllers = new Map<number, AbortController>();
  readonly #held = [0, 0, 0];
  #size: number;
  /** The number of free permits. A negative number is a debt. */
  #balance: number;
  #line: Waiter[] = [];
  /** Permits that the waiters in line have collected. */
  #collected = 0;
  #watching: Waiter[] = [];
  /** The expected and the actual events of this call. */
  #due: string[] = [];
  #happened: string[] = [];
  #count = 0;

  constructor(random: Random, engine: 'wasm' | 'js') {
    this.#random = random;
    this.#size = random.below(7) - 2;
    this.#balance = this.#size;
    this.#log.push(`size ${this.#size}`);
    this.#arena = Arena.create({ policy: { buckets: 4, spinMicros: 0 }, engine: engineNamed(engine) });
    const first = ResizableSemaphore.create(this.#size, { arena: this.#arena });
    this.#agents = [
      first,
      ...Array.from({ length: AGENTS - 1 }, () =>
        openAs(secondAgent(this.#arena), first.handle, (handle) => ResizableSemaphore.from(handle)),
      ),
    ];
  }

  async call(): Promise<void> {
    const what = this.#random.below(24);
    const agent = this.#random.below(AGENTS);
    if (what < 8) this.#come(agent);
    else if (what < 13) this.#release(agent);
    else if (what < 16) this.#resize(agent);
    else if (what === 16) this.#cancel(agent);
    else if (what < 19) this.#giveUp();
    else if (what === 19) this.#tryOut(agent);
    else if (what < 22) this.#watch(agent);
    else this.#forget(agent);
    await this.#check();
  }

  async finish(): Promise<void> {
    this.#cancel(0);
    await this.#check();
    for (const [agent, held] of this.#held.entries()) {
      if (held > 0) this.#at(agent).release(held);
      this.#held[agent] = 0;
      this.#give(held);
    }
    await this.#check();
    this.#at(1).resize(9);
    this.#give(9 - this.#size);
    this.#size = 9;
    await this.#check();
    expect(this.#arena.inspect().elements, this.#story).toMatchObject({ waiting: 0, abandoned: 0 });
    this.#at(0).free();
  }

  #come(agent: number): void {
    const waiter = this.#arrive(agent, `${agent} wants`);
    this.#line.push(waiter);
    this.#give(0);
    this.#follow(waiter, this.#at(agent).acquireAsync(waiter.permits, { signal: this.#signalOf(waiter) }));
  }

  #watch(agent: number): void {
    const waiter = this.#arrive(agent, `${agent} watches for`);
    this.#watching.push(waiter);
    this.#give(0);
    this.#follow(waiter, this.#at(agent).waitForUnlockAsync(waiter.permits, { signal: this.#signalOf(waiter) }));
  }

  #release(agent: number): void {
    const held = this.#held[agent] ?? 0;
    if (held === 0) return;
    const permits = 1 + this.#random.below(held);
    this.#log.push(`${agent} releases ${permits}`);
    this.#held[agent] = held - permits;
    this.#give(permits);
    this.#at(agent).release(permits);
  }

  #forget(agent: number): void {
    if (this.#held[agent] === 0) return;
    this.#log.push(`${agent} forgets one`);
    this.#held[agent] = (this.#held[agent] ?? 0) - 1;
    this.#size -= 1;
    this.#at(agent).forget(1);
  }

  #resize(agent: number): void {
    const [sem, by] = [this.#at(agent), 1 + this.#random.below(3)];
    const what = this.#random.below(3);
    this.#log.push(`${agent} ${['sets the size to', 'adds', 'takes out'][what]} ${by}`);
    if (what === 0) sem.resize(by);
    else if (what === 1) sem.addPermits(by);
    else sem.reducePermits(by);
    const more = [by - this.#size, by, -by][what] ?? 0;
    this.#size += more;
    this.#give(more);
  }

  #cancel(agent: number): void {
    const reason = this.#random.below(100);
    this.#log.push(`${agent} cancels with ${reason}`);
    for (const { id } of this.#line) this.#due.push(`${id}: ${reason}`);
    this.#line = [];
    this.#at(agent).cancelWaiters(reason);
    this.#give(0);
  }

  #giveUp(): void {
    const all = [...this.#line, ...this.#watching];
    if (all.length === 0) return;
    const { id } = this.#random.pick(all);
    this.#log.push(`wait ${id} is aborted`);
    this.#line = this.#line.filter((waiter) => waiter.id !== id);
    this.#watching = this.#watching.filter((waiter) => waiter.id !== id);
    this.#due.push(`${id}: aborted`);
    this.#controllers.get(id)?.abort('aborted');
    this.#give(0);
  }

  #tryOut(agent: number): void {
    const [sem, permits] = [this.#at(agent), 1 + this.#random.below(3)];
    this.#log.push(`${agent} tries to take ${permits}`);
    const taken = sem.tryAcquire(permits);
    expect(taken, this.#story).toBe(this.#free >= permits);
    if (!taken) return;
    this.#held[agent] = (this.#held[agent] ?? 0) + permits;
    this.#balance -= permits;
  }

  #arrive(agent: number, what: string): Waiter {
    const waiter = { id: this.#count++, agent, permits: 1 + this.#random.below(3) };
    this.#log.push(`${what} ${waiter.permits} as ${waiter.id}`);
    return waiter;
  }

  #signalOf({ id }: Waiter): AbortSignal {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    return controller.signal;
  }

  #follow({ id }: Waiter, wait: Promise<void>): void {
    wait.then(
      () => this.#happened.push(`${id}: done`),
      (reason: unknown) =>
        this.#happened.push(`${id}: ${reason === 'aborted' ? 'aborted' : (reason as CancelledError).reason}`),
    );
  }

  get #free(): number {
    return this.#line.length > 0 ? 0 : Math.max(0, this.#balance);
  }

  /** Returns surplus permits of the line to the balance, and moves free permits to the line as far as it lacks them. */
  #give(permits: number): void {
    const wanted = this.#line.reduce((sum, waiter) => sum + waiter.permits, 0);
    const surplus = Math.max(0, this.#collected - wanted);
    this.#balance += permits + surplus;
    const given = Math.min(Math.max(0, this.#balance), wanted - this.#collected + surplus);
    this.#balance -= given;
    this.#collected += given - surplus;
    for (let next = this.#line[0]; next !== undefined && next.permits <= this.#collected; next = this.#line[0]) {
      this.#held[next.agent] = (this.#held[next.agent] ?? 0) + next.permits;
      this.#collected -= next.permits;
      this.#due.push(`${next.id}: done`);
      this.#line.shift();
    }
    for (const { id, permits: watched } of this.#watching) if (watched <= this.#free) this.#due.push(`${id}: done`);
    this.#watching = this.#watching.filter(({ permits: watched }) => watched > this.#free);
  }

  async #check(): Promise<void> {
    for (let turns = 0; turns < 4; turns++) await turn();
    expect(this.#happened.sort(), this.#story).toEqual(this.#due.sort());
    [this.#happened, this.#due] = [[], []];
    const { size, debt, available, waiters, holders } = this.#at(this.#random.below(AGENTS)).inspect();
    const held = holders.reduce((sum, { permits }) => sum + permits, 0);
    expect({ size, available, waiters: waiters.length, held }, this.#story).toEqual({
      size: this.#size,
      available: this.#free,
      waiters: this.#line.length,
      held: this.#held.reduce((sum, own) => sum + own),
    });
    expect(debt, this.#story).toBe(Math.max(0, -this.#balance));
  }

  #at(agent: number): ResizableSemaphore {
    const sem = this.#agents[agent];
    if (sem === undefined) throw new Error('no such agent');
    return sem;
  }

  get #story(): string {
    return this.#log.join(', ');
  }
}

test.each(['wasm', 'js'] as const)(
  'random histories of three agents agree with plain numbers and a list (%s)',
  async (engine) => {
    const session = new Session(`resizable semaphore, random histories (${engine})`);
    for (let round = 0; round < ROUNDS; round++) {
      const history = new History(session.random, engine);
      for (let call = 0; call < CALLS; call++) await history.call();
      await history.finish();
    }
    session.done(2 * ROUNDS * CALLS);
  },
);
