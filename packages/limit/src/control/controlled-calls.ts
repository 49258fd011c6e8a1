// The calls through one object of a limit that finds its size or sheds calls. The functions are measured, and a call
// takes a place before it waits.

import type { WaitOptions } from '@sluice/core';
import type { Tuner } from '../adaptive/tuner.ts';
import { LimitCalls, queueAt, type WaitingCall } from '../calls.ts';
import { IntervalCalls, intervalQueueAt, WaitingIntervalCall } from '../interval-calls.ts';
import type { IntervalSlots } from '../interval-slots.ts';
import type { Room } from '../overload/room.ts';
import type { CallQueue } from '../queue.ts';
import type { Slots } from '../slots.ts';

type Fn<Args extends unknown[], T> = (...args: Args) => PromiseLike<T> | T;

export class ControlledCalls extends LimitCalls {
  readonly #gate: Gate;

  constructor(slots: Slots, tuner: Tuner | undefined, room: Room | undefined) {
    const queue = queueAt(slots.ref);
    super(slots, queue);
    this.#gate = new Gate(tuner, room, queue);
  }

  override call<Args extends unknown[], T>(
    fn: Fn<Args, T>,
    args: Args,
    options: WaitOptions,
    priority?: number,
  ): Promise<T> {
    return super.call(this.#gate.measured(fn), args, options, priority);
  }

  protected override wait(call: WaitingCall, options: WaitOptions, callTimeout?: number): boolean {
    const refusal = this.#gate.enter(call);
    if (refusal === undefined) return withPlace(call, () => super.wait(call, options, callTimeout));
    this.refuse(call, refusal);
    return false;
  }
}

export class ControlledIntervalCalls extends IntervalCalls {
  readonly #gate: Gate;

  constructor(slots: IntervalSlots, tuner: Tuner | undefined, room: Room | undefined) {
    const queue = intervalQueueAt(slots.ref);
    super(slots, queue);
    this.#gate = new Gate(tuner, room, queue);
  }

  override call<Args extends unknown[], T>(
    fn: Fn<Args, T>,
    args: Args,
    options: WaitOptions,
    priority?: number,
  ): Promise<T> {
    return super.call(this.#gate.measured(fn), args, options, priority);
  }

  protected override wait(call: WaitingCall, options: WaitOptions, callTimeout?: number): boolean {
    // A call that was under way and found no start is older than those that wait. It needs no place.
    const refusal = call instanceof WaitingIntervalCall && call.hasReturned ? undefined : this.#gate.enter(call);
    if (refusal === undefined) return withPlace(call, () => super.wait(call, options, callTimeout));
    this.refuse(call, refusal);
    return false;
  }
}

/** Begins the wait of a call that has a place. The call gives the place back if its wait does not begin. */
function withPlace(call: WaitingCall, wait: () => boolean): boolean {
  try {
    return wait();
  } catch (failure) {
    call.leaveRoom?.();
    call.leaveRoom = undefined;
    throw failure;
  }
}

/** What both kinds of calls do. */
class Gate {
  readonly #tuner: Tuner | undefined;
  readonly #room: Room | undefined;
  readonly #queue: CallQueue;

  constructor(tuner: Tuner | undefined, room: Room | undefined, queue: CallQueue) {
    this.#tuner = tuner;
    this.#room = room;
    this.#queue = queue;
  }

  measured<Args extends unknown[], T>(fn: Fn<Args, T>): Fn<Args, T> {
    // Otherwise the check of the function comes too late.
    return this.#tuner === undefined || typeof fn !== 'function' ? fn : this.#tuner.measured(fn);
  }

  /** Returns the error of a call that may not wait. */
  enter(call: WaitingCall): Error | undefined {
    return this.#room?.enter(call, this.#queue);
  }
}
