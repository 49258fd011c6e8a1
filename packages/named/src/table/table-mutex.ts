// Takes the mutex of a table, also on a thread that may not block, in a full arena, and after an owner died.
//
// An agent owns the mutex for the few microseconds of one call, and runs no code of the program in that time. A wait is
// longer only if the platform has stopped the owner, or the owner died. The waiting thread may be the thread that would
// learn of the death by an event, and no event comes while the thread waits. So after a while the waiting thread itself
// checks whether the owner is alive.

import { hasCode, MisuseError, type OwnerDiedError } from '@sluice/core';
import { AGENT_PARKS, HANDED, OFFICE } from '@sluice/core/format';
import { corrupt, LockHealth, mayBlock, napOnWord, recordOf, type BlockRef } from '@sluice/core/internal';
import type { Mutex } from '@sluice/mutex';

/**
 * The first and the longest time that a call waits before it checks the owner, in ms. Each wait is twice as long as the
 * previous one. The owner answers only 32 probes (core: liveness-probe.ts), so probes must be rare.
 */
const FIRST_WAIT = 64;
const LONGEST_WAIT = 4096;
/** After this many waits in a row (about a minute), a mutex without an owner cannot be on its way to a waiter. */
const MAX_OWNERLESS = 20;

export class TableMutex {
  readonly #mutex: Mutex;
  readonly #ref: BlockRef;
  readonly #repair: () => void;
  readonly #title: () => string;

  /** `repair` is called by the next owner after an owner died. */
  constructor(mutex: Mutex, ref: BlockRef, repair: () => void, title: () => string) {
    this.#mutex = mutex;
    this.#ref = ref;
    this.#repair = repair;
    this.#title = title;
  }

  /**
   * Takes the mutex. Throws `MisuseError` if this agent already owns it, which means that code of the program was
   * called under the mutex.
   */
  enter(): void {
    if (this.#tryFor(0)) return;
    if (this.#mutex.owned)
      throw new MisuseError(
        `${this.#title()} was called by a function that it called itself, such as an abort signal's. Nothing was changed.`,
      );
    let ownerless = 0;
    for (let wait = FIRST_WAIT; !this.#tryFor(wait); wait = Math.min(2 * wait, LONGEST_WAIT)) {
      ownerless = this.#askOwner() ? ownerless + 1 : 0;
      if (ownerless > MAX_OWNERLESS) throw corrupt(`the mutex of ${this.#title()} is locked, and no agent owns it`);
    }
  }

  leave(): void {
    this.#mutex.unlock();
  }

  #tryFor(ms: number): boolean {
    try {
      return this.#mutex.tryLock() || (ms > 0 && this.#waitFor(ms));
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      return this.#heal(failure);
    }
  }

  #waitFor(ms: number): boolean {
    const { parking } = this.#ref.context;
    const end = parking.now() + ms;
    if (mayBlock()) {
      try {
        return this.#mutex.tryLock(ms);
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
      }
    }
    // Without an element, or on a page's main thread, it polls.
    do {
      if (this.#mutex.tryLock()) return true;
      this.#pause();
    } while (parking.now() < end);
    return false;
  }

  #pause(): void {
    const { context } = this.#ref;
    const { words, agent } = context;
    // No agent notifies that word, so this sleeps for 1 ms.
    if (mayBlock()) napOnWord(context, agent + AGENT_PARKS, words.load32(agent + AGENT_PARKS), 1);
  }

  /** Recovers the owner if it is dead. Returns whether the mutex has no owner, or one that is no agent of the arena. */
  #askOwner(): boolean {
    const { arena, context, address } = this.#ref;
    const owner = context.words.load32(address + OFFICE);
    const isAgent = owner > 0 && owner !== HANDED && recordOf(context, owner) !== 0;
    try {
      // Without an owner, the mutex is on its way to a waiter, and that waiter may be dead.
      if (isAgent) arena.reclaim(owner);
      else arena.reclaimDead();
    } catch (failure) {
      // The owner is alive, or another agent recovers it.
      if (!hasCode(failure, 'SLUICE_MISUSE')) throw failure;
    }
    return !isAgent;
  }

  /** Repairs the table after an owner died. Returns whether this agent owns the mutex. */
  #heal({ guard }: OwnerDiedError): boolean {
    // Without a guard, the mutex was not taken.
    const own = guard ?? this.#mutex.takeOver();
    if (own === null) return false;
    const health = new LockHealth(this.#ref.context.words, this.#ref.address);
    try {
      this.#repair();
      health.markConsistent();
      return true;
    } catch (failure) {
      // Lets the next owner repair the table.
      health.decline();
      own.release();
      throw failure;
    }
  }
}
