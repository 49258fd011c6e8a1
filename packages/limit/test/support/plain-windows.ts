// Fixed windows and a sliding window for one thread, on exact times and without packing: the oracles of property tests.

export interface PlainWindows {
  /** The latest time: the beginning of the window, or the newest start. 0 at first. */
  readonly latest: number;
  /** Starts a call at that time, which is not before `latest`, if the window allows it. Returns whether it did. */
  start(at: number): boolean;
  /** Whether a window, or the interval of a start, ends within `slack` ms of that time. */
  isNearEnd(at: number, slack: number): boolean;
}

export class PlainFixed implements PlainWindows {
  readonly #interval: number;
  readonly #cap: number;
  #began: number | undefined;
  #starts = 0;

  constructor(interval: number, cap: number) {
    this.#interval = interval;
    this.#cap = cap;
  }

  get latest(): number {
    return this.#began ?? 0;
  }

  start(at: number): boolean {
    if (this.#began === undefined || at >= this.#began + this.#interval) {
      this.#began = at;
      this.#starts = 0;
    }
    if (this.#starts === this.#cap) return false;
    this.#starts += 1;
    return true;
  }

  isNearEnd(at: number, slack: number): boolean {
    return this.#began !== undefined && Math.abs(at - this.#began - this.#interval) <= slack;
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

  get latest(): number {
    return this.#times.at(-1) ?? 0;
  }

  start(at: number): boolean {
    if (this.#times.filter((time) => at - time < this.#interval).length === this.#cap) return false;
    this.#times.push(at);
    return true;
  }

  isNearEnd(at: number, slack: number): boolean {
    return this.#times.some((time) => Math.abs(at - time - this.#interval) <= slack);
  }
}
