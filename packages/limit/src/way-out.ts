// What an agent's place in the line uses as its signal. An `AbortController` would cost more than the rest of the wait.

export class WayOut {
  readonly aborted = false;
  /** No caller sees it. */
  readonly reason = 'dropped';
  #leave: (() => void) | undefined;

  /** Whether the wait has begun and has not ended. It ends in the same turn in which the agent takes the slot. */
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
