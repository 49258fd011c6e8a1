// @ts-check
// The keyed mutex: two keys whose owners are counted, and keys that come and go.
import { hasCode } from '@sluice/core';
import { KeyedMutex } from '@sluice/named';
import { Census } from '../census.mjs';
import { lockVisitor, repair } from './locks.mjs';
import { unless } from './subject.mjs';

/** @import { AfterDeath } from '@sluice/named' */
/** @import { Place, Subject } from './subject.mjs' */

/** Percentage of visits to keys of which nearly all are free. */
const PASSING = 20;
const PASSING_KEYS = 200;

/** @param {Place} place @param {0 | 1} side */
function checksOf(place, side) {
  const census = new Census(place.words, { ...place, side });
  return {
    begin: () => {
      census.add(1);
      census.expect(census.total, 1);
    },
    look: () => census.expect(census.total, 1),
    end: () => census.remove(1),
  };
}

class KeyedVisitor {
  #keyed;
  #place;
  #counted;

  /** @param {KeyedMutex} keyed @param {Place} place */
  constructor(keyed, place) {
    this.#keyed = keyed;
    this.#place = place;
    const visitorAt = (/** @type {0 | 1} */ side) =>
      lockVisitor(keyed.at(`counted ${side}`), place, { checks: checksOf(place, side) });
    this.#counted = [visitorAt(0), visitorAt(1)];
  }

  async visit() {
    const { random } = this.#place;
    if (!random.chance(PASSING)) return random.pick(this.#counted).visit();
    for (let left = random.between(1, 50); left > 0; left--) this.#pass(`passing ${random.below(PASSING_KEYS)}`);
  }

  /** @param {string} key */
  #pass(key) {
    this.#place.count('operations');
    try {
      if (this.#keyed.tryLock(key)) this.#keyed.unlock(key);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      this.#place.count('inherited');
      failure.guard?.markConsistent();
      failure.guard?.release();
    }
  }
}

/** @param {string} name @param {AfterDeath} ownerDied @returns {Subject} */
function keyedMutex(name, ownerDied) {
  return {
    name,
    group: 'named',
    covers: ['KeyedMutex'],
    blocks: 1,
    create: (arena) => {
      const made = KeyedMutex.create({ arena, name, ownerDied });
      return {
        handles: made.handle,
        problems: async () => {
          for (const { key } of made.inspect().keys) await repair(made.at(key));
          return unless(name, made.inspect().keys, []);
        },
        free: () => made.free(),
      };
    },
    open: (handles, place) => new KeyedVisitor(KeyedMutex.from(/** @type {never} */ (handles)), place),
  };
}

/** @type {readonly Subject[]} */
export const KEYED = [keyedMutex('KeyedMutex', 'notify'), keyedMutex('KeyedMutex(forget)', 'forget')];
