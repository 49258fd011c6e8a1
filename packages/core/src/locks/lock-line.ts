// The part of a lock that a condition needs: a notified waiter of the condition continues in the lock's line
// (@sluice/mutex).

import type { Wanted } from '../account/account.ts';
import type { LocalState } from '../agent/agent-context.ts';
import type { Place } from '../arena/place.ts';

/** The key of the member that returns the `LockLine` of a lock with conditions. */
export const LOCK_LINE = Symbol('sluice.lock-line');

export interface LockLine {
  /** Selects the steps that move a waiter of the condition to the lock's line. */
  readonly sort: 'mutex' | 'writer';
  /** The place of the lock's box office. */
  readonly place: Place;
  /** This agent's state at the line in which the lock's waiters wait. */
  readonly localState: LocalState;
  readonly account: Wanted;
  /**
   * Checks for a notice about earlier owners. Call it right after taking the lock.
   *
   * @throws The error about earlier owners, if there is one.
   */
  heedNotice(): void;
  /**
   * Returns how often the owner has locked the lock again, and sets that number to 0. The owner calls it before it
   * unlocks.
   */
  takeDepth(): number;
  /**
   * Unlocks the lock for the longest waiter. The owner calls it before it waits at the condition. The unlock ends a
   * turn, because a turn is for an agent that locks the lock again soon.
   */
  unlockToWait(): void;
  /** Restores the number that `takeDepth` returned. The owner calls it after it has locked the lock again. */
  addDepth(depth: number): void;
}

/** The depth functions of a lock that its owner cannot lock again. */
export const FLAT: Pick<LockLine, 'takeDepth' | 'addDepth'> = {
  takeDepth: () => 0,
  addDepth: () => undefined,
};

/** The key of a static method of `Mutex` that creates a mutex with bytes of data behind its line (@sluice/named). */
export const CREATE_WITH_DATA = /* @__PURE__ */ Symbol('sluice.create-with-data');
/** The key of a static method of `Mutex` that opens the mutex at a place, without a handle (@sluice/named). */
export const OPEN_AT = /* @__PURE__ */ Symbol('sluice.open-at');
