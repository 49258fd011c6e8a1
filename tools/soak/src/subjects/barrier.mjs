// @ts-check
// The barrier: threads join, go through some generations together, and leave. No thread may be at work between two
// waits when a generation trips.
import { Barrier } from '@sluice/barrier';
import { hasCode } from '@sluice/core';
import { setImmediate as turn } from 'node:timers/promises';
import { nap } from '../words.mjs';
import { ownWords, unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'Barrier';
/**
 * Of its own words: actions and leaders of generations since the last rest; killed workers; for each slot whether its
 * party works.
 */
const ACTIONS = 0;
const LEADERS = 1;
const DEATHS = 2;
const BROKEN = 3;
const WORKS = 32;

class BarrierVisitor {
  #barrier;
  #place;
  #own;

  /** @param {unknown} handle @param {Place} place */
  constructor(handle, place) {
    this.#own = ownWords(place.words, place.subject);
    this.#place = place;
    this.#barrier = Barrier.from(/** @type {never} */ (handle), { action: () => actionOf(this.#own) });
  }

  async visit() {
    const { random, words, mayBlock, slot } = this.#place;
    this.#barrier.register();
    for (let left = random.between(1, 20); left > 0; left--) {
      Atomics.store(this.#own, WORKS + slot, 0);
      const tripped = mayBlock && random.chance(80) ? this.#block() : await this.#await();
      if (!tripped) continue;
      // Only now is it certain that the next generation counts this party.
      Atomics.store(this.#own, WORKS + slot, 1);
      if (mayBlock && random.chance(20)) nap(words, random.below(10) / 10);
      else if (random.chance(10)) await turn();
    }
    Atomics.store(this.#own, WORKS + slot, 0);
    this.#barrier.deregister();
  }

  #block() {
    const { random, count } = this.#place;
    count('operations');
    try {
      const result = random.chance(95) ? this.#barrier.wait() : this.#barrier.tryWait(random.below(20) / 10);
      if (result === undefined) count('timeouts');
      else if (result.leader) Atomics.add(this.#own, LEADERS, 1);
      return result !== undefined;
    } catch (failure) {
      return this.#mend(failure);
    }
  }

  async #await() {
    const { random, count } = this.#place;
    count('operations');
    try {
      const { leader } = await this.#barrier.waitAsync(random.chance(90) ? {} : { timeout: random.below(3) });
      if (leader) Atomics.add(this.#own, LEADERS, 1);
      return true;
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_TIMEOUT')) return this.#mend(failure);
      count('timeouts');
      return false;
    }
  }

  /** @param {unknown} failure */
  #mend(failure) {
    if (!hasCode(failure, 'SLUICE_BROKEN_BARRIER')) throw failure;
    this.#place.count('refused');
    Atomics.add(this.#own, BROKEN, 1);
    this.#barrier.mend();
    return false;
  }
}

/** All parties have arrived. @param {Int32Array} own */
function actionOf(own) {
  for (let slot = 0; WORKS + slot < own.length; slot++) {
    if (Atomics.load(own, WORKS + slot) !== 0)
      throw new Error(`${NAME}: a generation ended while the party of slot ${slot} was at work`);
  }
  Atomics.add(own, ACTIONS, 1);
}

/** @type {Subject} */
export const BARRIER = {
  name: NAME,
  group: 'barrier',
  covers: [NAME],
  blocks: 1,
  create: (arena, own) => {
    const made = Barrier.create(0, { arena, name: NAME, action: () => actionOf(own) });
    return {
      handles: made.handle,
      onDeath: (slot) => {
        Atomics.store(own, WORKS + slot, 0);
        Atomics.add(own, DEATHS, 1);
      },
      problems: () => {
        made.mend();
        const actions = Atomics.exchange(own, ACTIONS, 0);
        const leaders = Atomics.exchange(own, LEADERS, 0);
        // A leader that looked late, or was killed, is told that its generation broke, or nothing.
        const missing = Atomics.exchange(own, DEATHS, 0) + Atomics.exchange(own, BROKEN, 0);
        const fits = leaders <= actions && leaders + missing >= actions;
        const { parties, arrived, broken, claimedBy, waiters } = made.inspect();
        const expected = { parties: 0, arrived: 0, broken: undefined, claimedBy: [], waiters: [], leaders: actions };
        return unless(
          NAME,
          { parties, arrived, broken, claimedBy, waiters, leaders: fits ? actions : leaders },
          expected,
        );
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => new BarrierVisitor(handles, place),
};
