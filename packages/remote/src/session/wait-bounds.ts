// Ends a wait by its timeout or its signal before it is granted. Keeps the process alive during the wait, unless the
// wait's `ref` is false.

import type { WaitOptions } from '@sluice/core';
import { keepAlive, letGo, offAbort, onAbort, reasonOf } from '@sluice/core/calls';
import type { Timer, Timing } from '../engine/timing.ts';

/** A call that waits. */
export interface BoundedCall {
  readonly timing: Timing;
  readonly options: WaitOptions;
  /** The time at which the call began, on the clock of `timing`. */
  readonly began: number;
}

/** Settles the promise of a call. */
export interface Settlement<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

export class WaitBounds {
  readonly #timing: Timing;
  readonly #options: WaitOptions;
  readonly #giveUp: (reason: unknown) => void;
  readonly #timedOut: () => Error;
  readonly #began: number;
  #timer: Timer | undefined;

  /** `began` is the time of the call, if it has waited before. Its timeout bounds all its waits together. */
  constructor(
    timing: Timing,
    options: WaitOptions,
    giveUp: (reason: unknown) => void,
    timedOut: () => Error,
    began = timing.now(),
  ) {
    this.#timing = timing;
    this.#options = options;
    this.#giveUp = giveUp;
    this.#timedOut = timedOut;
    this.#began = began;
  }

  /** The time at which the timeout elapses, on the clock of `timing.now`. */
  get ends(): number {
    return this.#began + (this.#options.timeout ?? Infinity);
  }

  begin(): void {
    const { timeout = Infinity, signal, ref = true } = this.#options;
    if (ref) keepAlive();
    // With a timeout of 0 there is no wait: the server answers at once.
    if (timeout > 0)
      this.#timer = this.#timing.after(
        Math.max(0, this.ends - this.#timing.now()),
        () => this.#giveUp(this.#timedOut()),
        ref,
      );
    onAbort(signal, this.#onAbort);
  }

  /** Call this once, when the wait has ended. */
  end(): void {
    this.#timer?.stop();
    offAbort(this.#options.signal, this.#onAbort);
    if (this.#options.ref ?? true) letGo();
  }

  readonly #onAbort = (): void => this.#giveUp(reasonOf(this.#options.signal));
}

/**
 * Settles as `opening` does, unless a timeout or an abort comes first. If the session opens later, it serves later
 * calls. `began` is the time of the call, if it has waited before.
 */
export function withBounds<T>(
  opening: Promise<T>,
  timing: Timing,
  options: WaitOptions,
  timedOut: () => Error,
  began?: number,
): Promise<T> {
  return new Promise<T>((resolve, fail) => {
    // A signal's reason passes unchanged, even if it is not an Error.
    const reject = fail as (reason: unknown) => void;
    const bounds = new WaitBounds(timing, options, (reason) => end(() => reject(reason)), timedOut, began);
    let isOver = false;
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      bounds.end();
      settle();
    };
    bounds.begin();
    opening.then(
      (opened) => end(() => resolve(opened)),
      (failure: unknown) => end(() => reject(failure)),
    );
  });
}
