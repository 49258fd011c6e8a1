// The driver of a death storm with owned locks: the main thread's actions during the storm, and its checks at the end.

import { ownerOfLock, ownerOrReceiver } from '../../src/report/holders-and-waiters.ts';
import { Region, type ReclaimReport } from '@sluice/core';
import { expect } from 'vitest';
import { tally } from '../jobs/death-words.mjs';
import { Guarded, GUARDED_WORDS } from '../jobs/guarded.mjs';
import { localStateAfter } from '../jobs/lock-ways.mjs';
import type { HeritableLock, LockDeed } from '../jobs/lock-life.mjs';
import { GRANTED } from '../../src/kernel/states.ts';
import { StormDriver } from './storm-driver.ts';
import { asBlock } from '../../src/kernel/addresses.ts';

export const LOCK_DEEDS: readonly LockDeed[] = [
  'lock',
  'try',
  'try for',
  'async',
  'async for',
  'async, aborted',
  'run',
  'run async',
  'burst',
  'nested',
  'churn',
  'crowd',
];
/** The stamp of the main thread. The stamps of workers are greater than 0. */
const STAMP = -1;

/** A lock, the line in which its waiters stand, and the agent that owns it: 0 = none. */
export interface Owned {
  readonly address: number;
  readonly line: number;
  readonly owner: number;
}

export abstract class LockStormDriver extends StormDriver {
  /** The data under the locks, one line for each. */
  readonly guarded: Region;
  protected abstract readonly locks: readonly HeritableLock[];
  /** For each dead agent: the addresses of the locks that it knew it owned. */
  readonly #owned = new Map<number, number[]>();
  readonly #exact: boolean;
  /** A recursive lock would let a second task of the main thread in beside the first. */
  #passing: Promise<void> = Promise.resolve();

  /** `exact`: only the main thread recovers the dead, so that it sees what they left. */
  protected constructor(workers: number, buckets: number, locks: number, exact: boolean) {
    super(workers, buckets);
    this.#exact = exact;
    this.guarded = Region.create(4 * locks * GUARDED_WORDS, { arena: this.arena });
  }

  /** Returns the report of each lock. */
  protected abstract owners(): readonly Owned[];

  override onExit(_slot: number, thread: number): void {
    if (!this.#exact) return;
    // Read the owners before the grants. Later, a report could name an owner that got the lock in between and will
    // never know.
    const owners = this.owners();
    const unseen = this.registry.waitsOf(thread).filter(({ gate }) => gate === GRANTED);
    const { words } = this.registry;
    // A report also names an agent that a lock is on its way to. That agent does not own it yet.
    const isOwned = (address: number): boolean =>
      ownerOfLock(words, asBlock(address)) === ownerOrReceiver(words, asBlock(address));
    const known = owners.filter(({ address, line }) => isOwned(address) && !unseen.some(({ at }) => at === line));
    for (const agent of this.registry.agentsOf(thread)) {
      this.#owned.set(
        agent,
        known.filter(({ owner }) => owner === agent).map(({ address }) => address),
      );
    }
  }

  /**
   * Checks that the next owner is told of the last owner's death, unless the dead agent never knew that it was the
   * owner.
   */
  override onReclaim({ agent, locksOrphaned }: ReclaimReport): void {
    const addresses = this.owners().map(({ address }) => address);
    const orphaned = locksOrphaned.map(({ address }) => address).filter((address) => addresses.includes(address));
    if (this.#exact) expect(orphaned.sort((a, b) => a - b)).toEqual(this.#owned.get(agent));
  }

  protected guard(which: number): Guarded {
    return new Guarded(this.guarded.int32, which, STAMP);
  }

  override passThrough(timeout: number): Promise<void> {
    this.#passing = this.#passing.then(() => this.passThroughAll(timeout));
    return this.#passing;
  }

  protected async passThroughAll(timeout: number): Promise<void> {
    await Promise.all(this.locks.map((lock, which) => this.#passThroughOne(lock, this.guard(which), timeout)));
  }

  async #passThroughOne(lock: HeritableLock, guarded: Guarded, timeout: number): Promise<void> {
    const lineState = await localStateAfter(() => lock.lockAsync({ timeout }).then(() => true));
    guarded.enter(lineState === 'heir');
    if (lineState === 'heir') {
      lock.markConsistent();
      tally(this.words, 'locks inherited', 1);
    }
    guarded.leave();
    lock.unlock();
  }
}
