// An abort controller whose listeners run within the call of `abort()`, which rethrows their errors. An agent that dies
// in a listener dies in that call.

export class ControllerByHand {
  readonly #listeners = new Set<() => void>();
  readonly signal = {
    aborted: false,
    reason: undefined as unknown,
    throwIfAborted: (): void => {
      if (this.signal.aborted) throw this.signal.reason;
    },
    addEventListener: (_: string, listener: () => void): void => void this.#listeners.add(listener),
    removeEventListener: (_: string, listener: () => void): void => void this.#listeners.delete(listener),
  };

  abort(reason: unknown = new Error('aborted by hand')): void {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    this.signal.reason = reason;
    for (const listener of [...this.#listeners]) listener();
  }
}
