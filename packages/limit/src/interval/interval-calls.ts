// The calls through one object of a limit with an interval.
//
// A call counts its start right before its function runs. Other code of the thread may run between the call and its
// slot, and between the slot and the count.

import type { WaitOptions } from '@sluice/core';
import { checkFunction, checkWait, reasonOf } from '@sluice/core/calls';
import { perLineState, type BlockRef } from '@sluice/core/internal';
import { LimitCalls, NOW, WaitingCall, type Running } from '../calls/calls.ts';
import { IntervalQueue, type IntervalCall } from './interval-queue.ts';
import type { IntervalSlots } from './interval-slots.ts';
import type { IntervalPlace } from './interval-place.ts';

/** Returns the queue of this agent for the limit with these slots. */
export const intervalQueueAt: (ref: BlockRef) => IntervalQueue = perLineState(() => new IntervalQueue());

interface Made {
  readonly options: WaitOptions;
  readonly priority: number;
  /** The number of times that the queue had been cleared before the call was made. */
  readonly clears: number;
  /** The end of its timeout, in ms of the agent's clock. */
  readonly deadline: number;
}

export class IntervalCalls extends LimitCalls {
  readonly #slots: IntervalSlots;
  readonly #queue: IntervalQueue;
  #clears = 0;
  /** The reason with which cleared calls reject, as given to the last `clear`. `undefined`: they never settle. */
  #cleared: { readonly reason: unknown } | undefined;

  constructor(slots: IntervalSlots, queue = intervalQueueAt(slots.ref)) {
    super(slots, queue);
    this.#slots = slots;
    this.#queue = queue;
  }

  override async call<Args extends unknown[], T>(
    fn: (...args: Args) => PromiseLike<T> | T,
    args: Args,
    options: WaitOptions,
    priority = 0,
  ): Promise<T> {
    checkFunction(fn);
    const checked = checkWait(options);
    const clears = this.#clears;
    const deadline = checked.timeout === undefined ? Infinity : this.#now() + checked.timeout;
    let call: IntervalCall | undefined;
    if (this.#queue.tryBegin(this.#slots)) {
      this.counts.active += 1;
      await (this.budget.spend() ?? NOW);
    } else {
      if (checked.timeout === 0) return this.budget.refuse(this.#slots.late(0));
      call = await this.#turnOf({ options: checked, priority, clears, deadline }, false);
    }
    while (!this.#begin(call)) call = await this.#turnOf({ options: checked, priority, clears, deadline }, true);
    try {
      return await fn(...args);
    } finally {
      this.end();
    }
  }

  override clear(reason?: { readonly reason: unknown }): void {
    this.#clears += 1;
    this.#cleared = reason;
    super.clear(reason);
  }

  /** Counts the start of a call that is under way. Returns false if the call has to wait again. */
  #begin(call: IntervalCall | undefined): boolean {
    let hasBegun = false;
    try {
      hasBegun = this.#queue.start(this.#slots, call);
    } finally {
      if (!hasBegun) this.counts.active -= 1;
    }
    return hasBegun;
  }

  /** Waits until the call may count its start. `hasReturned`: the call was under way before, and found no start. */
  async #turnOf(made: Made, hasReturned: boolean): Promise<IntervalCall> {
    const call = await this.#sent(made, hasReturned);
    // Before the count: the function starts right after it.
    const later = this.budget.spend();
    if (later !== undefined) await later;
    return call;
  }

  /** Waits until the call is under way. */
  #sent(made: Made, hasReturned: boolean): Promise<IntervalCall> {
    return new Promise((begin, reject) => {
      if (hasReturned && this.#hasEnded(made, reject)) {
        this.#queue.goOn(this.#slots);
        return;
      }
      const call = new WaitingIntervalCall(this.counts, begin, reject, made.priority, hasReturned);
      const { options, deadline } = made;
      this.wait(
        call,
        deadline === Infinity ? options : { ...options, timeout: deadline - this.#now() },
        options.timeout,
      );
      this.enqueue(call);
    });
  }

  /** Whether the call was cancelled while it was under way. */
  #hasEnded(
    { options: { signal, timeout = Infinity }, clears, deadline }: Made,
    reject: (reason: unknown) => void,
  ): boolean {
    if (clears !== this.#clears) {
      if (this.#cleared !== undefined) reject(this.#cleared.reason);
    } else if (signal?.aborted === true) reject(reasonOf(signal));
    else if (deadline <= this.#now()) reject(this.#slots.late(timeout));
    else return false;
    return true;
  }

  #now(): number {
    return this.#slots.ref.context.parking.now();
  }
}

export class WaitingIntervalCall extends WaitingCall<IntervalCall> implements IntervalCall {
  readonly hasReturned: boolean;
  place: IntervalPlace | undefined;

  constructor(
    counts: Running,
    begin: (call: IntervalCall) => void,
    reject: (reason: unknown) => void,
    priority: number,
    hasReturned: boolean,
  ) {
    super(counts, () => begin(this), reject, priority);
    this.hasReturned = hasReturned;
  }
}
