// The line of the waits for permits of a resizable semaphore.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  MODE_ASYNC,
  MODE_BLOCKING,
  OVERFLOW,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type Draw,
  type Try,
} from '@sluice/core/format';
import { MAX_PERMITS, refuseToBlock } from '@sluice/core/calls';
import {
  awaitInLine,
  blockInLine,
  finishPending,
  isElement,
  mayBlock,
  retryOrThrow,
  orCorrupt,
  retryWhileRaced,
  type PrimitiveErrors,
  type LineState,
  type TimedChecks,
  type BlockRef,
} from '@sluice/core/internal';
import { CancellableWait, cancelledError, WaitForPermits } from './cancellable-wait.ts';
import { kernelOf } from './own-kernel.ts';

/**
 * With timed checks, each check of a wait uses the steps of this kind. Without them, the core directly uses its own steps.
 */
const NO_PATROL: TimedChecks = {
  afterAdmission: false,
  sleepMs: () => Infinity,
  check: () => undefined,
  pauseMs: () => 0,
};

export class ResizableLine {
  readonly #ref: BlockRef;
  readonly #policy: WaitingPolicy;
  readonly #errors: PrimitiveErrors;
  readonly #local: LineState;
  /** The line state, with timed checks. */
  readonly #waits: LineState;

  constructor(ref: BlockRef, policy: WaitingPolicy, errors: PrimitiveErrors, local: LineState) {
    this.#ref = ref;
    this.#policy = policy;
    this.#errors = errors;
    this.#local = local;
    this.#waits = { ...local, timedChecks: NO_PATROL };
  }

  /** Takes free permits, without waiting. Returns TAKEN, WAITING if there are too few, or SHUT. */
  take(permits: number): Try {
    const { context, address, tag } = this.#ref;
    const { entry } = this.#local;
    const kernel = kernelOf(context);
    let taken: Try;
    let tries = 0;
    do taken = kernel.takeSized(address, tag, entry, permits);
    while (
      // A dead agent's permits may wait for a recovery that only agents with this kind can finish.
      (taken === RACED && retryOrThrow(++tries)) ||
      (taken === WAITING && finishPending(context))
    );
    return taken;
  }

  /** Blocks until the permits are acquired. Returns whether they came in time. Throws the errors of `acquire`. */
  block(permits: number, timeoutMs: number): boolean {
    if (!mayBlock()) refuseToBlock();
    const { context } = this.#ref;
    const drawn = this.#draw(permits, MODE_BLOCKING);
    const wait = this.#newWait();
    const outcome = blockInLine<typeof TAKEN | typeof SHUT>(
      context,
      { ...this.#waits, line: wait },
      drawn,
      this.#policy,
      timeoutMs,
      this.#errors,
    );
    if (outcome === SHUT) throw this.#errors.closed();
    if (outcome === WAITING && wait.reason !== undefined) throw cancelledError(this.#errors, permits, wait.reason);
    return outcome === TAKEN;
  }

  /** Waits as `block` does, without blocking. Also rejects with `TimeoutError` and `signal.reason`. */
  async await(permits: number, options: WaitOptions): Promise<void> {
    const { context } = this.#ref;
    const wait = this.#newWait();
    const what = new WaitForPermits(this.#errors, permits, wait);
    if (options.timeout === 0) return context.budget.refuse(what.timedOut(0, 0));
    const draw = (): Draw => {
      const drawn = this.#draw(permits, MODE_ASYNC);
      return isElement(drawn) ? context.begin(drawn, this.#local.entry, MODE_ASYNC) : drawn;
    };
    const outcome = await awaitInLine<typeof TAKEN | typeof SHUT>(
      context,
      { ...this.#waits, line: wait },
      draw,
      options,
      what,
    );
    if (outcome === SHUT) throw this.#errors.closed();
  }

  #newWait(): CancellableWait {
    const { context } = this.#ref;
    return new CancellableWait(context, kernelOf(context), this.#waits.line);
  }

  /** Draws a ticket. Returns TAKEN, SHUT or the element of the wait. */
  #draw(permits: number, mode: number): Draw {
    const { context, address, tag } = this.#ref;
    const { entry } = this.#local;
    // Before the waiter is counted: from then on the wait must have everything that it needs.
    context.refill(mode);
    const drawn = orCorrupt(() =>
      retryWhileRaced(() => kernelOf(context).enqueueSized(address, tag, entry, context.agent, permits)),
    );
    if (drawn === OVERFLOW)
      throw new RangeError(
        `${this.#errors.toString()}: with ${permits} more, its waiters together would lack more than ${MAX_PERMITS} permits. No permit was taken.`,
      );
    // The permits that this waiter took into the line may belong to an earlier waiter.
    context.finishWalk();
    return drawn;
  }
}
