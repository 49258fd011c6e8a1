// The signal with which an agent gives up its place in the line. An `AbortController` would cost more than the rest of
// the wait.

export class WayOut {
  readonly aborted = false;
  /** Never shown to a caller. */
  readonly reason = 'dropped';
  #leave: (() => void) | undefined;

  /**
   * Whether the wait has begun and not ended. It ends in the turn of the event loop in which the agent takes the slot.
   */
  get isOpen(): boolean {
    return this.#leave !== undefined;
  }

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
