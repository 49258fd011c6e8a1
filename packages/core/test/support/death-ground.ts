// What a death storm goes over: an arena with primitives in it, and the look at it when all is quiet.

import { Arena, type ReclaimReport, type Region } from '@sluice/core';
import type { Random } from '@sluice/harness';
import { expect } from 'vitest';
import { HEADER_AGENT_POOL, HEADER_LEDGER_POOL } from '../../src/kernel/layout.ts';
import { SLOTS, SLOT_WORDS, TALLIES, TALLY_NAMES } from '../jobs/death-words.mjs';
import type { LifeData } from '../jobs/crash-life.mjs';
import { Registry, type Birth, type Crashing } from './death-workers.ts';
import { sharedWords } from './stress.ts';

/** Elements that an agent keeps at hand: 8 and a spare. */
const KEPT_ELEMENTS = 9;
/**
 * Blocks that are free from the beginning: their ledgers are the main thread's, and half of the pool is for the others.
 */
const FREE_BLOCKS = 240;

export abstract class Ground {
  readonly arena: Arena;
  readonly registry: Registry;
  readonly control: Region;
  readonly words: Int32Array;
  #kinds: Record<string, number> = {};
  #plateau = 0;

  protected constructor(workers: number, buckets: number) {
    this.arena = Arena.create({ maxPages: 64, policy: { buckets } });
    this.registry = new Registry(this.arena);
    this.control = sharedWords(this.arena, SLOTS + SLOT_WORDS * workers);
    this.words = this.control.int32;
  }

  /** A worker with that life. */
  abstract birth(life: LifeData, random: Random): Birth;
  /** The main thread has everything once, among the workers. */
  abstract passThrough(timeout: number): Promise<void>;
  /** What is shown when the storm fails. */
  abstract dump(): unknown;
  /** A primitive of the kind that workers make for themselves. */
  protected abstract createOne(): { free(): void };
  /** Frees one that its maker left behind. */
  protected abstract freeOrphan(address: number, tag: number): void;
  /** No worker is active: everything is free, and no agent waits. */
  protected abstract checkFree(): void;

  /** A worker has ended, and its agents are not recovered yet. */
  onExit(_slot: number, _thread: number): void {
    // Only some grounds look at that.
  }

  /** The main thread has recovered an agent. */
  onReclaim(_report: ReclaimReport): void {
    // Only some grounds look at that.
  }

  /** Called from time to time. */
  look(_alive: ReadonlySet<Crashing>): void {
    // Only some grounds have to.
  }

  /** So much is in use from the beginning that the arena's size is a plateau. */
  warmUp(): void {
    this.#kinds = this.#blockKinds();
    const many = Array.from({ length: FREE_BLOCKS }, () => this.createOne());
    for (const one of many) one.free();
  }

  /** From here on the arena may not grow any more. */
  notePlateau(): void {
    if (this.#plateau === 0) this.#plateau = this.#usedBesidePools();
  }

  slot(slot: number): number {
    return SLOTS + SLOT_WORDS * slot;
  }

  tallied(name: (typeof TALLY_NAMES)[number]): number {
    return Atomics.load(this.words, TALLIES + TALLY_NAMES.indexOf(name));
  }

  checkQuiet(): void {
    this.#freeOrphans();
    this.checkFree();
    expect(this.arena.inspect().agents.flatMap(({ holds }) => holds)).toEqual([]);
  }

  /** Only the main thread is left, and nothing of the other agents. */
  checkEmpty(): void {
    const { arena, registry } = this;
    arena.reclaimDead();
    const { agents, elements } = arena.inspect();
    expect(agents.map(({ agent }) => agent)).toEqual([arena.agentId]);
    expect(registry.owners(HEADER_AGENT_POOL)).toEqual([arena.agentId]);
    expect(registry.owners(HEADER_LEDGER_POOL).filter((owner) => owner !== arena.agentId)).toEqual([]);
    expect(elements.total - elements.free).toBeLessThanOrEqual(KEPT_ELEMENTS);
    expect(this.#blockKinds()).toEqual(this.#kinds);
    expect(this.#usedBesidePools()).toBe(this.#plateau);
  }

  /**
   * Bytes of the blocks that are in use. Pools only grow, and what is in them is counted by itself; free blocks are cut
   * and joined.
   */
  #usedBesidePools(): number {
    const inUse = this.arena.inspect().blocks.filter(({ kind }) => kind !== 'pool' && kind !== 'free');
    return inUse.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Primitives have no owner, so those that dead agents created stay until here. */
  #freeOrphans(): void {
    const { agents, blocks } = this.arena.inspect();
    for (const { name, address } of blocks) {
      const [, owner] = /^private of (\d+)$/.exec(name) ?? [];
      if (owner === undefined || agents.some(({ agent }) => agent === Number(owner))) continue;
      this.freeOrphan(address, Math.abs(this.registry.words.load32(address)));
    }
  }

  /** How many blocks there are of each kind; pools and free blocks are what the arena's size counts. */
  #blockKinds(): Record<string, number> {
    const kinds: Record<string, number> = {};
    for (const { kind } of this.arena.inspect().blocks) kinds[kind] = (kinds[kind] ?? 0) + 1;
    return { ...kinds, free: 0, pool: 0 };
  }
}
