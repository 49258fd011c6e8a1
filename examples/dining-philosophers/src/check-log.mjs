// Replays a log and reports what breaks the rules.
//
// The rule for overtaking: if a philosopher comes to the box office after a neighbour was told to wait there, it eats
// after that neighbour. So while a philosopher waits, each neighbour begins at most one meal, one that it had asked for
// before.
import { COMES, decode, EATS, LEAVES, WAITS } from './log.mjs';
import { neighbours } from './rule.mjs';

/** During one wait, the same neighbour begins at most this many meals. */
export const BOUND = 1;

const MAX_FAULTS = 20;

/** The events that may precede each event of a philosopher. @type {Record<number, number[]>} */
const LAST = { [COMES]: [LEAVES], [WAITS]: [COMES], [EATS]: [COMES, WAITS], [LEAVES]: [EATS] };
/** @type {Record<number, string>} */
const WORDS = { [COMES]: 'came', [WAITS]: 'waited', [EATS]: 'ate', [LEAVES]: 'had left' };

/** @typedef {ReturnType<typeof checkLog>} Findings */

/**
 * @param {Iterable<number>} entries
 * @param {{ philosophers: number, meals?: number | undefined }} dinner with `meals` if each philosopher was to eat that
 *   often
 */
export function checkLog(entries, { philosophers, meals }) {
  const replay = new Replay(philosophers);
  for (const entry of entries) replay.play(entry);
  replay.end(meals);
  return replay.findings();
}

class Replay {
  #time = 0;
  #mostPassed = 0;
  /** @type {string[]} */
  #faults = [];
  #places;

  /** @param {number} philosophers */
  constructor(philosophers) {
    this.#places = Array.from({ length: philosophers }, (_, index) => ({
      index,
      neighbours: [...new Set(neighbours(philosophers, index))],
      did: LEAVES,
      cameAt: 0,
      waitsSince: 0,
      meals: 0,
      waits: 0,
      /** Meals that a neighbour began during this wait. @type {Map<number, number>} */
      passed: new Map(),
    }));
  }

  /** @param {number} entry */
  play(entry) {
    this.#time++;
    const { event, philosopher } = decode(entry);
    const place = this.#places[philosopher];
    const last = LAST[event];
    if (place === undefined || last === undefined) {
      this.#fault(`${entry} is not an entry`);
      return;
    }
    if (!last.includes(place.did)) {
      this.#fault(`philosopher ${philosopher} ${WORDS[event]}, but last it ${WORDS[place.did]}`);
    }
    place.did = event;
    if (event === COMES) place.cameAt = this.#time;
    if (event === LEAVES) place.meals++;
    if (event === EATS) this.#eats(place);
    if (event === WAITS) {
      place.waits++;
      place.waitsSince = this.#time;
      place.passed.clear();
    }
  }

  /** @param {number | undefined} meals */
  end(meals) {
    for (const { index, did, meals: eaten } of this.#places) {
      if (did !== LEAVES) this.#fault(`at the end philosopher ${index} ${WORDS[did]}, and never left`);
      if (meals !== undefined && eaten !== meals) this.#fault(`philosopher ${index} ate ${eaten} of ${meals} meals`);
    }
  }

  findings() {
    const meals = this.#places.map((place) => place.meals);
    const waits = this.#places.map((place) => place.waits);
    return { faults: this.#faults, events: this.#time, meals, waits, mostPassed: this.#mostPassed };
  }

  /** @param {{ index: number, neighbours: number[], cameAt: number }} eater */
  #eats(eater) {
    for (const index of eater.neighbours) {
      const neighbour = this.#places[index];
      if (neighbour?.did === EATS) this.#fault(`philosophers ${index} and ${eater.index} ate together`);
      if (neighbour?.did !== WAITS) continue;
      const passed = (neighbour.passed.get(eater.index) ?? 0) + 1;
      neighbour.passed.set(eater.index, passed);
      this.#mostPassed = Math.max(this.#mostPassed, passed);
      if (eater.cameAt > neighbour.waitsSince) {
        this.#fault(`philosopher ${eater.index} ate before ${index}, which had waited when it came`);
      }
    }
  }

  /** @param {string} what */
  #fault(what) {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(`event ${this.#time}: ${what}`);
  }
}
