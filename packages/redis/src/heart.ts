// The heartbeats of a session: one at a time, every third of the lease, and at once when there is something to ask.

import { RETRY_MS } from './attach.ts';
import { RedisError } from './errors.ts';
import type { Timer, Timing } from './timing.ts';

/** Not more often than this, whatever the server says. */
const LEAST_MS = 20;
/** After the server refused a heartbeat. */
const REFUSED_MS = 10 * RETRY_MS;

export class Heart {
  readonly #timing: Timing;
  readonly #period: number;
  readonly #round: () => Promise<number>;
  #timer: Timer | undefined;
  #beating = false;
  #again = false;
  /** In how many ms the heartbeat before wanted one, if another one came in between. */
  #wanted = Infinity;
  #stopped = false;

  /** `round`: one heartbeat; resolves with the ms after which the next one is worth while, at most `period`. */
  constructor(timing: Timing, period: number, round: () => Promise<number>) {
    this.#timing = timing;
    this.#period = period;
    this.#round = round;
  }

  /** Begins to beat, with the first heartbeat after one period. */
  start(): void {
    this.#schedule(this.#period);
  }

  /**
   * Beats now. If a heartbeat is on its way, one more follows it: its answer may be older than what the caller wants to
   * know.
   */
  beat(): void {
    if (this.#stopped) return;
    if (this.#beating) this.#again = true;
    else void this.#beat();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.stop();
  }

  async #beat(): Promise<void> {
    this.#beating = true;
    let next = Math.min(this.#period, this.#wanted);
    try {
      next = Math.min(next, await this.#round());
    } catch (failure) {
      // The lease ended, or the server refused: then the deadline tells the holders.
      if (failure instanceof RedisError) next = Math.min(next, REFUSED_MS);
    }
    this.#beating = false;
    const again = this.#takeRequest();
    // A heartbeat that was asked for does not take the place of the one that this one wants.
    this.#wanted = again ? next : Infinity;
    if (again) this.beat();
    else this.#schedule(Math.max(LEAST_MS, next));
  }

  /** Whether another beat was asked for during this one. */
  #takeRequest(): boolean {
    const again = this.#again;
    this.#again = false;
    return again;
  }

  #schedule(ms: number): void {
    this.#timer?.stop();
    if (!this.#stopped) this.#timer = this.#timing.after(ms, () => this.beat(), false);
  }
}
