// The calls through one limit object of one agent. All objects of an agent for the same limit share one queue of
// waiting calls. So the calls of an agent start by priority, and in the order in which they were made within one
// priority.

import type { WaitOptions } from '@sluice/core';
import { checkFunction, checkWait, keepAlive, letGo, offAbort, onAbort, reasonOf, setAlarm } from '@sluice/core/calls';
import { perLineState, type BlockRef } from '@sluice/core/internal';
import { SlotQueue, type LimitCall, type CallQueue } from './slot-queue.ts';
import type { Slots } from '../slots/slots.ts';

export const NOW = Promise.resolve();

/** Returns the queue of this agent for the limit with these slots. */
export const queueAt: (ref: BlockRef) => SlotQueue = perLineState(() => new SlotQueue());

/** The counts of one limit object: its running functions and its waiting calls. */
export interface Running {
  active: number;
  pending: number;
}

export class LimitCalls {
  protected readonly counts: Running = { active: 0, pending: 0 };
  readonly #slots: Slots;
  readonly #queue: CallQueue;
  protected readonly budget: BlockRef['context']['budget'];

  constructor(slots: Slots, queue: CallQueue = queueAt(slots.ref)) {
    this.#slots = slots;
    this.#queue = queue;
    this.budget = slots.ref.context.budget;
  }

  get active(): number {
    return this.counts.active;
  }

  get pending(): number {
    return this.counts.pending;
  }

  /**
   * Runs `fn` in a slot, and settles as its result does.
   *
   * It is an async function so that `fn` runs in its caller's async context, although another call may hand over the
   * slot.
   */
  async call<Args extends unknown[], T>(
    fn: (...args: Args) => PromiseLike<T> | T,
    args: Args,
    options: WaitOptions,
    priority = 0,
  ): Promise<T> {
    checkFunction(fn);
    const checked = checkWait(options);
    // A call must not overtake a waiting call, even one whose granted slot has not arrived yet.
    if (this.#queue.isEmpty && this.#slots.tryTake()) {
      this.counts.active += 1;
      if (this.#queue.arriving > 0) {
        // Calls that have waited spend from the event loop's budget in the next microtask. If this call spent first, it
        // might start after them.
        this.#queue.arriving += 1;
        await NOW;
        this.#queue.arriving -= 1;
      }
      await (this.budget.spend() ?? NOW);
    } else {
      if (checked.timeout === 0) return this.budget.refuse(this.#slots.late(0));
      await new Promise<void>((begin, reject) => {
        const call = new WaitingCall(this.counts, begin, reject, priority);
        this.wait(call, checked);
        this.enqueue(call);
      });
      this.#queue.arriving -= 1;
      const later = this.budget.spend();
      if (later !== undefined) await later;
    }
    try {
      return await fn(...args);
    } finally {
      this.end();
    }
  }

  /** Drops all waiting calls. They reject with `reason`, or never settle without one. */
  clear(reason?: { readonly reason: unknown }): void {
    for (const call of this.#queue.all()) {
      if (!(call instanceof WaitingCall) || call.counts !== this.counts) continue;
      this.#queue.remove(call, this.#slots);
      if (reason !== undefined) call.reject(reason.reason);
    }
  }

  /**
   * Begins the wait of a call. `enqueue` must follow. `callTimeout`: the timeout that the caller gave, in ms. The error
   * names it.
   */
  protected wait(call: WaitingCall, options: WaitOptions, callTimeout = options.timeout ?? Infinity): void {
    if (options.signal !== undefined || options.timeout !== undefined) this.#limitWait(call, options, callTimeout);
    call.wait(options.ref ?? true);
  }

  /** Puts a call whose wait has begun in the queue. */
  protected enqueue(call: WaitingCall): void {
    this.#queue.push(call, this.#slots);
  }

  /** Ends the wait of a call that is in no queue, and rejects the call. */
  protected refuse(call: WaitingCall, failure: Error): void {
    call.left();
    this.budget.refuse(failure).catch(call.reject);
  }

  /** Hands on the slot of a function that has ended. */
  protected end(): void {
    this.counts.active -= 1;
    this.#queue.passOn(this.#slots);
  }

  /** Ends the wait when the signal aborts or the timeout elapses. */
  #limitWait(call: WaitingCall, { signal, timeout = Infinity, ref = true }: WaitOptions, callTimeout: number): void {
    const drop = (reason: () => unknown): void => {
      this.#queue.remove(call, this.#slots);
      // Created after the removal: the message counts the waiters without this one.
      call.reject(reason());
    };
    const abort = (): void => {
      // A grant that came first wins.
      if (this.#queue.isGranted(call, this.#slots) !== true) drop(() => reasonOf(signal));
    };
    onAbort(signal, abort);
    const expire = (): void => {
      // A grant that came first wins.
      const isGranted = this.#queue.isGranted(call, this.#slots);
      if (isGranted === undefined) alarm = setAlarm(1, expire, ref);
      else if (!isGranted) drop(() => this.#slots.late(callTimeout));
    };
    let alarm = setAlarm(timeout, expire, ref);
    call.stop = () => {
      offAbort(signal, abort);
      alarm?.stop();
    };
  }
}

export class WaitingCall<Self extends LimitCall = LimitCall> implements LimitCall {
  before: Self | undefined;
  behind: Self | undefined;
  readonly counts: Running;
  readonly reject: (reason: unknown) => void;
  readonly priority: number;
  /** Removes the listener and the timer that may end the wait early. */
  stop: (() => void) | undefined;
  /** Releases the call's place among the waiting calls. Present if their number has a maximum. */
  leavePlace: (() => void) | undefined;
  readonly #start: () => void;
  #ref = true;

  constructor(counts: Running, start: () => void, reject: (reason: unknown) => void, priority: number) {
    this.counts = counts;
    this.reject = reject;
    this.priority = priority;
    this.#start = start;
  }

  wait(ref: boolean): void {
    this.#ref = ref;
    this.counts.pending += 1;
    if (ref) keepAlive();
  }

  left(): void {
    this.counts.pending -= 1;
    if (this.#ref) letGo();
    this.stop?.();
    this.leavePlace?.();
  }

  begin(): void {
    this.counts.active += 1;
    this.#start();
  }
}
