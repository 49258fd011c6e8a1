// Fixed windows and a sliding window for one thread, on exact times and without packing: the oracles of property tests.

export interface PlainWindows {
  /** Starts at that time, which never goes back; returns whether it may. `waited`: the call has waited for the interval. */
  start(at: number, waited: boolean): boolean;
}

export class PlainFixed implements PlainWindows {
  readonly #interval: number;
  readonly #cap: number;
  #began = -Infinity;
  #starts = 0;

  constructor(interval: number, cap: number) {
    this.#interval = interval;
    this.#cap = cap;
  }

  start(at: number, waited: boolean): boolean {
    if (at >= this.#began + this.#interval) {
      this.#began = waited ? this.#began + Math.floor((at - this.#began) / this.#interval) * this.#interval : at;
      this.#starts = 0;
    }
    if (this.#starts === this.#cap) return false;
    this.#starts += 1;
    return true;
  }
}

export class PlainSliding implements PlainWindows {
  readonly #interval: number;
  readonly #cap: number;
  readonly #times: number[] = [];

  constructor(interval: number, cap: number) {
    this.#interval = interval;
    this.#cap = cap;
  }

  start(at: number): boolean {
    if (this.#times.filter((time) => at - time < this.#interval).length === this.#cap) return false;
    this.#times.push(at);
    return true;
  }
}
