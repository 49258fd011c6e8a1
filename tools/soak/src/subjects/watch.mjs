// @ts-check
// The watch cell: threads set values and read them, and wait for newer ones.
import { hasCode } from '@sluice/core';
import { WatchCell } from '@sluice/broadcast';
import { unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'WatchCell';
/** The threads that would set a value may all be waiting: no wait is longer. */
const LONGEST_MS = 50;
const MAX_BYTES = 256;

/** All bytes are alike, and say the length. @param {number} byte */
const valueOf = (byte) => new Uint8Array(1 + byte).fill(byte);

class WatchVisitor {
  #cell;
  #place;
  /** The newest version that this thread knows. */
  #version = 0;

  /** @param {WatchCell<Uint8Array>} cell @param {Place} place */
  constructor(cell, place) {
    this.#cell = cell;
    this.#place = place;
  }

  async visit() {
    const { random, mayBlock, count } = this.#place;
    if (random.chance(50)) {
      for (let left = random.between(1, 20); left > 0; left--) {
        count('operations');
        this.#note(this.#cell.set(valueOf(random.below(MAX_BYTES - 1))));
      }
      return;
    }
    if (mayBlock && random.chance(70)) {
      for (let left = random.between(1, 10); left > 0; left--) {
        count('operations');
        const value = this.#cell.tryChanged(random.chance(20) ? LONGEST_MS : random.below(10) / 10);
        if (value === undefined) count('timeouts');
        this.#check(value ?? this.#cell.get());
      }
      return;
    }
    await Promise.all(Array.from({ length: random.between(1, 50) }, () => this.#await()));
  }

  async #await() {
    const { count, random } = this.#place;
    count('operations');
    try {
      this.#check(await this.#cell.changedAsync({ timeout: random.chance(10) ? LONGEST_MS : random.below(3) }));
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      count('timeouts');
    }
  }

  /** @param {number} version of a value that this thread has set */
  #note(version) {
    if (version <= this.#version) throw new Error(`${NAME}: version ${version} came after ${this.#version}`);
    this.#version = version;
  }

  /** @param {Uint8Array} value */
  #check(value) {
    const [first = -1] = value;
    if (value.length !== 1 + first || value.some((byte) => byte !== first))
      throw new Error(`${NAME}: a value is torn: ${[...value].join(' ')}`);
  }
}

/** @type {Subject} */
export const WATCH = {
  name: NAME,
  group: 'watch',
  covers: [NAME],
  blocks: 1,
  create: (arena) => {
    const made = WatchCell.create(valueOf(0), { arena, name: NAME, codec: 'bytes', maxBytes: MAX_BYTES });
    return {
      handles: made.handle,
      problems: () => {
        // More sets than there are slots: a slot that a dead writer had would be missed.
        for (let n = 0; n < 20; n++) made.set(valueOf(n));
        return unless(NAME, { value: made.get()[0], waiters: made.inspect().waiters }, { value: 19, waiters: [] });
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => new WatchVisitor(WatchCell.from(/** @type {never} */ (handles)), place),
};
