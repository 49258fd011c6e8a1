// What a call's wait takes for its signal: an `AbortController` for each would cost more than all else of the wait.

export class WayOut {
  readonly aborted = false;
  /** Nobody sees it. */
  readonly reason = 'dropped';
  #leave: (() => void) | undefined;

  addEventListener(_type: 'abort', leave: () => void): void {
    this.#leave = leave;
  }

  removeEventListener(): void {
    this.#leave = undefined;
  }

  throwIfAborted(): void {
    // Nobody leaves before he has come.
  }

  take(): void {
    this.#leave?.();
  }
}
