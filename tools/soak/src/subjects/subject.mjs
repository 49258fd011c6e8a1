// @ts-check
// What the soak knows of a primitive.
import { Census } from '../census.mjs';
import { Visitor } from '../visit.mjs';
import { OWN_WORDS, ownAt } from '../words.mjs';

/** @import { Arena } from '@sluice/core' */
/** @import { Admission, Tools } from '../visit.mjs' */

/** Where a thread visits a primitive. @typedef {Tools & { name: string, subject: number, slot: number }} Place */

/**
 * A primitive as the main thread made it.
 * @typedef {object} Made
 * @property {unknown} handles what other threads open
 * @property {() => Promise<string[]> | string[]} problems at rest: no worker visits it, and every killed worker is
 *   recovered
 * @property {() => void} free
 * @property {() => void} [close]
 * @property {() => Promise<void>} [end] of the run
 * @property {Arena} [arena] its own, if it has one
 * @property {() => number} [kills] of threads that are its own
 * @property {(slot: number) => void} [onDeath] a worker was killed, and is not recovered yet
 * @property {(isHalting: boolean) => void} [tick] the main thread does this all the time, also while the workers stop
 * @property {() => void} [onHalt] the workers were told to stop
 */

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} group the package that it is of
 * @property {readonly string[]} covers the exports that it uses
 * @property {number} blocks named blocks of the arena that it consists of
 * @property {(arena: Arena, own: Int32Array, count: Tools['count']) => Made | Promise<Made>} create `own`: its words
 * @property {(handles: unknown, place: Place) => { visit(): Promise<void> }} [open] none: only the main thread uses it
 */

/** @param {Int32Array} words @param {number} subject */
export const ownWords = (words, subject) => words.subarray(ownAt(subject), ownAt(subject) + OWN_WORDS);

/** The words into which the owner of a lock writes the number of its slot. */
const PAYLOAD = 32;
const PAYLOAD_WORDS = 16;

/** Whether two threads are inside at once shows in two places: in the census, and in bytes that each owner fills. */
class OneAtATime {
  #census;
  #payload;
  #stamp;
  #isReentrant;

  /** @param {Place} place @param {boolean} isReentrant the same thread may be inside several times */
  constructor(place, isReentrant) {
    this.#census = new Census(place.words, place);
    this.#payload = ownWords(place.words, place.subject).subarray(PAYLOAD, PAYLOAD + PAYLOAD_WORDS);
    this.#stamp = place.slot + 1;
    this.#isReentrant = isReentrant;
    this.name = place.name;
  }

  begin() {
    this.#census.add(1);
    this.#census.expect(this.#isReentrant ? this.#census.threads : this.#census.total, 1);
    this.#payload.fill(this.#stamp);
    this.look();
  }

  look() {
    for (const word of this.#payload) {
      if (word !== this.#stamp)
        throw new Error(`${this.name}: slot ${word - 1} wrote while slot ${this.#stamp - 1} was inside`);
    }
  }

  end() {
    this.look();
    this.#census.remove(1);
  }
}

/**
 * The checks of a primitive that lets `places` in at a time.
 * @param {Place} place @param {number} places @param {boolean} [isReentrant]
 * @returns {Pick<Admission, 'begin' | 'end' | 'look'>}
 */
export function checksOf(place, places, isReentrant = false) {
  if (places === 1) {
    const one = new OneAtATime(place, isReentrant);
    return { begin: () => one.begin(), look: () => one.look(), end: () => one.end() };
  }
  const census = new Census(place.words, place);
  return {
    begin: (n) => {
      census.add(n);
      census.expect(census.total, places);
    },
    end: (n) => census.remove(n),
  };
}

/** @param {Admission} admission @param {Place} place */
export const visitorOf = (admission, place) => new Visitor(admission, place);

/**
 * The problems that an inspection found.
 * @param {string} what
 * @param {unknown} actual
 * @param {unknown} expected
 * @returns {string[]}
 */
export function unless(what, actual, expected) {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  return a === e ? [] : [`${what} is ${a}, and should be ${e}`];
}
