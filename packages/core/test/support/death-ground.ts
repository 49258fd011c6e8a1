// What a death storm goes over: an arena with semaphores and a lock, and the look at it when all is quiet.

import { Arena, hasCode, Semaphore, type HeirGuard, type Region } from '@sluice/core';
import { expect } from 'vitest';
import { HEADER_AGENT_POOL, HEADER_LEDGER_POOL } from '../../src/kernel/layout.ts';
import { lookAtPair, SLOTS, SLOT_WORDS, STAMPS, tally, TALLIES, TALLY_NAMES } from '../jobs/death-words.mjs';
import { SemaphoreLock } from '../jobs/semaphore-lock.mjs';
import { Registry } from './death-workers.ts';
import { expectQuiet, sharedWords } from './stress.ts';

/** Elements that an agent keeps at hand: 8 and a spare. */
const KEPT_ELEMENTS = 9;
// More than all agents ever use at once are there from the beginning: so the arena's size is a plateau.
const ELEMENTS = 500;
/** They leave as many free blocks; their ledgers are the main thread's, and half of the pool is for the others. */
const SEMAPHORES = 240;

export class Ground {
  readonly arena: Arena;
  readonly registry: Registry;
  readonly sems: readonly { readonly sem: Semaphore; readonly permits: number }[];
  readonly lock: SemaphoreLock | undefined;
  readonly control: Region;
  readonly words: Int32Array;
  readonly #kinds: Record<string, number>;
  #plateau = 0;

  constructor(workers: number, buckets: number, locked: boolean) {
    const arena = Arena.create({ maxPages: 64, policy: { buckets } });
    this.arena = arena;
    this.registry = new Registry(arena);
    this.sems = [
      { permits: 2, sem: Semaphore.create(2, { arena, name: 'a' }) },
      { permits: 3, sem: Semaphore.create(3, { arena, name: 'b', max: 3 }) },
      { permits: 1, sem: Semaphore.create(1, { arena, name: 'c' }) },
    ];
    this.lock = locked ? SemaphoreLock.create({ arena, name: 'lock' }) : undefined;
    this.control = sharedWords(arena, SLOTS + SLOT_WORDS * workers);
    this.words = this.control.int32;
    this.#kinds = this.#blockKinds();
  }

  async warmUp(): Promise<void> {
    const many = Array.from({ length: SEMAPHORES }, () => Semaphore.create(0, { arena: this.arena }));
    for (const sem of many) sem.free();
    const warm = Semaphore.create(0, { arena: this.arena });
    const waits = Array.from({ length: ELEMENTS }, () => warm.acquireAsync());
    warm.release(ELEMENTS);
    await Promise.all(waits);
    warm.free();
  }

  /** From here on the arena may not grow any more. */
  notePlateau(): void {
    if (this.#plateau === 0) this.#plateau = this.arena.inspect().used;
  }

  slot(slot: number): number {
    return SLOTS + SLOT_WORDS * slot;
  }

  tallied(name: (typeof TALLY_NAMES)[number]): number {
    return Atomics.load(this.words, TALLIES + TALLY_NAMES.indexOf(name));
  }

  /** Has everything once: permits of each semaphore, several of one, and the lock. */
  async passThrough(timeout: number): Promise<void> {
    const all = this.sems.map(async ({ sem }, which) => {
      const count = sem.name === 'b' ? 2 : 1;
      await sem.acquireAsync(count, { timeout });
      Atomics.store(this.words, STAMPS + which, -1);
      sem.release(count);
    });
    await Promise.all([...all, this.#passThroughLock(timeout)]);
  }

  async #passThroughLock(timeout: number): Promise<void> {
    if (this.lock === undefined) return;
    try {
      await this.lock.lockAsync({ timeout });
      lookAtPair(this.words, false);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      lookAtPair(this.words, true);
      (failure as { readonly guard?: HeirGuard }).guard?.markConsistent();
      tally(this.words, 'locks inherited', 1);
    }
    this.lock.unlock();
  }

  /** Nobody does anything: every permit is there, and nobody waits. */
  checkQuiet(): void {
    this.#freeOrphans();
    for (const { sem, permits } of this.sems) expectQuiet(this.arena, [sem], permits);
    expect(this.arena.inspect().agents.flatMap(({ holds }) => holds)).toEqual([]);
  }

  /** Nobody but the main thread is left, and nothing of the others. */
  checkEmpty(): void {
    const { arena, registry } = this;
    arena.reclaimDead();
    const { agents, elements, used } = arena.inspect();
    expect(agents.map(({ agent }) => agent)).toEqual([arena.agentId]);
    expect(registry.owners(HEADER_AGENT_POOL)).toEqual([arena.agentId]);
    expect(new Set(registry.owners(HEADER_LEDGER_POOL))).toEqual(new Set([arena.agentId]));
    expect(elements.total - elements.free).toBeLessThanOrEqual(KEPT_ELEMENTS);
    expect(this.#blockKinds()).toEqual(this.#kinds);
    expect(used).toBe(this.#plateau);
  }

  /** Primitives belong to nobody, so those that the dead made for themselves stay: until here. */
  #freeOrphans(): void {
    const { agents, blocks } = this.arena.inspect();
    for (const { name, address } of blocks) {
      const [, owner] = /^private of (\d+)$/.exec(name) ?? [];
      if (owner === undefined || agents.some(({ agent }) => agent === Number(owner))) continue;
      const tag = Math.abs(this.registry.words.load32(address));
      Semaphore.from({ ...this.control.handle, kind: 'sluice.semaphore', address, tag }).free();
    }
  }

  /** How many blocks there are of each kind; pools and free blocks are what the arena's size counts. */
  #blockKinds(): Record<string, number> {
    const kinds: Record<string, number> = {};
    for (const { kind } of this.arena.inspect().blocks) kinds[kind] = (kinds[kind] ?? 0) + 1;
    return { ...kinds, free: 0, pool: 0 };
  }
}
