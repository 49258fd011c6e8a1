// What a condition needs to know of the lock that it belongs to: a notified waiter goes on in that lock's line
// (@sluice/mutex).

import type { Wanted } from '../account/account.ts';
import type { LocalState } from '../agent/agent-context.ts';
import type { Place } from '../arena/place.ts';

/** The key of a member that locks with conditions have. */
export const LOCK_LINE = Symbol('sluice.lock-line');

export interface LockLine {
  /** Which steps move a waiter there. */
  readonly sort: 'mutex' | 'writer';
  /** Its box office. */
  readonly place: Place;
  /** This agent's state at the line in which its waiters wait. */
  readonly localState: LocalState;
  readonly account: Wanted;
  /** Right after taking the lock: throws the error about earlier owners, if there is one. */
  heedNotice(): void;
  /** For the owner, before it unlocks: how often it has locked the lock again. From here on it is locked once. */
  takeDepth(): number;
  /**
   * For the owner that goes on to wait: unlocks the lock for the longest waiter. A turn ends, as it is for an agent
   * that locks the lock again soon.
   */
  unlockToWait(): void;
  /** For the owner, after it has locked the lock. */
  addDepth(depth: number): void;
}

/** For a lock that its owner cannot lock again. */
export const FLAT: Pick<LockLine, 'takeDepth' | 'addDepth'> = {
  takeDepth: () => 0,
  addDepth: () => undefined,
};

/** The key of a static method of `Mutex`: as `create`, with bytes of data behind the mutex's line (@sluice/named). */
export const CREATE_WITH_DATA = /* @__PURE__ */ Symbol('sluice.create-with-data');
/** The key of a static method of `Mutex`: opens the mutex at a place, without a handle (@sluice/named). */
export const OPEN_AT = /* @__PURE__ */ Symbol('sluice.open-at');
