// An agent's place in a line, as the signal that gives it up. An `AbortController` would cost more than the rest of the
// wait.

export class PlaceInLine {
  readonly aborted = false;
  /** Never shown to a caller. */
  readonly reason = 'dropped';
  #leave: (() => void) | undefined;

  /**
   * Whether the wait has begun and not ended. It ends in the turn of the event loop in which the agent takes the slot.
   */
  get isWaiting(): boolean {
    return this.#leave !== undefined;
  }

  addEventListener(_type: 'abort', leave: () => void): void {
    this.#leave = leave;
  }

  removeEventListener(): void {
    this.#leave = undefined;
  }

  throwIfAborted(): void {
    // `giveUp` is only called after the listener was added.
  }

  giveUp(): void {
    this.#leave?.();
  }
}
