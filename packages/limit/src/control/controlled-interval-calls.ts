// The calls through one object of a limit with an interval that finds its size or sheds calls.

import type { WaitOptions } from '@sluice/core';
import type { Tuner } from '../adaptive/tuner.ts';
import type { WaitingCall } from '../calls/calls.ts';
import { IntervalCalls, intervalQueueAt, WaitingIntervalCall } from '../interval/interval-calls.ts';
import type { IntervalSlots } from '../interval/interval-slots.ts';
import type { WaitingPlaces } from '../overload/waiting-places.ts';
import { CallGate, type Fn } from './call-gate.ts';

export class ControlledIntervalCalls extends IntervalCalls {
  readonly #gate: CallGate;

  constructor(slots: IntervalSlots, tuner: Tuner | undefined, waitingPlaces: WaitingPlaces | undefined) {
    const queue = intervalQueueAt(slots.ref);
    super(slots, queue);
    this.#gate = new CallGate(tuner, waitingPlaces, queue);
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
