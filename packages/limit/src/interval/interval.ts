// One agent's view of the count of starts in an interval: its clock, and the loops around the steps of
// kernel/interval.ts.

import type { Clock } from '@sluice/core/calls';
import { RACED, type LineAddress } from '@sluice/core/format';
import { retryOrThrow, retryWhileRaced, type Kernel, type LineState, type BlockRef } from '@sluice/core/internal';
import { LIMIT_KERNEL, type LimitSteps } from '../kernel/kernel.ts';
import { CARRYING, NEXT, RING, SLIDING, WINDOW } from '../kernel/layout.ts';
import { partsOf, type IntervalReport, type IntervalTerms } from '../api/interval-terms.ts';
import { STARTED } from '../kernel/outcomes.ts';

/** The caller is not at the head of the line. It starts no call while another agent is in line. */
export const OUTSIDE = 0;
/** The caller is at the head of the line. */
export const AT_HEAD = 1;

/**
 * The longest time between the count of a call and its start, in ms. A call that starts later is counted again: its
 * thread may lose the core in between.
 */
const LATEST_START_MS = 1;
/** A call starts after this many confirmations, even if its thread lost the core after each of them. */
const MAX_CONFIRMATIONS = 8;

interface Starts {
  readonly startCount: number;
  /** The time at which the window began. With SLIDING, the time of the oldest start that counts. */
  readonly from: number;
}

export class Interval {
  readonly terms: IntervalTerms;
  readonly #clock: Clock;
  readonly #base: number;
  readonly #parts: number;
  /** The correction of this agent's clock, in parts. It is added, because the clock is behind those of other agents. */
  #behind = 0;
  readonly #ref: BlockRef;
  readonly #line: LineAddress;
  readonly #lineState: LineState;
  readonly #address: number;
  readonly #kernel: Kernel & LimitSteps;
  /** LATEST_START_MS, in parts. */
  readonly #slack: number;
  /** The time of the last counted start. `#index` is its index in RING. */
  #counted = 0;
  #index = 0;

  /**
   * `ref`: the block of the line. `address`: the address of the words. `base`: the zero of the limit's times, in ms
   * of the clock.
   */
  constructor(ref: BlockRef, lineState: LineState, address: number, terms: IntervalTerms, base: number, clock: Clock) {
    this.terms = terms;
    this.#clock = clock;
    this.#base = base;
    this.#parts = partsOf(terms);
    this.#ref = ref;
    this.#line = ref.address;
    this.#lineState = lineState;
    this.#address = address;
    this.#kernel = ref.context.addKernel(LIMIT_KERNEL);
    this.#slack = (LATEST_START_MS * this.#parts) / terms.interval;
  }

  /**
   * Counts a start for which the caller has a slot. Returns 0, or the ms until the call can start, or SHUT. An agent
   * OUTSIDE may get WAITING.
   *
   * `underWay`: how many slots the agent has for calls that have not started, this one included.
   */
  start(from: typeof OUTSIDE | typeof AT_HEAD, underWay: number): number {
    let left: number;
    let tries = 0;
    do left = this.#step(from, underWay);
    while (left === RACED && retryOrThrow(++tries));
    if (left <= STARTED) {
      this.#index = STARTED - left;
      return 0;
    }
    return this.#wait(left);
  }

  /** Returns the result that `start` would return for the only call under way, but counts nothing. */
  look(from: typeof OUTSIDE | typeof AT_HEAD): number {
    return this.#wait(retryWhileRaced(() => this.#step(from, 0)));
  }

