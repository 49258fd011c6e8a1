// @ts-check
// What was counted: the workers count in shared words, which hold 32 bits, and the main thread adds them up now and
// then.
import { COUNTS, countAt } from './words.mjs';

/** @import { ReclaimReport } from '@sluice/core' */

/**
 * @typedef {Record<import('./words.mjs').Count, number> & { kills: number, permits: number, locks: number, buffers:
 *   number }} Row
 */

/** @returns {Row} */
const emptyRow = () => ({
  operations: 0,
  sleeps: 0,
  timeouts: 0,
  aborts: 0,
  refused: 0,
  inherited: 0,
  closed: 0,
  kills: 0,
  permits: 0,
  locks: 0,
  buffers: 0,
});

export class Tally {
  #words;
  #names;
  /** Of each primitive. */
  rows;
  /** Of all recoveries: agents, waits that left the line, chains of waiters that were finished. */
  recoveries = { agents: 0, waits: 0, chains: 0, pending: 0 };
  kills = 0;
  /** During no visit. */
  idleKills = 0;

  /** @param {Int32Array} words @param {readonly string[]} names */
  constructor(words, names) {
    this.#words = words;
    this.#names = names;
    this.rows = names.map(emptyRow);
  }

  /** Adds up what the threads counted since the last call. */
  collect() {
    for (const [index, row] of this.rows.entries()) {
      for (const count of COUNTS) row[count] += Atomics.exchange(this.#words, countAt(index, count), 0);
    }
  }

  /** @param {number} visiting index of a primitive, or -1 */
  died(visiting) {
    const row = this.rows[visiting];
    this.kills += 1;
    if (row === undefined) this.idleKills += 1;
    else row.kills += 1;
  }

  /** @param {ReclaimReport} report */
  recovered({ permits, locksOrphaned, buffersInterrupted, ticketsWithdrawn, chainsFinished, pending }) {
    this.recoveries.agents += 1;
    this.recoveries.waits += ticketsWithdrawn;
    this.recoveries.chains += chainsFinished;
    this.recoveries.pending += pending.length;
    for (const { name, permits: n } of permits) this.#add(name, 'permits', n);
    for (const { name } of locksOrphaned) this.#add(name, 'locks', 1);
    for (const { name } of buffersInterrupted) this.#add(name, 'buffers', 1);
  }

  get total() {
    const total = emptyRow();
    for (const row of this.rows)
      for (const key of /** @type {(keyof Row)[]} */ (Object.keys(row))) total[key] += row[key];
    return { ...total, kills: this.kills };
  }

  /** @param {string} name @param {'permits' | 'locks' | 'buffers'} what @param {number} n */
  #add(name, what, n) {
    const row = this.rows[this.#names.indexOf(name)];
    if (row !== undefined) row[what] += n;
  }
}
