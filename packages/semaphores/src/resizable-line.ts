// The line in which the waits for permits of a resizable semaphore stand.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  awaitInLine,
  blockInLine,
  finishPending,
  isElement,
  MAX_PERMITS,
  mayBlock,
  mayRetry,
  MODE_ASYNC,
  MODE_BLOCKING,
  orCorrupt,
  OVERFLOW,
  RACED,
  refuseToBlock,
  SHUT,
  TAKEN,
  untilWon,
  WAITING,
  type Account,
  type Draw,
  type LocalState,
  type Patrol,
  type Place,
  type Try,
} from '@sluice/core/internal';
import { CancellableWait, cancelledError, WaitForPermits } from './cancellable-wait.ts';
import { kernelOf } from './own-kernel.ts';

/**
 * Each look at a wait goes through the steps of this kind. Without a patrol the core takes a shorter way to its own.
 */
const NO_PATROL: Patrol = { afterAdmission: false, nap: () => Infinity, look: () => undefined, rest: () => 0 };

export class ResizableLine {
  readonly #place: Place;
  readonly #policy: WaitingPolicy;
  readonly #account: Account;
  readonly #local: LocalState;
  /** The local state, with a patrol. */
  readonly #waits: LocalState;

  constructor(place: Place, policy: WaitingPolicy, account: Account, local: LocalState) {
    this.#place = place;
    this.#policy = policy;
    this.#account = account;
    this.#local = local;
    this.#waits = { ...local, patrol: NO_PATROL };
  }

  /** Takes free permits, without waiting. TAKEN, WAITING: they are not there. SHUT. */
  take(permits: number): Try {
    const { context, address, tag } = this.#place;
    const { entry } = this.#local;
    const kernel = kernelOf(context);
    let taken: Try;
    let tries = 0;
    do taken = kernel.takeSized(address, tag, entry, permits);
    while (
      // Permits may wait for the recovery of a dead agent that was left to agents with this kind.
      (taken === RACED && mayRetry(++tries)) ||
      (taken === WAITING && finishPending(context))
    );
    return taken;
  }

  /** Blocks until the permits are there; whether they came in time. Throws as `acquire` does. */
  block(permits: number, timeoutMs: number): boolean {
    if (!mayBlock()) refuseToBlock();
    const { context } = this.#place;
    const drawn = this.#draw(permits, MODE_BLOCKING);
    const wait = this.#newWait();
    const outcome = blockInLine<typeof TAKEN | typeof SHUT>(
      context,
      { ...this.#waits, line: wait },
      drawn,
      this.#policy,
      timeoutMs,
      this.#account,
    );
    if (outcome === SHUT) throw this.#account.closed();
    if (outcome === WAITING && wait.reason !== undefined) throw cancelledError(this.#account, permits, wait.reason);
    return outcome === TAKEN;
  }

  /** As `block`, without blocking. Rejects also with `TimeoutError` and `signal.reason`. */
  async await(permits: number, options: WaitOptions): Promise<void> {
    const { context } = this.#place;
    const wait = this.#newWait();
    const what = new WaitForPermits(this.#account, permits, wait);
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
    if (outcome === SHUT) throw this.#account.closed();
  }

  #newWait(): CancellableWait {
    const { context } = this.#place;
    return new CancellableWait(context, kernelOf(context), this.#waits.line);
  }

  /** Draws a ticket: TAKEN, SHUT or the element that is to wait. */
  #draw(permits: number, mode: number): Draw {
    const { context, address, tag } = this.#place;
    const { entry } = this.#local;
    // Before it is counted: from then on the wait must have all that it needs.
    context.refill(mode);
    const drawn = orCorrupt(() =>
      untilWon(() => kernelOf(context).enqueueSized(address, tag, entry, context.agent, permits)),
    );
    if (drawn === OVERFLOW)
      throw new RangeError(
        `${this.#account.toString()}: with ${permits} more, its waiters together would lack more than ${MAX_PERMITS} permits. No permit was taken.`,
      );
    // What this waiter took into the line may be for an earlier one.
    context.finishWalk();
    return drawn;
  }
}
