// One listener for all who wait for the same signal: platforms warn of a leak where a signal has more than ten.

/** Who waits for a signal, as long as anybody does. */
class Watchers {
  readonly #acts = new Set<() => void>();
  readonly #signal: AbortSignal;
  readonly #fire = (): void => this.#acts.forEach((act) => act());

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(act: () => void): void {
    // A signal that is none of the platform's may throw here.
    if (this.#acts.size === 0) this.#signal.addEventListener('abort', this.#fire);
    this.#acts.add(act);
  }

  delete(act: () => void): void {
    if (this.#acts.delete(act) && this.#acts.size === 0) this.#signal.removeEventListener('abort', this.#fire);
  }
}

const watched = new WeakMap<AbortSignal, Watchers>();

/** Calls `act`, a function of the caller's own, when the signal is aborted; `offAbort` ends that. Throws what the signal throws. */
export function onAbort(signal: AbortSignal, act: () => void): void {
  const watchers = watched.get(signal) ?? new Watchers(signal);
  watched.set(signal, watchers);
  watchers.add(act);
}

export function offAbort(signal: AbortSignal, act: () => void): void {
  watched.get(signal)?.delete(act);
}
