// The gate of a limit that finds its size or sheds calls. A call is measured, and takes a place before it waits.

import type { Tuner } from '../adaptive/tuner.ts';
import type { WaitingCall } from '../calls/calls.ts';
import type { CallQueue } from '../calls/slot-queue.ts';
import type { WaitingPlaces } from '../overload/waiting-places.ts';

/** A function that a limit calls. */
export type Fn<Args extends unknown[], T> = (...args: Args) => PromiseLike<T> | T;

export class CallGate {
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
