// The part of an owned lock that reads and writes its words: it finds the owner, and lets agents in and out.

import type { MisuseError } from '../api/errors.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import type { LockHealth } from '../memory/lock-health.ts';

/** Makes the errors about a lock. */
export interface LockErrors {
  /** Returns the lock's title, such as "Mutex 'accounts'". */
  toString(): string;
  /** Returns the error of an action that only the owner may take. `what` names the action, as in 'be unlocked'. */
  notOwner(what: string): MisuseError;
  ownedAlready(): MisuseError;
}

/** The way into an owned lock and out of it, for one agent. `OwnedLock` adds the rules of ownership. */
export interface Entrance {
  /** The health of the lock after the deaths of earlier owners. Only the owner uses it. */
  readonly health: LockHealth;
  /** Makes the texts of errors. */
  readonly errors: LockErrors;
  /** Whether this agent owns the lock. */
  isOwner(): boolean;
  enter(): void;
  tryEnter(timeoutMs: number): boolean;
  /**
   * Acquires the lock without blocking. An implementation must call `entered` in the same turn of the event loop in
   * which the lock is taken: in a later turn another task of this agent may use the lock. Returns `undefined` if the
   * lock was taken at once. May throw, so only async functions call it.
   */
  enterAsync(options: WaitOptions | undefined, entered: () => void): Promise<void> | undefined;
  exit(): void;
}
