// The box office is one word. A visit computes the next word, and stores it if the word has not changed since the visit
// began. Otherwise the visit begins again.
import { Region } from '@sluice/core';
import { MAX_IN_WORD, pack, unpack } from './packed-statuses.mjs';
import { createBouncers, Table } from './table.mjs';

/** @typedef {{ solution: 'lock-reduced', bouncers: import('./table.mjs').BouncerHandles,
 *   word: import('@sluice/core').RegionHandle }} LockReducedTableHandle */

export class LockReducedTable extends Table {
  #word;

  /** @param {LockReducedTableHandle} handle */
  constructor(handle) {
    const word = Region.from(handle.word).int32;
    const statuses = new Uint8Array(handle.bouncers.length); // This thread's, to calculate in.
    super(handle.bouncers, (change, philosopher) => {
      let seen = Atomics.load(word, 0);
      for (;;) {
        unpack(seen, statuses);
        const answer = change(statuses, philosopher);
        const found = Atomics.compareExchange(word, 0, seen, pack(statuses));
        if (found === seen) return answer;
        seen = found;
      }
    });
    this.handle = handle;
    this.#word = word;
  }

  /**
   * @param {number} philosophers 2 to 8
   * @param {import('./table.mjs').TableOptions} [options]
   */
  static create(philosophers, { arena } = {}) {
    const bouncers = createBouncers(philosophers, MAX_IN_WORD, { arena });
    const { handle: word } = Region.create(Int32Array.BYTES_PER_ELEMENT, { arena, name: 'box office' });
    return new LockReducedTable({ solution: 'lock-reduced', bouncers, word });
  }

  /** The statuses at this moment. */
  statuses() {
    /** @type {number[]} */
    const statuses = Array(this.handle.bouncers.length).fill(0);
    unpack(Atomics.load(this.#word, 0), statuses);
    return Promise.resolve(statuses);
  }
}