  /**
   * Confirms the last count. Call it right before the function starts, after `start` and after all steps that may give
   * the core to another thread.
   *
   * If the count is older than LATEST_START_MS, its time advances to now. Returns 0. If the window has ended and the
   * next one is full, returns as `start` does.
   */
  confirm(underWay: number): number {
    for (let tries = 0; tries < MAX_CONFIRMATIONS; tries++) {
      const now = this.#now();
      if (now - this.#counted <= this.#slack || this.#isInWindow(now)) return 0;
      if (this.terms.mode === SLIDING && now - this.#counted <= this.#parts / 2) this.#move(now);
      else {
        const left = this.start(AT_HEAD, underWay);
        if (left !== 0) return left;
      }
    }
    return 0;
  }

  /** Whether the window of the last count has not ended. Always false with SLIDING. */
  #isInWindow(now: number): boolean {
    if (this.terms.mode === SLIDING) return false;
    const from = this.#latest();
    // A window that this agent began starts at the next whole part, so it may start later than this agent's time.
    return from < this.#counted + 1 && now < from + this.#parts;
  }

  /**
   * Advances the time of the last start. Call it within an interval after that start. After the interval, another start
   * may have its place.
   */
  #move(now: number): void {
    let tries = 0;
    while (this.#kernel.moveInRing(this.#address, this.#index, now) === RACED) retryOrThrow(++tries);
    this.#counted = now;
  }

  #wait(left: number): number {
    if (left <= 0) return left;
    this.#catchUp();
    return this.#ms(left);
  }

  report(): IntervalReport {
    const { interval, intervalCap, mode } = this.terms;
    const now = Math.max(this.#now(), this.#latest());
    const { startCount, from } = mode === SLIDING ? this.#inRing(now) : this.#inWindow(now);
    return {
      interval,
      intervalCap,
      strict: mode === SLIDING,
      carryoverIntervalCount: mode === CARRYING,
      startCount,
      opensIn: startCount < intervalCap ? 0 : this.#ms(from + this.#parts - now),
    };
  }

  #step(from: typeof OUTSIDE | typeof AT_HEAD, underWay: number): number {
    const { tag } = this.#lineState;
    const kernel = this.#kernel;
    const now = this.#now();
    this.#counted = now;
    if (this.terms.mode === SLIDING) return kernel.startInRing(this.#line, tag, this.#address, now, from, underWay);
    return kernel.startInWindow(this.#line, tag, this.#address, now, from, underWay);
  }

  /** Returns the number of starts in the window, 0 if it has ended, and the time at which it began. */
  #inWindow(now: number): Starts {
    const from = this.#latest();
    const starts = this.#read(WINDOW) - from * (this.terms.intervalCap + 1);
    return { startCount: now < from + this.#parts ? Math.max(0, starts) : 0, from };
  }

  /** Returns the number of starts in the last interval, and the time of the oldest one. */
  #inRing(now: number): Starts {
    const times = Array.from({ length: this.terms.intervalCap }, (_, place) => this.#read(RING + 8 * place)).filter(
      (time) => time > 0 && now < time + this.#parts,
    );
    return { startCount: times.length, from: times.reduce((oldest, time) => Math.min(oldest, time), now) };
  }

  /** Returns the latest time with which an agent has counted. */
  #latest(): number {
    const { intervalCap, mode } = this.terms;
    if (mode !== SLIDING) return Math.floor(this.#read(WINDOW) / (intervalCap + 1));
    const next = this.#ref.context.words.load32(this.#address + NEXT);
    // If an agent that counted a start has not increased NEXT yet, the time at NEXT is the latest one.
    return Math.max(this.#read(RING + 8 * next), this.#read(RING + 8 * ((next === 0 ? intervalCap : next) - 1)));
  }

  #read(word: number): number {
    return Number(this.#ref.context.words.load64(this.#address + word));
  }

  #ms(parts: number): number {
    return (parts * this.terms.interval) / this.#parts;
  }

  #now(): number {
    return ((this.#clock() - this.#base) * this.#parts) / this.terms.interval + this.#behind;
  }

  /**
   * Corrects this agent's clock, if it is behind the time with which another agent has counted. An agent calls this
   * when it has to wait. Without the correction the agent would wait until its own clock shows that time.
   *
   * That time was rounded up by less than 1, or with SLIDING by at most 1 for each start. The correction subtracts this
   * amount. Otherwise the clock of an agent whose starts are refused would gain the amount in each interval.
   */
  #catchUp(): void {
    const { intervalCap, mode } = this.terms;
    const behind = this.#latest() - (mode === SLIDING ? intervalCap : 1) - this.#now();
    if (behind > 0) this.#behind += behind;
  }
}
