// What both tables share: a box office, where everything is decided, and one bouncer for each philosopher. A bouncer is
// a semaphore that has a permit only after the box office decided that its philosopher may eat.
import { Semaphore } from '@sluice/core';
import { ask, finish } from '../rule.mjs';

/** @typedef {import('../rule.mjs').Statuses} Statuses */
/** @typedef {import('@sluice/core').SemaphoreHandle[]} BouncerHandles */
/** @typedef {{ arena?: import('@sluice/core').Arena | undefined }} TableOptions */

/**
 * One visit to the box office: applies the change to the statuses as one indivisible step, and returns its result.
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
   * @param {() => void} [onWait] called after the box office told the philosopher to wait, before it waits
   */
  beginEating(philosopher, onWait) {
    if (this.#visit(ask, philosopher)) return;
    onWait?.();
    this.#bouncer(philosopher).acquire();
  }

  /** @param {number} philosopher that has eaten */
  endEating(philosopher) {
    for (const next of this.#visit(finish, philosopher)) this.#bouncer(next).release();
  }

  /** Permits that no philosopher has taken. While none waits, there are none. */
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
  // A waiting philosopher takes its permit and never releases it, so there is no holder to record.
  const options = { arena, recovery: false };
  return Array.from({ length: philosophers }, (_, index) => {
    return Semaphore.create(0, { ...options, name: `bouncer ${index}` }).handle;
  });
}
