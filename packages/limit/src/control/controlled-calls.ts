// The calls through one object of a limit that finds its size or sheds calls.

import type { WaitOptions } from '@sluice/core';
import type { Tuner } from '../adaptive/tuner.ts';
import { LimitCalls, queueAt, type WaitingCall } from '../calls/calls.ts';
import type { WaitingPlaces } from '../overload/waiting-places.ts';
import type { Slots } from '../slots/slots.ts';
import { CallGate, type Fn } from './call-gate.ts';

export class ControlledCalls extends LimitCalls {
  readonly #gate: CallGate;

  constructor(slots: Slots, tuner: Tuner | undefined, waitingPlaces: WaitingPlaces | undefined) {
    const queue = queueAt(slots.ref);
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
    const refusal = this.#gate.enter(call, () => super.enqueue(call));
    if (refusal !== undefined) this.refuse(call, refusal);
  }
}
