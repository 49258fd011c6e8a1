// Waits for a time of the wall clock, which may be set, and which goes on while the machine sleeps.

import type { Timer, Timing } from '../engine/timing.ts';

/** The clock is read at least this often, in ms: it may have been set. */
const LOOK_MS = 30_000;

export class WallClock {
  /** Resolves when the clock has reached the time. Keeps no process alive. */
  readonly reached: Promise<void>;
  readonly #timing: Timing;
  readonly #at: number;
  #timer: Timer | undefined;

  constructor(timing: Timing, at: number) {
    this.#timing = timing;
    this.#at = at;
    this.reached = new Promise((resolve) => this.#look(resolve));
  }

  stop(): void {
    this.#timer?.stop();
  }

  #look(resolve: () => void): void {
    const left = this.#at - this.#timing.wall();
    if (left <= 0) return resolve();
    this.#timer = this.#timing.after(Math.min(left, LOOK_MS), () => this.#look(resolve), false);
  }
}
