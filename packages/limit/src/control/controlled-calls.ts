// The calls through one object of a limit that finds its size or sheds calls. The functions are measured, and a call
// takes a place before it waits.

import type { WaitOptions } from '@sluice/core';
import type { Tuner } from '../adaptive/tuner.ts';
import { LimitCalls, queueAt, type WaitingCall } from '../calls/calls.ts';
import { IntervalCalls, intervalQueueAt, WaitingIntervalCall } from '../interval/interval-calls.ts';
import type { IntervalSlots } from '../interval/interval-slots.ts';
import type { WaitingPlaces } from '../overload/waiting-places.ts';
import type { CallQueue } from '../calls/slot-queue.ts';
import type { Slots } from '../slots/slots.ts';

type Fn<Args extends unknown[], T> = (...args: Args) => PromiseLike<T> | T;

export class ControlledCalls extends LimitCalls {
  readonly #gate: Gate;

  constructor(slots: Slots, tuner: Tuner | undefined, waitingPlaces: WaitingPlaces | undefined) {
    const queue = queueAt(slots.ref);
    super(slots, queue);
    this.#gate = new Gate(tuner, waitingPlaces, queue);
  }

  override call<Args extends unknown[], T>(
    fn: Fn<Args, T>,
    args: Args,
    options: WaitOptions,
    priority?: number,
  ): Promise<T> {
    return super.call(this.#gate.measured(fn), args, options, priority);
  }

  protected override enqueue(call: WaitingCall): void {
    const refusal = this.#gate.enter(call, () => super.enqueue(call));
    if (refusal !== undefined) this.refuse(call, refusal);
  }
}

export class ControlledIntervalCalls extends IntervalCalls {
  readonly #gate: Gate;

  constructor(slots: IntervalSlots, tuner: Tuner | undefined, waitingPlaces: WaitingPlaces | undefined) {
    const queue = intervalQueueAt(slots.ref);
    super(slots, queue);
    this.#gate = new Gate(tuner, waitingPlaces, queue);
  }

  override call<Args extends unknown[], T>(
    fn: Fn<Args, T>,
    args: Args,
    options: WaitOptions,
    priority?: number,
  ): Promise<T> {
    return super.call(this.#gate.measured(fn), args, options, priority);
  }

  protected override enqueue(call: WaitingCall): void {
    // A call that was under way and found no start is older than those that wait. It needs no place.
    if (call instanceof WaitingIntervalCall && call.hasReturned) {
      super.enqueue(call);
      return;
    }
    const refusal = this.#gate.enter(call, () => super.enqueue(call));
    if (refusal !== undefined) this.refuse(call, refusal);
  }
}

/** What both kinds of calls do. */
class Gate {
  readonly #tuner: Tuner | undefined;
  readonly #waitingPlaces: WaitingPlaces | undefined;
  readonly #queue: CallQueue;

  constructor(tuner: Tuner | undefined, waitingPlaces: WaitingPlaces | undefined, queue: CallQueue) {
    this.#tuner = tuner;
    this.#waitingPlaces = waitingPlaces;
    this.#queue = queue;
  }

  measured<Args extends unknown[], T>(fn: Fn<Args, T>): Fn<Args, T> {
    // Otherwise the check of the function comes too late.
    return this.#tuner === undefined || typeof fn !== 'function' ? fn : this.#tuner.measured(fn);
  }

  /**
   * Puts a call in the queue, by `enqueue` if any number of calls may wait. Returns the error of a call that may not
   * wait.
   */
  enter(call: WaitingCall, enqueue: () => void): Error | undefined {
    if (this.#waitingPlaces !== undefined) return this.#waitingPlaces.enter(call, this.#queue);
    enqueue();
    return undefined;
  }
}
