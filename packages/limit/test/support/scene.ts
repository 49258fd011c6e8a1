// Agents of one thread with one limit. Each agent can die anywhere, and others act in between.

import { expect } from 'vitest';
import type { Deed } from '../../../core/test/support/crash.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { BLOCK_LINE, GRANT, TICKET } from '../../../core/src/kernel/layout.ts';
import { slotsOf } from '../../src/slots/open.ts';
import { createLimit, type Limit, type LimitHandle } from '../../src/index.ts';
import type { Slots } from '../../src/slots/slots.ts';
import { asOf } from './agents.ts';
import { Stage } from './gate.ts';

export interface User extends Agent {
  readonly limit: Limit;
}

export class Scene {
  readonly world: World;
  readonly stage = new Stage();
  readonly first: User;
  readonly #handle: LimitHandle;

  constructor(concurrency: number, engine: 'wasm' | 'js' = 'wasm') {
    this.world = new World({ engine });
    const agent = this.world.join();
    const limit = createLimit(concurrency, { arena: agent.arena });
    this.first = { ...agent, limit };
    this.#handle = limit.handle;
  }

  join(): User {
    const agent = this.world.join();
    this.world.handle(this.#handle.slots, agent);
    return { ...agent, limit: createLimit.from(asOf(agent.arena.id, this.#handle)) };
  }

  slots(user: User): Slots {
    this.world.handle(this.#handle.slots, user);
    return slotsOf(asOf(user.arena.id, this.#handle));
  }

  /** Makes calls whose functions are recorded under these names. The death of their agent is not a failure. */
  async play({ limit }: User, ...names: string[]): Promise<void> {
    for (const name of names) limit(this.stage.play, name).catch(() => undefined);
    await this.world.settle();
  }

  async end(...names: string[]): Promise<void> {
    await this.stage.end(...names);
    await this.world.settle();
  }

  bury(user: User): void {
    user.life.die();
    this.first.arena.reclaim(user.context.id);
  }

  /** Free permits of the handle's semaphore, less the permits that waiters request. */
  balance({ address }: { readonly address: number }): bigint {
    return this.world.words.load64(address + GRANT) - this.world.words.load64(address + TICKET);
  }

  /** The number of slots that should exist, and the number that exist. */
  get word(): readonly [should: number, are: number] {
    const both = this.world.words.load64((this.#handle.size?.address ?? 0) + BLOCK_LINE);
    return [Number(BigInt.asIntN(32, both)), Number(both >> 32n)];
  }

  /**
   * A call of a living agent repairs the number that a dead agent left. Then as many slots are free as should exist.
   */
  async expectRest(size: number): Promise<void> {
    const { slots } = this.#handle;
    const probe = this.join();
    await probe.limit(() => undefined);
    await this.world.settle();
    expect(probe.limit.concurrency).toBe(size);
    expect([this.balance(slots), this.word]).toEqual([BigInt(size), [size, size]]);
    // As many functions run as are allowed, and no more.
    await this.play(probe, ...Array.from({ length: size + 2 }, (_, index) => `probe ${index}`));
    const running = this.stage.running.filter((name) => name.startsWith('probe'));
    expect(running).toHaveLength(size);
  }
}

/** Runs the scene again and again. The agent dies before each of its operations in turn, until it survives them all. */
export async function killAnywhere(
  scene: (before: (user: User) => void) => Promise<void>,
  deeds: readonly Deed[] = ['step', 'write', 'parking'],
): Promise<number> {
  for (let last = 0; ; last++) {
    let victim: User | undefined;
    await scene((user) => {
      victim = user;
      user.life.count(deeds, last);
    });
    if (victim?.life.deeds.length !== last) return last;
  }
}

/** Whether `act` came to its end, without the death of its agent. */
export function tolerate(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (death) {
    if (!(death instanceof Error && death.message.startsWith('dead before'))) throw death;
    return false;
  }
}

/** The action of one agent between two operations of the other agent. */
export class Inset {
  done = false;
  readonly #at: number;
  #count = 0;

  constructor(at: number) {
    this.#at = at;
  }

  /** Begins a new play. */
  begin(): void {
    this.done = false;
    this.#count = 0;
  }

  during({ life }: User, act: () => void): void {
    life.between = () => {
      if (this.#count++ !== this.#at) return;
      this.done = true;
      act();
    };
  }
}

/** Runs the scene once for each position of the action between two operations. */
export async function actAnywhere(scene: (inset: Inset) => Promise<void>): Promise<number> {
  for (let at = 0; ; at++) {
    const inset = new Inset(at);
    await scene(inset);
    if (!inset.done) return at;
  }
}
