// One wait for permits of a resizable semaphore. A cancel of all waits may end it. Then the wait knows the reason of
// the cancel.

import { CancelledError, type ClosedError, type DeadlockError } from '@sluice/core';
import {
  BLOCK_LINE,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  LINE,
  type ElementAddress,
  type EntryAddress,
  type PollResult,
} from '@sluice/core/format';
import { plural } from '@sluice/core/calls';
import {
  leaveLine,
  PermitErrors,
  type PrimitiveErrors,
  type KindAgent,
  type LineSteps,
  type WaitErrors,
} from '@sluice/core/internal';
import { CANCEL_REASON } from './kernel/layout.ts';
import { LATE } from './kernel/outcomes.ts';
import type { OwnKernel } from './own-kernel.ts';

/** The steps of one wait. They record why the wait ended. */
export class CancellableWait implements LineSteps {
  readonly park: LineSteps['park'];
  readonly cancel: LineSteps['cancel'];
  /** The reason of the cancel that ended the wait. `undefined` if no cancel did. */
  reason: number | undefined;
  readonly #context: KindAgent;
  readonly #pollSized: OwnKernel['pollSized'];

  constructor(context: KindAgent, { pollSized }: OwnKernel, { park, cancel }: Pick<LineSteps, 'park' | 'cancel'>) {
    this.park = park;
    this.cancel = cancel;
    this.#context = context;
    this.#pollSized = pollSized;
  }

  poll(element: ElementAddress, entry: EntryAddress): PollResult {
    const seen = this.#pollSized(element, entry);
    if (seen !== LATE) return seen;
    const context = this.#context;
    const { words } = context;
    // Read before the wait leaves the line: until then the element keeps the memory of the line.
    const reason = words.load32(words.get32(element + LINE) + BLOCK_LINE + CANCEL_REASON);
    const left = leaveLine(context, { line: this, entry, timedChecks: undefined }, element);
    if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND) this.reason = reason;
    return left;
  }
}

/** Creates the errors of a wait. */
export class WaitForPermits implements WaitErrors {
  readonly #permitErrors: PermitErrors;
  readonly #errors: PrimitiveErrors;
  readonly #permits: number;
  readonly #wait: CancellableWait;

  constructor(errors: PrimitiveErrors, permits: number, wait: CancellableWait) {
    this.#permitErrors = new PermitErrors(errors, permits);
    this.#errors = errors;
    this.#permits = permits;
    this.#wait = wait;
  }

  /** Creates the error of a wait that ended without permits: cancelled or timed out. */
  timedOut(timeoutMs: number | undefined, element: ElementAddress | 0): Error {
    const { reason } = this.#wait;
    return reason === undefined
      ? this.#permitErrors.timedOut(timeoutMs, element)
      : cancelledError(this.#errors, this.#permits, reason);
  }

  deadlock(why: number | string): DeadlockError {
    return this.#errors.deadlock(why);
  }

  closed(): ClosedError {
    return this.#errors.closed();
  }
}

export function cancelledError(errors: PrimitiveErrors, permits: number, reason: number): CancelledError {
  return new CancelledError(
    `${errors.toString()}: the wait for ${plural(permits, 'permit')} was cancelled by cancelWaiters(${reason}). No permit was taken.`,
    reason,
  );
}
