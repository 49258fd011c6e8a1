// The driver of a death storm: an arena with primitives, and the checks of it when no worker is active.

import { Arena, type ReclaimReport, type Region } from '@sluice/core';
import type { Random } from '@sluice/harness';
import { expect } from 'vitest';
import { HEADER_AGENT_POOL, HEADER_LEDGER_POOL } from '../../src/kernel/layout.ts';
import { SLOTS, SLOT_WORDS, TALLIES, TALLY_NAMES } from '../jobs/death-words.mjs';
import type { LifeData } from '../jobs/crash-life.mjs';
import { Registry, type Birth, type Crashing } from './death-workers.ts';
import { sharedWords } from './stress.ts';

/** The number of elements that an agent keeps: 8 and a spare. */
const KEPT_ELEMENTS = 9;
/**
 * Blocks that are free from the beginning. Their ledgers belong to the main thread, and half of the pool is for other
 * agents.
 */
const FREE_BLOCKS = 240;

export abstract class StormDriver {
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

  /** Returns the birth of a worker with that life. */
  abstract birth(life: LifeData, random: Random): Birth;
  /** The main thread acquires everything once, in competition with the workers. */
  abstract passThrough(timeout: number): Promise<void>;
  /** Returns the state to print when the storm fails. */
  abstract dump(): unknown;
  /** Creates a primitive of the kind that workers create. */
  protected abstract createOne(): { free(): void };
  /** Frees a primitive whose creator died. */
  protected abstract freeOrphanedGate(address: number, tag: number): void;
  /** Checks, while no worker is active, that everything is free and no agent waits. */
  protected abstract checkFree(): void;

  /** Called when a worker has ended, before its agents are recovered. */
  onExit(_slot: number, _thread: number): void {
    // Only some grounds override this.
  }

  /** Called when the main thread has recovered an agent. */
  onReclaim(_report: ReclaimReport): void {
    // Only some grounds override this.
  }

  /** Called from time to time. */
  look(_alive: ReadonlySet<Crashing>): void {
    // Only some grounds override this.
  }

  /** Allocates so much that the arena's size has reached its plateau. */
  warmUp(): void {
    this.#kinds = this.#blockKinds();
    const many = Array.from({ length: FREE_BLOCKS }, () => this.createOne());
    for (const one of many) one.free();
  }

  /** Records the arena's size. From here on the arena must not grow. */
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

  /** Checks that only the main thread is left, and that the other agents have left nothing. */
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
   * Returns the bytes of the blocks in use, without pools and free blocks. Pools only grow, and their contents are
   * counted separately. Free blocks are split and joined.
   */
  #usedBesidePools(): number {
    const inUse = this.arena.inspect().blocks.filter(({ kind }) => kind !== 'pool' && kind !== 'free');
    return inUse.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Frees the primitives that dead agents created. A primitive has no owner, so recovery does not free it. */
  #freeOrphans(): void {
    const { agents, blocks } = this.arena.inspect();
    for (const { name, address } of blocks) {
      const [, owner] = /^private of (\d+)$/.exec(name) ?? [];
      if (owner === undefined || agents.some(({ agent }) => agent === Number(owner))) continue;
      this.freeOrphanedGate(address, Math.abs(this.registry.words.load32(address)));
    }
  }

  /**
   * Returns the number of blocks of each kind, without pools and free blocks, which the check of the arena's size
   * covers.
   */
  #blockKinds(): Record<string, number> {
    const kinds: Record<string, number> = {};
    for (const { kind } of this.arena.inspect().blocks) kinds[kind] = (kinds[kind] ?? 0) + 1;
    return { ...kinds, free: 0, pool: 0 };
  }
}
