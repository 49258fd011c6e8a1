// The way into a mutex that is in use, and out of it. Each mutex chooses its way in once, by its order.

import type { WaitingPolicy } from '@sluice/core';
import type { Account, Bouncer, LockHealth, Place } from '@sluice/core/internal';

/** The parts of a mutex that its way in uses. */
export interface MutexParts {
  readonly place: Place;
  readonly policy: WaitingPolicy;
  readonly bouncer: Bouncer;
  readonly health: LockHealth;
  readonly account: Account;
  /** Throws `MisuseError` if the mutex was freed, or this agent has left the arena. */
  readonly checkThere: () => void;
}

export interface WayIn {
  /**
   * Waits in line until this agent owns the mutex, then returns the value of HEALTH. Returns WAITING, and changes
   * nothing, if the agent already owns the mutex or has no spare element.
   */
  enter(): number;
  /** Performs the usual contended unlock. Returns false if it changed nothing. */
  passOn(): boolean;
  /** Unlocks the mutex in any state: hands it to the longest waiter, or frees it. */
  leave(): void;
  /** Unlocks the mutex for an owner that then waits for a condition. */
  unlockToWait(): void;
}
