// The part of a lock that a condition needs: a notified waiter of the condition continues in the lock's line
// (@sluice/mutex).

import type { WaitErrors } from '../error-text/primitive-errors.ts';
import type { LineState } from '../agent/agent-context.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import type { AgentAddress, LineAddress } from '../kernel/addresses.ts';
import type { Move } from '../kernel/states.ts';

/** The key of the member that returns the `LockLine` of a lock with conditions. */
export const LOCK_LINE = Symbol('sluice.lock-line');

export interface LockLine {
  /** The block of the lock's box office. */
  readonly ref: BlockRef;
  /** This agent's state at the line in which the lock's waiters wait. */
  readonly lineState: LineState;
  readonly errors: WaitErrors;
  /** Moves the first waiter of this agent's detached chain from the line of a condition to the lock's line. */
  move(from: LineAddress, agent: AgentAddress): Move;
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
  /**
   * Ends the turn of the owner without unlocking. The owner calls it before a step of the condition's kernel unlocks the
   * lock. Only a mutex has it: that kernel knows no other lock.
   */
  endTurn?(): void;
  /** Restores the number that `takeDepth` returned. The owner calls it after it has locked the lock again. */
  addDepth(depth: number): void;
}

/** The depth functions of a lock that its owner cannot lock again. */
export const FLAT: Pick<LockLine, 'takeDepth' | 'addDepth'> = {
  takeDepth: () => 0,
  addDepth: () => undefined,
};
