// Bounds the number of actions that cost more than a wait: `most` at once, and `perTick` in each tick of the table's
// clock.

export class RateBudget {
  readonly #most: number;
  readonly #perTick: number;
  #left: number;
  #tick = 0;

  constructor(most: number, perTick: number) {
    this.#most = most;
    this.#perTick = perTick;
    this.#left = most;
  }

  /** Whether one more action is allowed. `clock`: the time of the table's clock. */
  take(clock: number): boolean {
    if (clock !== this.#tick) {
      this.#tick = clock;
      this.#left = Math.min(this.#most, this.#left + this.#perTick);
    }
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
