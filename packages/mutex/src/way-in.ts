// The way into a mutex in use, and out of it: a part that each mutex chooses once, by its order.

import type { WaitingPolicy } from '@sluice/core';
import type { Account, Bouncer, LockHealth, OwnTurn, Place } from '@sluice/core/internal';

/** What a way in works on. */
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
  /** The turn as this agent sees it while it runs. */
  readonly turn: OwnTurn | undefined;
  /**
   * Waits in line until this agent owns the mutex. Returns HEALTH as it finds it then. WAITING: this is no usual wait,
   * so nothing was done; the agent owns the mutex, or has no spare element.
   */
  enter(): number;
  /** The usual contended unlock. False: nothing was changed. */
  passOn(): boolean;
  /** The owner unlocks, in any state: hands the mutex to the longest waiter, or frees it. */
  leave(): void;
  /** The owner unlocks, and goes on to wait for a condition. */
  unlockToWait(): void;
}
