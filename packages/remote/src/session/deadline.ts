// The end of a lease, by the clocks of this process.
//
// The lease is counted from the time when the renewing call was SENT, and ends after nine tenths of its length. The
// server counts from the time when it ran the call, which is later. Both clocks decide, because the monotonic clock may
// stand still while the machine sleeps.

import type { Timer, Timing } from '../engine/timing.ts';

/**
 * The part of the lease after which this process treats it as lost. The rest is a margin for clocks with different
 * rates.
 */
const OWN_PART = 0.9;

/** Both clocks at one moment. */
export type Moment = readonly [now: number, wall: number];

export class Deadline {
  readonly #timing: Timing;
  readonly #own: number;
  readonly #ring: () => void;
  #end = Infinity;
  #wallEnd = Infinity;
  #timer: Timer | undefined;

  /** `ring` is called after the end, in a turn of the event loop. */
  constructor(timing: Timing, lease: number, ring: () => void) {
    this.#timing = timing;
    this.#own = lease * OWN_PART;
    this.#ring = ring;
  }

  get moment(): Moment {
    return [this.#timing.now(), this.#timing.wall()];
  }

  /** The end by the wall clock. */
  get wall(): number {
    return this.#wallEnd;
  }

  /** Whether one of the clocks is past the end. Read this after each pause: the timer may not have run yet. */
  get passed(): boolean {
    const [now, wall] = this.moment;
    return now >= this.#end || wall >= this.#wallEnd;
  }

  /** Extends the lease after the server has renewed it, in answer to a call that was sent at `sent`. */
  extend([now, wall]: Moment): void {
    this.#end = now + this.#own;
    this.#wallEnd = wall + this.#own;
    this.#arm();
  }

  stop(): void {
    this.#timer?.stop();
  }

  #arm(): void {
    this.stop();
    this.#timer = this.#timing.after(this.#end - this.#timing.now(), () => this.#rang(), false);
  }

  /** A timer may ring a fraction of a ms before the end. Then another timer is needed to notify the holders. */
  #rang(): void {
    if (this.passed) this.#ring();
    else this.#arm();
  }
}
