// Permits that are booked for a later time.

import { INSPECT, oneLine, refusePosting } from '@sluice/core/internal';

/** What a reservation needs of its limiter. */
export interface Desk {
  untilDue(): number;
  giveBack(): boolean;
  toString(): string;
}

/** The text says what to do instead of posting it. */
const NOT_POSTED = /* @__PURE__ */ Symbol('a reservation cannot be posted to another thread: post its delay');

/**
 * Permits that a `reserve` has booked. The caller waits `delay` ms and then acts, without asking again, or gives them
 * back with `cancel` before.
 *
 * ```ts run
 * import { RateLimiter } from '@sluice/limit';
 *
 * const mails = RateLimiter.create({ permits: 1, interval: 1000 });
 * console.log(mails.reserve().delay); // 0
 * const next = mails.reserve();
 * console.log(next.delay > 900, next.cancel(), next.cancel()); // true true false
 * ```
 */
export class Reservation {
  /** How many permits were booked. */
  readonly weight: number;
  /** How long after the call to act, in ms. 0: at once. */
  readonly delay: number;
  readonly #desk: Desk;
  #isOver = false;

  constructor(weight: number, desk: Desk) {
    refusePosting(this, NOT_POSTED);
    this.weight = weight;
    this.delay = desk.untilDue();
    this.#desk = desk;
  }

  /** How long from now to act, in ms. 0: the time has come. Throws `MisuseError` if the limiter was freed. */
  get remaining(): number {
    return this.#desk.untilDue();
  }

  /**
   * Returns the permits to the limiter before their time. Returns whether they went back. The waiter at the head of the
   * line can then take them.
   *
   * Returns `false` and changes nothing once the time has come (`remaining` is 0), because the caller may have acted
   * since. Also `false` if further permits were taken or booked since, because their times depend on these. A later
   * call can succeed after the later bookings were cancelled. Also `false` if the limiter is closed, or if the permits
   * went back before.
   */
  cancel(): boolean {
    if (this.#isOver) return false;
    this.#isOver = this.#desk.giveBack();
    return this.#isOver;
  }

  [INSPECT](): string {
    return oneLine('Reservation', () => ({
      of: this.#desk.toString(),
      weight: this.weight,
      remaining: this.remaining,
    }));
  }
}
