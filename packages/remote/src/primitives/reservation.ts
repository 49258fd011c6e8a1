// A reservation: permits of a rate limiter that are booked for a later time.

import { INSPECT, consoleText, refusePosting } from '@sluice/core/calls';
import { TICKS_PER_MS } from '../line/rate.ts';
import type { Grant } from '../session/grant.ts';
import type { Timer, Timing } from '../engine/timing.ts';

/** A structured clone fails with this text, which tells the caller what to do instead. */
const NOT_POSTED = Symbol('a reservation cannot be posted to another thread: post its delay');

/**
 * Permits that a `reserve` has booked. The caller waits `delay` ms and then acts. Before that it can return the permits
 * with `cancel`.
 */
export class RemoteReservation {
  /** The number of booked permits. */
  readonly weight: number;
  /** The time from the server's answer to the moment to act, in ms. 0: act at once. */
  readonly delay: number;
  readonly #grant: Grant;
  readonly #timing: Timing;
  readonly #due: number;
  #canReturn = true;
  /** Until this timer rings, the server keeps the record of the booking. */
  readonly #timer: Timer | undefined;

  /** @internal */
  constructor(grant: Grant, weight: number, timing: Timing) {
    refusePosting(this, NOT_POSTED);
    this.weight = weight;
    this.delay = Number(grant.token) / TICKS_PER_MS;
    this.#grant = grant;
    this.#timing = timing;
    this.#due = timing.now() + this.delay;
    this.#timer = timing.after(this.delay + grant.session.lease, () => this.#end(), false);
  }

  /** The time from now to the moment to act, in ms, by the monotonic clock of this process. 0: act now. */
  get remaining(): number {
    return Math.max(0, this.#due - this.#timing.now());
  }

  /**
   * Returns the permits to the limiter before their time. The waiter at the head of the line can then take them.
   * Resolves with whether the permits went back.
   *
   * Resolves with `false` and changes nothing in these cases:
   *
   * - `remaining` is 0. The caller may already have acted.
   * - Permits were taken or booked after this booking. Their times depend on it. If the later bookings are cancelled, a
   *   later call of `cancel` can succeed.
   * - The permits were returned before, or the lease was lost.
   */
  async cancel(): Promise<boolean> {
    const { session, line, seq } = this.#grant;
    if (!this.#canReturn || this.remaining === 0 || session.ended !== undefined) return false;
    const answered = await session.call('unbook', [line.key, seq]).catch((failure: unknown) => {
      if (session.ended === undefined) throw failure;
      return undefined;
    });
    if (answered === undefined) return false;
    const { reply, again } = answered;
    const [answer] = reply;
    session.takeGrants(reply, 1);
    if (answer === 'kept' || !this.#close()) return false;
    session.forgotten(seq);
    // A repeated call gets this answer, too: its first attempt took the booking out of the server's records.
    return answer === 'returned' || again;
  }

  /** Closes the reservation. Returns whether it was open. */
  #close(): boolean {
    const wasOpen = this.#canReturn;
    this.#canReturn = false;
    this.#timer?.stop();
    return wasOpen;
  }

  #end(): void {
    if (this.#close()) this.#grant.session.forget(this.#grant.line, this.#grant.seq);
  }

  [INSPECT](): string {
    return consoleText('RemoteReservation', () => ({
      of: this.#grant.line.title,
      weight: this.weight,
      remaining: this.remaining,
    }));
  }
}
