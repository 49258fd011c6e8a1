// @ts-check

/**
 * A gap between two ticks that is longer than this is a pause of the process, or a machine that is busy with something
 * else.
 */
const LONGEST_TICK_MS = 500;

/** Counts the time in which the process ran: a process that is stopped for minutes, and continued, is not stuck. */
export class Clock {
  #last;
  #ran = 0;
  #paused = 0;

  /** @param {number} now in ms */
  constructor(now) {
    this.#last = now;
  }

  /** Call this often. @param {number} now in ms */
  tick(now) {
    const gap = now - this.#last;
    const ran = Math.min(gap, LONGEST_TICK_MS);
    this.#last = now;
    this.#ran += ran;
    this.#paused += gap - ran;
  }

  /** ms, without pauses. */
  get ran() {
    return this.#ran;
  }

  /** ms */
  get paused() {
    return this.#paused;
  }
}
