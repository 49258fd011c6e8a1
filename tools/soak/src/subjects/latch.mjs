// @ts-check
// The latch: threads add to the count, claim their part and count it down; others wait for 0.
import { CountdownLatch } from '@sluice/barrier';
import { hasCode } from '@sluice/core';
import { nap } from '../words.mjs';
import { ownWords, unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'CountdownLatch';
/** A killed worker may leave a count that it had not claimed, until the next rest: no wait is longer. */
const LONGEST_MS = 250;
/**
 * Of its own words: counts that were added, that are about to be counted down, and workers that were killed, ever and
 * since the last rest.
 */
const ADDED = 0;
const DONE = 1;
const KILLED = 2;
const DEATHS = 3;

class LatchVisitor {
  #latch;
  #place;
  #own;

  /** @param {CountdownLatch} latch @param {Place} place */
  constructor(latch, place) {
    this.#latch = latch;
    this.#place = place;
    this.#own = ownWords(place.words, place.subject);
  }

  async visit() {
    const { random, mayBlock } = this.#place;
    if (random.chance(50)) {
      this.#work();
      return;
    }
    if (mayBlock && random.chance(70)) {
      for (let left = random.between(1, 10); left > 0; left--)
        this.#wait(random.chance(20) ? LONGEST_MS : random.below(10) / 10);
      return;
    }
    await Promise.all(Array.from({ length: random.between(1, 50) }, () => this.#await()));
  }

  #work() {
    const { random, words, mayBlock, count } = this.#place;
    count('operations');
    this.#latch.add();
    Atomics.add(this.#own, ADDED, 1);
    this.#latch.claim();
    if (mayBlock && random.chance(30)) nap(words, random.below(20) / 10);
    Atomics.add(this.#own, DONE, 1);
    this.#latch.done();
  }

  /** @param {number} timeoutMs */
  #wait(timeoutMs) {
    this.#place.count('operations');
    const added = Atomics.load(this.#own, ADDED);
    if (this.#latch.tryWait(timeoutMs)) this.#check(added);
    else this.#place.count('timeouts');
  }

  async #await() {
    const { count, random } = this.#place;
    count('operations');
    const added = Atomics.load(this.#own, ADDED);
    try {
      await this.#latch.waitAsync({ timeout: random.chance(10) ? LONGEST_MS : random.below(3) });
      this.#check(added);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      count('timeouts');
    }
  }

  /**
   * The count was 0 after the wait began: all that was added by then has been counted down, by its worker or by a
   * recovery.
   * @param {number} added
   */
  #check(added) {
    const done = Atomics.load(this.#own, DONE) + Atomics.load(this.#own, KILLED);
    if (done - added < 0)
      throw new Error(`${NAME}: a wait ended, and of ${added} counts only ${done} were counted down`);
  }
}

/** @type {Subject} */
export const LATCH = {
  name: NAME,
  group: 'barrier',
  covers: ['CountdownLatch'],
  blocks: 1,
  create: (arena, own) => {
    const made = CountdownLatch.create(0, { arena, name: NAME });
    return {
      handles: made.handle,
      onDeath: () => {
        Atomics.add(own, KILLED, 1);
        Atomics.add(own, DEATHS, 1);
      },
      problems: () => {
        const left = made.count;
        // Killed between `add` and `claim`.
        if (left > 0 && left <= Atomics.load(own, DEATHS)) made.done(left);
        Atomics.store(own, DEATHS, 0);
        const { count, claimedBy, waiters } = made.inspect();
        return unless(NAME, { count, claimedBy, waiters }, { count: 0, claimedBy: [], waiters: [] });
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => new LatchVisitor(CountdownLatch.from(/** @type {never} */ (handles)), place),
};
