// Bookings. A booking takes permits for a later time. Unused permits can be given back before that time.

import type { WaitOptions } from '@sluice/core';
import { OVERFLOW, SHUT, TAKEN, WAITING } from '@sluice/core/format';
import { checkNotFreed, type PrimitiveErrors, type BlockRef } from '@sluice/core/internal';
import { AT_HEAD, NOT_IN_LINE, type Booking, type Bucket } from './bucket.ts';
import type { RateLimiterLine } from './rate-limiter-line.ts';
import { Reservation, type Desk } from './reservation.ts';

export class Bookings {
  readonly #bucket: Bucket;
  readonly #line: RateLimiterLine;
  readonly #ref: BlockRef;
  readonly #errors: PrimitiveErrors;

  constructor(bucket: Bucket, line: RateLimiterLine, ref: BlockRef, errors: PrimitiveErrors) {
    this.#bucket = bucket;
    this.#line = line;
    this.#ref = ref;
    this.#errors = errors;
  }

  /** Books permits that cost `cost` ticks. Blocks the thread while callers are in line, for at most `timeout` ms. */
  block(weight: number, cost: number, timeout: number): Reservation {
    let booked = this.#book(cost, NOT_IN_LINE);
    const bookAtHead = (): number => {
      booked = this.#book(cost, AT_HEAD);
      return 0;
    };
    if (booked === WAITING && !this.#line.block(bookAtHead, timeout)) throw this.#errors.timedOut(timeout, 0);
    return this.#reservationOf(weight, cost, booked);
  }

  /** Books permits as `block` does, without blocking the thread. The caller has checked `options`. */
  async wait(weight: number, cost: number, options: WaitOptions): Promise<Reservation> {
    let booked = this.#book(cost, NOT_IN_LINE);
    const bookAtHead = (): number => {
      booked = this.#book(cost, AT_HEAD);
      return 0;
    };
    if (booked === WAITING)
      return this.#line.wait(bookAtHead, options, () => this.#reservationOf(weight, cost, booked));
    const later = this.#ref.context.budget.spend();
    if (later !== undefined) await later;
    return this.#reservationOf(weight, cost, booked);
  }

  /**
   * Returns the value of ARRIVAL after the booking. Returns WAITING if other callers wait and this caller is not in
   * line.
   */
  #book(cost: number, since: typeof NOT_IN_LINE | typeof AT_HEAD): number {
    const booked = this.#bucket.book(cost, since);
    if (booked === SHUT) {
      this.#checkThere();
      throw this.#errors.closed();
    }
    if (booked === OVERFLOW) {
      throw new RangeError(
        `${this.#errors.toString()}: its bookings already reach as far as it can count, 17 years ahead. No permit was booked.`,
      );
    }
    return booked;
  }

  #reservationOf(weight: number, cost: number, booked: number): Reservation {
    return new Reservation(weight, this.#deskFor({ cost, booked }));
  }

  #deskFor(booking: Booking): Desk {
    return {
      untilDue: () => {
        this.#checkThere();
        return this.#bucket.untilDue(booking);
      },
      giveBack: () => this.#giveBack(booking),
      toString: () => this.#errors.toString(),
    };
  }

  #giveBack(booking: Booking): boolean {
    this.#checkThere();
    // The time of the booking has come: the caller may already have used the permits.
    if (this.#bucket.untilDue(booking) === 0) return false;
    if (this.#bucket.returnBooking(booking) !== TAKEN) return false;
    // Lost wake-up, returning side: the bucket first, then the look for a head. Pairs with `RateLimiterLine.block` and
    // `RateLimiterLine.wait`: the head enters the line, then reads the bucket (`attempt`) and sleeps. So either the head
    // sees the returned permits, or this call sees the head and wakes it. If this call looked first (the mutant
    // "cancel() checks for a head before it returns the booking"), a head could enter the line and read the bucket
    // between the look and the return.
    this.#line.hurry(this.#bucket.inLine > 0);
    return true;
  }

  #checkThere(): void {
    checkNotFreed(this.#ref, 'The rate limiter');
  }
}
