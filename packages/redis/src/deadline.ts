// When a lease ends, by the clocks of this process.
//
// It counts from when the renewing call was SENT, and ends at nine tenths of the lease: the server counts from when it
// ran the call, which is later. Both clocks decide: the monotonic one may stand still while the machine sleeps.

import type { Timer, Timing } from './timing.ts';

/** The part of the lease after which it counts as lost here. The rest is the margin for clocks of different rates. */
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

  /** When it ends by the clock on the wall. */
  get wall(): number {
    return this.#wallEnd;
  }

  /** Whether one of the clocks is past the end. Ask after each pause: the timer may not have run yet. */
  get passed(): boolean {
    const [now, wall] = this.moment;
    return now >= this.#end || wall >= this.#wallEnd;
  }

  /** The server has renewed the lease, in answer to a call that was sent at `sent`. */
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

  /** A timer may ring a fraction of a ms before the end. Without another one the holder would never be told. */
  #rang(): void {
    if (this.passed) this.#ring();
    else this.#arm();
  }
}
