// The bucket of a rate limiter, as one agent sees it: the agent's clock, and loops around the steps of kernel/rate.ts.

import type { Clock } from '@sluice/core/calls';
import { RACED, type LineAddress } from '@sluice/core/format';
import { retryOrThrow, retryWhileRaced, type Kernel, type LineState, type BlockRef } from '@sluice/core/internal';
import { RATE_KERNEL, type RateSteps } from './kernel/kernel.ts';
import { ARRIVAL, LATEST } from './kernel/layout.ts';
import type { Rate } from './rate.ts';
import { TICKS_PER_MS } from './time.ts';

/** The `since` of a caller that is not in line. It takes and books nothing while a waiter is in line. */
export const NOT_IN_LINE = -1;
/** The `since` of a booking at the head of the line. It takes permits of a later time, so the value has no effect. */
export const AT_HEAD = 0;

/** A booking of permits. */
export interface Booking {
  readonly cost: number;
  /** The value of ARRIVAL after the booking, in ticks. */
  readonly booked: number;
}

export class Bucket {
  readonly rate: Rate;
  readonly #clock: Clock;
  readonly #base: number;
  /** The ticks by which this agent's clock is behind agreed time. */
  #behind = 0;
  readonly #ref: BlockRef;
  readonly #line: LineAddress;
  readonly #lineState: Pick<LineState, 'tag'>;
  readonly #address: number;
  readonly #kernel: Kernel & RateSteps;
  readonly #take: RateSteps['takeAtRate'];

  /**
   * `ref` is the line's block, `address` that of the words. `base` is the zero of agreed time, in ms of the clock.
   */
  constructor(
    ref: BlockRef,
    lineState: Pick<LineState, 'tag'>,
    address: number,
    rate: Rate,
    base: number,
    clock: Clock,
  ) {
    this.rate = rate;
    this.#clock = clock;
    this.#base = base;
    this.#ref = ref;
    this.#line = ref.address;
    this.#lineState = lineState;
    this.#address = address;
    this.#kernel = ref.context.addKernel(RATE_KERNEL);
    this.#take = this.#kernel.takeAtRate;
  }

  /**
   * Takes permits that cost `cost` ticks. Returns 0, or the number of ticks until they can be taken, or SHUT. `since` is
   * the time at which the caller joined the line. A caller that is not in line (NOT_IN_LINE) may get WAITING.
   */
  take(cost: number, since: number): number {
    const { tag } = this.#lineState;
    let left: number;
    let tries = 0;
    do left = this.#take(this.#line, tag, this.#address, this.#now(), cost, since);
    while (left === RACED && retryOrThrow(++tries));
    if (left > 0) this.#catchUp();
    return left;
  }

  /**
   * Books permits that cost `cost` ticks. Returns the value that `returnBooking` needs, or SHUT, or OVERFLOW. An agent
   * NOT_IN_LINE may get WAITING.
   */
  book(cost: number, since: typeof NOT_IN_LINE | typeof AT_HEAD): number {
    const { tag } = this.#lineState;
    return retryWhileRaced(() => this.#kernel.bookAtRate(this.#line, tag, this.#address, this.#now(), cost, since));
  }

  /**
   * Returns the permits of a booking. Returns TAKEN if they went back, WAITING if later permits depend on the booking,
   * and SHUT if the limiter is closed or freed.
   */
  returnBooking({ booked, cost }: Booking): ReturnType<RateSteps['returnToRate']> {
    const { tag } = this.#lineState;
    return retryWhileRaced(() => this.#kernel.returnToRate(this.#line, tag, this.#address, booked, cost));
  }

  /** Returns the ms until a booking may be used. 0: its time has come. */
  untilDue({ booked }: Booking): number {
    return Math.max(0, booked - this.rate.tolerance - this.agreed()) / TICKS_PER_MS;
  }

  /** Returns the ms until permits that cost `cost` ticks are available, if no other agent takes any. */
  untilFree(cost: number): number {
    const at = this.agreed();
    return Math.max(0, Math.max(this.#read(ARRIVAL), at) + cost - this.rate.tolerance - at) / TICKS_PER_MS;
  }

  /** The number of permits that could be taken if no waiter were in line. */
  get level(): number {
    const { tolerance, cost } = this.rate;
    const full = Math.max(0, this.#read(ARRIVAL) - this.agreed());
    return Math.max(0, Math.floor((tolerance - full) / cost));
  }

  /** The number of places in line, including the head and abandoned places. 0 if the line is free. */
  get inLine(): number {
    return Math.max(0, 1 - this.#kernel.balance(this.#line));
  }

  /** Returns agreed time now, in ticks. */
  agreed(): number {
    this.#catchUp();
    return this.#now();
  }

  #now(): number {
    return Math.floor((this.#clock() - this.#base) * TICKS_PER_MS) + this.#behind;
  }

  #read(word: number): number {
    return Number(this.#ref.context.words.load64(this.#address + word));
  }

  /**
   * Advances this agent's clock to agreed time. Agreed time does not advance by itself, so an agent whose clock is
   * behind would see no progress. It calls this before it waits, or reports a waiting time.
   */
  #catchUp(): void {
    const behind = this.#read(LATEST) - this.#now();
    if (behind > 0) this.#behind += behind;
  }
}
