// Permits of a rate limiter that are booked for a later time.

import { INSPECT, oneLine, refusePosting } from '@sluice/core/internal';
import { TICKS_PER_MS } from './rate.ts';
import type { Grant } from './grant.ts';
import type { Timer, Timing } from './timing.ts';

/** The text says what to do instead of posting it. */
const NOT_POSTED = Symbol('a reservation cannot be posted to another thread: post its delay');

/**
 * Permits that a `reserve` has booked. The caller waits `delay` ms and then acts, without asking again, or gives them
 * back with `cancel` before.
 */
export class RemoteReservation {
  /** How many permits were booked. */
  readonly weight: number;
  /** How long after the answer of the server to act, in ms. 0: at once. */
  readonly delay: number;
  readonly #grant: Grant;
  readonly #timing: Timing;
  readonly #due: number;
  #canReturn = true;
  /** Until it rings, the server knows what was booked. */
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

  /** How long from now to act, in ms, by the monotonic clock of this process. 0: the time has come. */
  get remaining(): number {
    return Math.max(0, this.#due - this.#timing.now());
  }

  /**
   * Returns the permits to the limiter before their time. Resolves with whether they went back. The waiter at the head
   * of the line can then take them.
   *
   * Resolves with `false` and changes nothing once the time has come (`remaining` is 0), because the caller may have
   * acted since. Also `false` if further permits were taken or booked since, because their times depend on these. A
   * later call can succeed after the later bookings were cancelled. Also `false` if the permits went back before, or if
   * the lease was lost.
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
    // The call that took it out of the server's records may have been sent again.
    return answer === 'returned' || again;
  }

  /** Returns whether it was open. */
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
    return oneLine('RemoteReservation', () => ({
      of: this.#grant.line.title,
      weight: this.weight,
      remaining: this.remaining,
    }));
  }
}
