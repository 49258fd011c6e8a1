// @ts-check
// The read-write lock: each visit is on one of its sides.
import { hasCode } from '@sluice/core';
import { RwLock } from '@sluice/rw-lock';
import { Census } from '../census.mjs';
import { Visitor } from '../visit.mjs';
import { repair } from './locks.mjs';
import { unless } from './subject.mjs';

/** @import { Admission } from '../visit.mjs' */
/** @import { Place, Subject } from './subject.mjs' */

class Sides {
  #lock;
  #readers;
  #writers;

  /** @param {RwLock} lock @param {Place} place */
  constructor(lock, place) {
    this.#lock = lock;
    this.#readers = new Census(place.words, { ...place, side: 0 });
    this.#writers = new Census(place.words, { ...place, side: 1 });
  }

  /** @returns {Admission} */
  get reader() {
    const { reader } = this.#lock;
    return {
      ...this.#forms(reader),
      begin: () => {
        this.#readers.add(1);
        this.#checkReader();
      },
      look: () => this.#checkReader(),
      end: () => this.#readers.remove(1),
    };
  }

  /** @returns {Admission} */
  get writer() {
    const { writer } = this.#lock;
    return {
      ...this.#forms(writer),
      begin: () => {
        this.#writers.add(1);
        this.#checkWriter();
      },
      look: () => this.#checkWriter(),
      end: () => this.#writers.remove(1),
    };
  }

  /** Writes, then reads with no writer in between. */
  downgrade() {
    try {
      if (!this.#lock.writer.tryLock()) return;
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      failure.guard?.markConsistent();
      return failure.guard?.release();
    }
    this.#writers.add(1);
    this.#checkWriter();
    this.#writers.remove(1);
    this.#readers.add(1);
    const guard = this.#lock.downgrade();
    this.#checkReader();
    this.#readers.remove(1);
    guard.release();
  }

  /** @param {RwLock['reader'] | RwLock['writer']} side */
  #forms(side) {
    const { writer } = this.#lock;
    return {
      enter: () => side.lock(),
      tryEnter: (/** @type {number} */ _, /** @type {number} */ timeoutMs) => side.tryLock(timeoutMs),
      enterAsync: (/** @type {number} */ _, /** @type {import('@sluice/core').WaitOptions} */ options) =>
        side.lockAsync(options),
      leave: () => side.unlock(),
      takeOver: () => writer.takeOver(),
      takeOverAsync: () => writer.takeOverAsync(),
      most: 1,
    };
  }

  #checkReader() {
    this.#writers.expect(this.#writers.total, 0);
  }

  #checkWriter() {
    this.#writers.expect(this.#writers.total, 1);
    this.#readers.expect(this.#readers.total, 0);
  }
}

/** Percentage of visits by writers. */
const WRITERS = 40;

/** @param {'turns' | 'fifo'} order @returns {Subject} */
function rwLock(order) {
  const name = `RwLock(${order})`;
  return {
    name,
    group: 'rw-lock',
    covers: ['RwLock'],
    blocks: 1,
    create: (arena) => {
      const made = RwLock.create({ arena, name, order });
      return {
        handles: made.handle,
        problems: async () => {
          await repair(made.writer);
          const { writer, readers, consistency, waitingReaders, waitingWriters } = made.inspect();
          const rest = { writer: 0, readers: [], consistency: 'consistent', waitingReaders: [], waitingWriters: [] };
          return unless(name, { writer, readers, consistency, waitingReaders, waitingWriters }, rest);
        },
        free: () => made.free(),
      };
    },
    open: (handles, place) => {
      const sides = new Sides(RwLock.from(/** @type {never} */ (handles)), place);
      const [readers, writers] = [new Visitor(sides.reader, place), new Visitor(sides.writer, place)];
      return {
        visit: async () => {
          if (place.random.chance(5)) sides.downgrade();
          else await (place.random.chance(WRITERS) ? writers : readers).visit();
        },
      };
    },
  };
}

/** @type {readonly Subject[]} */
export const RW_LOCKS = [rwLock('turns'), rwLock('fifo')];
