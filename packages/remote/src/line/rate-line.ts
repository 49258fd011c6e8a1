// The line of a rate limiter on the server.

import { MisuseError, type TimeoutError } from '@sluice/core';
import { plural } from '@sluice/core/calls';
import { RemotePrimitive } from './remote-primitive.ts';
import { TICKS_PER_MS, type RemoteRate } from './rate.ts';

/** Added to the permits of a wait that makes a booking for a later time. */
export const BOOKS = 2 ** 31;

export class RateLine extends RemotePrimitive {
  readonly rate: RemoteRate;
  override readonly isRate = true;

  /** `title`: of the rate of one key, whose `name` has the key. */
  constructor(name: string, rate: RemoteRate, title?: string) {
    const options = { permits: rate.burst, every: rate.cost, starts: 0, signal: true };
    super(title === undefined ? 't' : 'y', 'RateLimiter', name, title === undefined ? options : { ...options, title });
    this.rate = rate;
  }

  override timedOut(permits: number, ms: number): TimeoutError {
    return super.timedOut(permits % BOOKS, ms);
  }

  override refused([answer, burst = '', cost = '']: readonly string[]): Error {
    if (answer === 'far')
      return new RangeError(`${this.title}: the bookings would reach more than 4 years ahead. No permit was booked.`);
    const text = (permits: number, ticks: number): string =>
      `a burst of ${plural(permits, 'permit')} and one permit in ${ticks / TICKS_PER_MS} ms`;
    return new MisuseError(
      `${this.title} has ${text(Number(burst), Number(cost))} on the server, and this process made it with ${text(this.rate.burst, this.rate.cost)}. All processes must agree. No permit was taken.`,
    );
  }
}
