// A reservation: permits that are booked for a later time.

import { INSPECT, consoleText, refusePosting } from '@sluice/core/calls';

/** The part of a limiter that a reservation uses. */
export interface Desk {
  untilDue(): number;
  giveBack(): boolean;
  toString(): string;
}

/** A structured clone fails with this text, which tells the caller what to do instead. */
const NOT_POSTED = /* @__PURE__ */ Symbol('a reservation cannot be posted to another thread: post its delay');

/**
 * Permits that a `reserve` has booked. The caller waits `delay` ms and then acts. Before that it can return the permits
 * with `cancel`.
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
  /** The number of booked permits. */
  readonly weight: number;
  /** The time from the call to the moment to act, in ms. 0: act at once. */
  readonly delay: number;
  readonly #desk: Desk;
  #isOver = false;

  constructor(weight: number, desk: Desk) {
    refusePosting(this, NOT_POSTED);
    this.weight = weight;
    this.delay = desk.untilDue();
    this.#desk = desk;
  }

  /**
   * The time from now to the moment to act, in ms. 0: act now.
   *
   * @throws {MisuseError} If the limiter was freed.
   */
  get remaining(): number {
    return this.#desk.untilDue();
  }

  /**
   * Returns the permits to the limiter before their time. The waiter at the head of the line can then take them.
   * Returns whether the permits went back.
   *
   * Returns `false` and changes nothing in these cases:
   *
   * - `remaining` is 0. The caller may already have acted.
   * - Permits were taken or booked after this booking. Their times depend on it. If the later bookings are cancelled, a
   *   later call of `cancel` can succeed.
   * - The limiter is closed.
   * - The permits were returned before.
   */
  cancel(): boolean {
    if (this.#isOver) return false;
    this.#isOver = this.#desk.giveBack();
    return this.#isOver;
  }

  [INSPECT](): string {
    return consoleText('Reservation', () => ({
      of: this.#desk.toString(),
      weight: this.weight,
      remaining: this.remaining,
    }));
  }
}
