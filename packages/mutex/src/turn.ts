// A turn at a mutex: the time for which agents that run may lock it again while others wait. Its successor measures it.

import { GRANT, LIMIT, mayRetry, OFFICE, RACED, type Patrol, type Place } from '@sluice/core/internal';
import type { MutexKernel } from './kinds.ts';
import { DUE, PASSES_LEFT, SUCCEEDS, SUCCEEDS_SINCE, SUCCESSOR } from './kernel/layout.ts';

/** How long a turn takes, at most: about fifty times the cost of waking the next agent. */
export const TURN_MS = 0.5;

/** What a waiter does that has become the successor: it sleeps until the turn is over, at most, and ends it. */
export function turnsAt({ context: { kernel, words, parking }, address }: Place): Patrol {
  const steps = kernel as MutexKernel;
  return {
    atEnd: true,
    nap(element) {
      if (words.get32(element + SUCCEEDS) === 0 || (words.load32(address + OFFICE + 4) & DUE) !== 0) return Infinity;
      // As a number of 32 bits, whose differences are right across the wrap. 0 means that it is not known yet.
      const now = (parking.now() * 1000) | 1;
      const since = words.get32(element + SUCCEEDS_SINCE);
      if (since === 0) words.put32(element + SUCCEEDS_SINCE, now);
      return since === 0 ? TURN_MS : Math.max(0, TURN_MS - ((now - since) | 0) / 1000);
    },
    look(element) {
      for (let tries = 1; steps.makeDue(element) === RACED; tries++) mayRetry(tries);
    },
  };
}

/** Passes before an owner first looks at the clock in a turn. */
const FIRST_LOOK = 8;
/** The length of a turn in passes moves by this share of the difference to what was measured: a single turn may be slow by chance. */
const GAIN = 1 / 8;
/** Before any turn was measured. */
const FIRST_LIMIT = 1000;
const MOST_PASSES = 1 << 24;

/** How many passes fit in a turn, after one of `passes` passes that took `tookMs`. `before`: what was assumed. */
export function adapted(before: number, passes: number, tookMs: number): number {
  const fitting = (passes * TURN_MS) / Math.max(tookMs, TURN_MS / 16);
  const step = (fitting - before) * GAIN;
  // Rounded away from `before`: otherwise it would stop four above or below the target.
  const next = before + (step < 0 ? Math.floor(step) : Math.ceil(step));
  return Math.min(Math.max(next, 1), MOST_PASSES);
}

/**
 * The turn as one agent sees it that runs. It looks at the clock about ten times in a turn. A turn also ends after as many passes as turns
 * have on average: otherwise an agent that is interrupted less often than others would get more than they do.
 */
export class OwnTurn {
  readonly #place: Place;
  /** GRANT during the turn. */
  #number = 0;
  #since = 0;
  /** The passes that PASSES_LEFT allowed for so far. */
  #allowed = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  /** All that it remembers. */
  get summary(): readonly number[] {
    return [this.#number, this.#since, this.#allowed];
  }

  /** Called by the owner before a contended unlock. Whether the turn is over. Otherwise it says when an owner looks next. */
  isOver(): boolean {
    const { context: { words, parking }, address } = this.#place;
    const now = parking.now();
    const begins = (words.load32(address + OFFICE + 4) & SUCCESSOR) === 0;
    const number = (words.load32(address + GRANT) + (begins ? 1 : 0)) | 0;
    const limit = words.get32(address + LIMIT) || FIRST_LIMIT;
    if (begins || number !== this.#number) {
      this.#number = number;
      this.#since = now;
      this.#allow(0, Math.min(FIRST_LOOK, limit));
      return false;
    }
    const took = now - this.#since;
    const passes = this.#allowed - words.get32(address + PASSES_LEFT);
    if (took >= TURN_MS || passes >= limit) {
      words.put32(address + LIMIT, adapted(limit, passes, took));
      return true;
    }
    this.#allow(passes, Math.max(1, Math.min(2 * passes, limit - passes)));
    return false;
  }

  #allow(passes: number, more: number): void {
    this.#allowed = passes + more;
    this.#place.context.words.put32(this.#place.address + PASSES_LEFT, more);
  }
}
