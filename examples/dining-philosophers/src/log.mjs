// The events of all philosophers, in shared memory. The clock is a counter: a thread that increments it gets an entry
// of its own.
//
//   int32 clock · int32 meals eaten · int32 entry ...          an entry: philosopher * 8 + event, never 0
import { Region } from '@sluice/core';

export const COMES = 1; //  before the visit to the box office
export const WAITS = 2; //  after it, when told to wait
export const EATS = 3; //   after beginEating
export const LEAVES = 4; // before endEating
const EVENTS_PER_MEAL = 4;

const CLOCK = 0;
const EATEN = 1;
const ENTRIES = 2;

/**
 * @param {number} event
 * @param {number} philosopher
 */
export const encode = (event, philosopher) => philosopher * 8 + event;

/** @param {number} entry */
export const decode = (entry) => ({ event: entry & 7, philosopher: entry >> 3 });

export class Log {
  #words;

  /** @param {import('@sluice/core').RegionHandle} handle */
  constructor(handle) {
    this.handle = handle;
    this.#words = Region.from(handle).int32;
  }

  /**
   * @param {number} meals of all philosophers together
   * @param {import('@sluice/core').Arena} arena
   */
  static create(meals, arena) {
    const words = ENTRIES + meals * EVENTS_PER_MEAL;
    return new Log(Region.create(words * Int32Array.BYTES_PER_ELEMENT, { arena, name: 'log' }).handle);
  }

  /**
   * @param {number} event
   * @param {number} philosopher
   */
  note(event, philosopher) {
    const place = ENTRIES + Atomics.add(this.#words, CLOCK, 1);
    this.#words[place] = encode(event, philosopher);
    if (event === LEAVES) Atomics.add(this.#words, EATEN, 1);
  }

  get eaten() {
    return Atomics.load(this.#words, EATEN);
  }

  /** All entries, in the order of the clock. Call it after the philosophers have ended. */
  entries() {
    return this.#words.slice(ENTRIES, ENTRIES + Atomics.load(this.#words, CLOCK));
  }
}
