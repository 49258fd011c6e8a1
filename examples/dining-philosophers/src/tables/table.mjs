// What both tables have in common: a box office, where everything is decided, and behind it one bouncer for each
// philosopher, a semaphore that has a permit only when the box office says that this one may eat.
import { Semaphore } from '@sluice/core';
import { ask, finish } from '../rule.mjs';

/** @typedef {import('../rule.mjs').Statuses} Statuses */
/** @typedef {import('@sluice/core').SemaphoreHandle[]} BouncerHandles */
/** @typedef {{ arena?: import('@sluice/core').Arena | undefined }} TableOptions */

/**
 * One visit to the box office: makes the change to the statuses, as one indivisible step, and answers what it answered.
 * @typedef {<T>(change: (statuses: Statuses, philosopher: number) => T, philosopher: number) => T} Visit
 */

export class Table {
  #bouncers;
  #visit;

  /**
   * @param {BouncerHandles} bouncers
   * @param {Visit} visit
   */
  constructor(bouncers, visit) {
    this.#bouncers = bouncers.map((handle) => Semaphore.from(handle));
    this.#visit = visit;
  }

  /**
   * Blocks until this philosopher eats.
   * @param {number} philosopher
   * @param {() => void} [onWait] called when it has been told to wait, before it does
   */
  beginEating(philosopher, onWait) {
    if (this.#visit(ask, philosopher)) return;
    onWait?.();
    this.#bouncer(philosopher).acquire();
  }

  /** @param {number} philosopher who eats */
  endEating(philosopher) {
    for (const next of this.#visit(finish, philosopher)) this.#bouncer(next).release();
  }

  /** Permits that nobody has taken: none, when nobody waits. */
  get permitsLeft() {
    return this.#bouncers.reduce((sum, { available }) => sum + available, 0);
  }

  /** @param {number} philosopher */
  #bouncer(philosopher) {
    const bouncer = this.#bouncers[philosopher];
    if (bouncer === undefined) throw new RangeError(`There is no philosopher ${philosopher}`);
    return bouncer;
  }
}

/**
 * @param {number} philosophers
 * @param {number} most
 * @param {TableOptions} options
 * @returns {BouncerHandles}
 */
export function createBouncers(philosophers, most, { arena }) {
  if (!Number.isInteger(philosophers) || philosophers < 2 || philosophers > most) {
    throw new RangeError(`A table is for 2 to ${most} philosophers: received ${philosophers}`);
  }
  // One who waits takes its permit and never gives it back: there is no holder to write down.
  const options = { arena, recovery: false };
  return Array.from({ length: philosophers }, (_, index) => {
    return Semaphore.create(0, { ...options, name: `bouncer ${index}` }).handle;
  });
}
