// What ends a wait before it is granted: its timeout and its signal. Keeps the process alive meanwhile, unless the wait's `ref` is false.

import type { WaitOptions } from '@sluice/core';
import { keepAlive, letGo, offAbort, onAbort, reasonOf } from '@sluice/core/internal';
import type { Timer, Timing } from './timing.ts';

export class Patience {
  readonly #timing: Timing;
  readonly #options: WaitOptions;
  readonly #giveUp: (reason: unknown) => void;
  readonly #timedOut: () => Error;
  #timer: Timer | undefined;

  constructor(timing: Timing, options: WaitOptions, giveUp: (reason: unknown) => void, timedOut: () => Error) {
    this.#timing = timing;
    this.#options = options;
    this.#giveUp = giveUp;
    this.#timedOut = timedOut;
  }

  begin(): void {
    const { timeout = Infinity, signal, ref = true } = this.#options;
    if (ref) keepAlive();
    // A timeout of 0 does not wait: the server answers at once.
    if (timeout > 0) this.#timer = this.#timing.after(timeout, () => this.#giveUp(this.#timedOut()), ref);
    onAbort(signal, this.#onAbort);
  }

  /** Call once, when the wait has ended in whatever way. */
  end(): void {
    this.#timer?.stop();
    offAbort(this.#options.signal, this.#onAbort);
    if (this.#options.ref ?? true) letGo();
  }

  readonly #onAbort = (): void => this.#giveUp(reasonOf(this.#options.signal));
}
