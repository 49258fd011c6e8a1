// One wait for permits of a resizable semaphore: it may end by a cancel of all waits, and then it knows the reason.

import { CancelledError, type ClosedError, type DeadlockError } from '@sluice/core';
import {
  BLOCK_LINE,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  leaveLine,
  PermitsWanted,
  plural,
  SEM,
  type Account,
  type KindAgent,
  type ElementAddress,
  type EntryAddress,
  type LineSteps,
  type Look,
  type Wanted,
} from '@sluice/core/internal';
import { CANCEL_REASON } from './kernel/layout.ts';
import { LATE } from './kernel/resizable-waits.ts';
import type { MemberKernel } from './member-kernel.ts';

/** The steps of one wait. They note why it ended. */
export class CancellableWait implements LineSteps {
  readonly park: LineSteps['park'];
  readonly cancel: LineSteps['cancel'];
  /** The reason of the cancel that ended the wait. `undefined`: none did. */
  reason: number | undefined;
  readonly #context: KindAgent;
  readonly #pollSized: MemberKernel['pollSized'];

  constructor(context: KindAgent, { pollSized }: MemberKernel, { park, cancel }: Pick<LineSteps, 'park' | 'cancel'>) {
    this.park = park;
    this.cancel = cancel;
    this.#context = context;
    this.#pollSized = pollSized;
  }

  poll(element: ElementAddress, entry: EntryAddress): Look {
    const seen = this.#pollSized(element, entry);
    if (seen !== LATE) return seen;
    const context = this.#context;
    const { words } = context;
    // Before the wait leaves: until then the element keeps the memory of the line.
    const reason = words.load32(words.get32(element + SEM) + BLOCK_LINE + CANCEL_REASON);
    const left = leaveLine(context, { line: this, entry, patrol: undefined }, element);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.reason = reason;
    return left;
  }
}

/** What the errors of a wait say. */
export class WaitForPermits implements Wanted {
  readonly #wanted: PermitsWanted;
  readonly #account: Account;
  readonly #permits: number;
  readonly #wait: CancellableWait;

  constructor(account: Account, permits: number, wait: CancellableWait) {
    this.#wanted = new PermitsWanted(account, permits);
    this.#account = account;
    this.#permits = permits;
    this.#wait = wait;
  }

  /** The error of a wait that ended without permits: cancelled or timed out. */
  timedOut(timeoutMs: number | undefined, element: ElementAddress | 0): Error {
    const { reason } = this.#wait;
    return reason === undefined
      ? this.#wanted.timedOut(timeoutMs, element)
      : cancelledError(this.#account, this.#permits, reason);
  }

  deadlock(asyncWaits: number): DeadlockError {
    return this.#account.deadlock(asyncWaits);
  }

  closed(): ClosedError {
    return this.#account.closed();
  }
}

export function cancelledError(account: Account, permits: number, reason: number): CancelledError {
  return new CancelledError(
    `${account.toString()}: the wait for ${plural(permits, 'permit')} was cancelled by cancelWaiters(${reason}). No permit was taken.`,
    reason,
  );
}
