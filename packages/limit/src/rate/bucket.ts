// The shared words that decide, as one agent sees them: its clock, and loops around the steps of kernel/rate.ts.

import {
  mayRetry,
  RACED,
  type Clock,
  type Kernel,
  type LineAddress,
  type LocalState,
  type Place,
} from '@sluice/core/internal';
import { RATE_KERNEL, type RateSteps } from './kernel.ts';
import { ARRIVAL, LATEST } from './kernel/layout.ts';
import type { Rate } from './rate.ts';
import { TICKS_PER_MS } from './time.ts';

/** The caller has no place in line, and takes nothing while a waiter has one. */
export const OUTSIDE = 0;
/** The caller is at the head of the line. */
export const AT_HEAD = 1;

/** Permits that were booked. */
export interface Booking {
  readonly cost: number;
  /** What the booking made of ARRIVAL, in ticks. */
  readonly booked: number;
}

export class Bucket {
  readonly rate: Rate;
  readonly #clock: Clock;
  readonly #base: number;
  /** Ticks that this agent's clock is behind agreed time. */
  #behind = 0;
  readonly #place: Place;
  readonly #line: LineAddress;
  readonly #localState: LocalState;
  readonly #address: number;
  readonly #kernel: Kernel & RateSteps;
  readonly #take: RateSteps['takeAtRate'];

  /** `place`: the line's. `address`: of the words. `base`: where agreed time begins, in ms of the clock. */
  constructor(place: Place, localState: LocalState, address: number, rate: Rate, base: number, clock: Clock) {
    this.rate = rate;
    this.#clock = clock;
    this.#base = base;
    this.#place = place;
    this.#line = place.address;
    this.#localState = localState;
    this.#address = address;
    this.#kernel = place.context.addKernel(RATE_KERNEL);
    this.#take = this.#kernel.takeAtRate;
  }

  /**
   * Takes permits of that cost: 0, or how many ticks later they can be taken, or SHUT, or WAITING for an agent OUTSIDE.
   */
  take(cost: number, from: typeof OUTSIDE | typeof AT_HEAD): number {
    const { tag } = this.#localState;
    let left: number;
    let tries = 0;
    do left = this.#take(this.#line, tag, this.#address, this.#now(), cost, from);
    while (left === RACED && mayRetry(++tries));
    if (left > 0) this.#catchUp();
    return left;
  }

  /** Books permits: what `returnBooking` needs, or SHUT, or OVERFLOW, or WAITING for an agent OUTSIDE. */
  book(cost: number, from: typeof OUTSIDE | typeof AT_HEAD): number {
    const { tag } = this.#localState;
    let booked: number;
    let tries = 0;
    do booked = this.#kernel.bookAtRate(this.#line, tag, this.#address, this.#now(), cost, from);
    while (booked === RACED && mayRetry(++tries));
    return booked;
  }

  /** TAKEN: returned. WAITING: later permits rest on the booking. SHUT. */
  returnBooking({ booked, cost }: Booking): ReturnType<RateSteps['returnToRate']> {
    const { tag } = this.#localState;
    let returned: ReturnType<RateSteps['returnToRate']>;
    let tries = 0;
    do returned = this.#kernel.returnToRate(this.#line, tag, this.#address, booked, cost);
    while (returned === RACED && mayRetry(++tries));
    return returned;
  }

  /** Ms until a booking may be used; 0 if its time has come. */
  untilDue({ booked }: Booking): number {
    return Math.max(0, booked - this.rate.tolerance - this.#agreed()) / TICKS_PER_MS;
  }

  /** Ms until permits of that cost are there, if no other agent takes any. */
  untilFree(cost: number): number {
    const at = this.#agreed();
    return Math.max(0, Math.max(this.#read(ARRIVAL), at) + cost - this.rate.tolerance - at) / TICKS_PER_MS;
  }

  /** The permits that could be taken if no waiter were in line. */
  get level(): number {
    const { tolerance, cost } = this.rate;
    const full = Math.max(0, this.#read(ARRIVAL) - this.#agreed());
    return Math.max(0, Math.floor((tolerance - full) / cost));
  }

  /** How many waiters are in line, the head included, and places that were given up. 0 if the line is free. */
  get inLine(): number {
    return Math.max(0, 1 - this.#kernel.balance(this.#line));
  }

  #now(): number {
    return Math.floor((this.#clock() - this.#base) * TICKS_PER_MS) + this.#behind;
  }

  /** Agreed time, as of now. */
  #agreed(): number {
    this.#catchUp();
    return this.#now();
  }

  #read(word: number): number {
    return Number(this.#place.context.words.load64(this.#address + word));
  }

  /**
   * An agent whose clock is behind agreed time uses agreed time, which stands still while no other agent moves it. So
   * such an agent sets its clock whenever it has to wait, or says how long that takes.
   */
  #catchUp(): void {
    const behind = this.#read(LATEST) - this.#now();
    if (behind > 0) this.#behind += behind;
  }
}
