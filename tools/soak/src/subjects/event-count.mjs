// @ts-check
// The event count and the sequencer: threads draw tickets and advance the count; others wait for values.
import { EventCount, Sequencer } from '@sluice/classics';
import { hasCode } from '@sluice/core';
import { ownWords, unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'EventCount';
/** Workers are stopped between visits: no wait is longer. */
const LONGEST_MS = 250;
/** Of its own words: advances and tickets that were about to be made, and those that were made. */
const ADVANCES = 0;
const ADVANCED = 1;
const DRAWS = 2;
const DRAWN = 3;

class EventCountVisitor {
  #events;
  #tickets;
  #place;
  #own;
  #lastTicket = -1;

  /** @param {EventCount} events @param {Sequencer} tickets @param {Place} place */
  constructor(events, tickets, place) {
    this.#events = events;
    this.#tickets = tickets;
    this.#place = place;
    this.#own = ownWords(place.words, place.subject);
  }

  async visit() {
    const { random, mayBlock } = this.#place;
    if (random.chance(50)) {
      for (let left = random.between(1, 20); left > 0; left--) this.#work();
      return;
    }
    if (mayBlock && random.chance(70)) {
      for (let left = random.between(1, 10); left > 0; left--) this.#wait();
      return;
    }
    await Promise.all(Array.from({ length: random.between(1, 50) }, () => this.#await()));
  }

  #work() {
    const { random, count } = this.#place;
    count('operations');
    if (random.chance(50)) {
      Atomics.add(this.#own, DRAWS, 1);
      const ticket = this.#tickets.ticket();
      Atomics.add(this.#own, DRAWN, 1);
      if (ticket <= this.#lastTicket) throw new Error(`${NAME}: ticket ${ticket} after ${this.#lastTicket}`);
      this.#lastTicket = ticket;
      return;
    }
    const events = random.between(1, 3);
    Atomics.add(this.#own, ADVANCES, events);
    this.#events.advance(events);
    Atomics.add(this.#own, ADVANCED, events);
  }

  /** A value that comes soon, or has come. */
  #value() {
    return this.#events.read() + this.#place.random.below(4);
  }

  #wait() {
    const { random, count } = this.#place;
    count('operations');
    const value = this.#value();
    if (this.#events.tryAwait(value, random.chance(20) ? LONGEST_MS : random.below(10) / 10)) this.#check(value);
    else count('timeouts');
  }

  async #await() {
    const { random, count } = this.#place;
    count('operations');
    const value = this.#value();
    try {
      await this.#events.awaitAsync(value, { timeout: random.chance(10) ? LONGEST_MS : random.below(3) });
      this.#check(value);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      count('timeouts');
    }
  }

  /** @param {number} value for which a wait ended */
  #check(value) {
    const count = this.#events.read();
    if (count < value) throw new Error(`${NAME}: a wait for ${value} ended at ${count}`);
  }
}

/**
 * Whether a count lies between what was done and what was begun. A killed worker may have begun one more.
 * @param {number} count @param {number} done @param {number} begun
 */
const lies = (count, done, begun) => count >= done && count <= begun;

/** @type {Subject} */
export const EVENT_COUNT = {
  name: NAME,
  group: 'classics',
  covers: ['EventCount', 'Sequencer'],
  blocks: 2,
  create: (arena, own) => {
    const events = EventCount.create({ arena, name: NAME });
    const tickets = Sequencer.create({ arena, name: NAME });
    return {
      handles: [events.handle, tickets.handle],
      problems: () => {
        const { waiters } = events.inspect();
        const counted = lies(events.read(), Atomics.load(own, ADVANCED), Atomics.load(own, ADVANCES));
        const drawn = lies(tickets.inspect().next, Atomics.load(own, DRAWN), Atomics.load(own, DRAWS));
        return unless(NAME, { counted, drawn, waiters }, { counted: true, drawn: true, waiters: [] });
      },
      free: () => {
        events.free();
        tickets.free();
      },
    };
  },
  open: (handles, place) => {
    const [events, tickets] = /** @type {[never, never]} */ (handles);
    return new EventCountVisitor(EventCount.from(events), Sequencer.from(tickets), place);
  },
};
