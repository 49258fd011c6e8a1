// What the wait of a call uses as its signal. An `AbortController` per call would cost more than the rest of the wait.

export class WayOut {
  readonly aborted = false;
  /** No caller sees it. */
  readonly reason = 'dropped';
  #leave: (() => void) | undefined;

  addEventListener(_type: 'abort', leave: () => void): void {
    this.#leave = leave;
  }

  removeEventListener(): void {
    this.#leave = undefined;
  }

  throwIfAborted(): void {
    // `take` is only called after the listener was added.
  }

  take(): void {
    this.#leave?.();
  }
}
