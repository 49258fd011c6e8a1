// The heartbeats of a session: one at a time, every third of the lease, and at once when the session has a question.

import { RETRY_MS } from './attach.ts';
import { EngineError } from '../engine/errors.ts';
import type { Timer, Timing } from '../engine/timing.ts';

/** The shortest interval between heartbeats in ms, whatever the server requests. */
const MIN_MS = 20;
/** The interval after the server refused a heartbeat, in ms. */
const REFUSED_MS = 10 * RETRY_MS;

export class HeartbeatTimer {
  readonly #timing: Timing;
  readonly #period: number;
  readonly #round: () => Promise<number>;
  #timer: Timer | undefined;
  #beating = false;
  #again = false;
  /** The ms after which an earlier heartbeat wanted the next one, if another heartbeat came in between. */
  #wanted = Infinity;
  #started = false;
  #stopped = false;

  /** `round` makes one heartbeat. It resolves with the ms after which the next one is useful, at most `period`. */
  constructor(timing: Timing, period: number, round: () => Promise<number>) {
    this.#timing = timing;
    this.#period = period;
    this.#round = round;
  }

  /** Starts the heartbeats. The first one comes after one period. */
  start(): void {
    this.#started = true;
    this.#schedule(this.#period);
  }

  /**
   * Makes a heartbeat now, once the heartbeats have started. If one is under way, another one follows it: the answer of the first may be older than the
   * state that the caller needs.
   */
  beat(): void {
    if (this.#stopped || !this.#started) return;
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
      // The lease ended, or the server refused. If the lease ended, the deadline notifies the holders.
      if (failure instanceof EngineError) next = Math.min(next, REFUSED_MS);
    }
    this.#beating = false;
    const again = this.#takeRequest();
    // An extra heartbeat does not replace the one that this heartbeat wants.
    this.#wanted = again ? next : Infinity;
    if (again) this.beat();
    else this.#schedule(Math.max(MIN_MS, next));
  }

  /** Whether another heartbeat was requested during this one. */
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
