// @ts-check
// The primitives of a run, as the main thread has them: made, visited, checked at rest, closed, and made anew.
import { ownWords } from './subjects/subject.mjs';
import { countAt } from './words.mjs';

/** @import { Arena } from '@sluice/core' */
/** @import { Random } from '@sluice/harness' */
/** @import { Opening } from './life.mjs' */
/** @import { Made, Subject } from './subjects/subject.mjs' */
/** @import { Ways } from './visit.mjs' */
/** @import { Count } from './words.mjs' */

/**
 * Percentage of primitives that are freed and made anew at a rest, and of those that have `close` that are closed
 * before it.
 */
const RENEWED = 10;
const CLOSED = 5;

/**
 * @typedef {{ subject: Subject, made: Made, generation: number, isClosed: boolean, visitor: { visit(): Promise<void> }
 *   | undefined }} Entry
 */

export class Primitives {
  /** How many were freed and made anew, and how many of these had been closed under load. */
  renewals = 0;
  closes = 0;
  #arena;
  #words;
  #random;
  #ways;
  /** @type {Entry[]} */
  #entries = [];

  /** @param {Arena} arena @param {Int32Array} words @param {Random} random @param {Ways} ways of the main thread */
  constructor(arena, words, random, ways) {
    this.#arena = arena;
    this.#words = words;
    this.#random = random;
    this.#ways = ways;
  }

  /** @param {readonly Subject[]} subjects */
  async create(subjects) {
    for (const [index, subject] of subjects.entries()) {
      const made = await subject.create(this.#arena, ownWords(this.#words, index), this.#counter(index));
      this.#entries.push({ subject, made, generation: 0, isClosed: false, visitor: undefined });
      this.#openHere(index);
    }
  }

  /** All that have agents, the run's first. */
  get arenas() {
    return [this.#arena, ...this.#entries.flatMap(({ made }) => (made.arena === undefined ? [] : [made.arena]))];
  }

  /** The primitives that workers open. @returns {Opening[]} */
  get openings() {
    return this.#entries.flatMap(({ subject, made, generation }, index) =>
      subject.open === undefined ? [] : [{ index, name: subject.name, generation, handles: made.handles }],
    );
  }

  /** Of threads that are a primitive's own. */
  get ownKills() {
    return this.#entries.reduce((sum, { made }) => sum + (made.kills?.() ?? 0), 0);
  }

  /** @param {number} index */
  at(index) {
    return this.#entries[index];
  }

  /** @param {boolean} isHalting */
  tick(isHalting) {
    for (const { made } of this.#entries) made.tick?.(isHalting);
  }

  halt() {
    for (const { made } of this.#entries) made.onHalt?.();
  }

  /** Closes some while they are used. */
  closeSome() {
    for (const entry of this.#entries) {
      if (entry.made.close === undefined || !this.#random.chance(CLOSED)) continue;
      entry.made.close();
      entry.isClosed = true;
    }
  }

  /**
   * The differences from a state at rest.
   * @param {(what: string) => void} begin called before each check
   * @returns {Promise<string[]>}
   */
  async problems(begin) {
    const problems = [];
    for (const { subject, made, isClosed } of this.#entries) {
      begin(`the check of ${subject.name}`);
      if (!isClosed) problems.push(...(await made.problems()));
    }
    const { elements, blocks, agents } = this.#arena.inspect();
    if (elements.waiting > 0) problems.push(`${elements.waiting} waits are in line`);
    for (const { subject } of this.#entries) {
      const found = blocks.filter(({ name }) => name === subject.name).length;
      if (found !== subject.blocks)
        problems.push(`${subject.name} has ${found} blocks, and should have ${subject.blocks}`);
    }
    // What is released after a close stays in the records.
    const closed = this.#entries.filter(({ isClosed }) => isClosed).map(({ subject }) => subject.name);
    for (const { agent, holds } of agents) {
      for (const { name, permits } of holds)
        if (!closed.includes(name)) problems.push(`agent ${agent} holds ${permits} of ${name}`);
    }
    return problems;
  }

  /** Frees some and makes them anew, and all that were closed. @param {(opening: Opening) => void} tell */
  async renewSome(tell) {
    for (const [index, entry] of this.#entries.entries()) {
      const { subject, made, isClosed } = entry;
      if (subject.blocks === 0 || !(isClosed || this.#random.chance(RENEWED))) continue;
      made.free();
      const own = ownWords(this.#words, index);
      own.fill(0);
      entry.made = await subject.create(this.#arena, own, this.#counter(index));
      entry.generation += 1;
      entry.isClosed = false;
      this.renewals += 1;
      if (isClosed) this.closes += 1;
      this.#openHere(index);
      tell({ index, name: subject.name, generation: entry.generation, handles: entry.made.handles });
    }
  }

  /** Frees all. */
  async end() {
    for (const { made } of this.#entries) await made.end?.();
    for (const { made } of this.#entries) made.free();
  }

  /** The main thread's own visitor. @param {number} index */
  #openHere(index) {
    const entry = this.#entries[index];
    if (entry?.subject.open === undefined) return;
    const { name } = entry.subject;
    const tools = {
      words: this.#words,
      random: this.#random.fork(),
      count: this.#counter(index),
      mayBlock: false,
      ways: this.#ways,
    };
    entry.visitor = entry.subject.open(entry.made.handles, { ...tools, name, subject: index, slot: 0 });
  }

  /** @param {number} index */
  #counter(index) {
    return (/** @type {Count} */ what, n = 1) => void Atomics.add(this.#words, countAt(index, what), n);
  }
}
