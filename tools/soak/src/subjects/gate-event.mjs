// @ts-check
// The manual-reset event: threads open and close it, one at a time; others wait until it is open.
import { hasCode } from '@sluice/core';
import { ManualResetEvent } from '@sluice/event';
import { ownWords, unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'ManualResetEvent';
/** The thread that would open it may be killed: no wait is longer. */
const LONGEST_MS = 250;
/**
 * Of its own words. It only grows, by one at each step below: modulo 4 it says how far the thread is that opens or
 * closes the event.
 */
const PHASE = 0;
const [CLOSED, OPENING, OPEN, CLOSING] = [0, 1, 2, 3];

class EventVisitor {
  #event;
  #place;
  #own;

  /** @param {ManualResetEvent} event @param {Place} place */
  constructor(event, place) {
    this.#event = event;
    this.#place = place;
    this.#own = ownWords(place.words, place.subject);
  }

  async visit() {
    const { random, mayBlock } = this.#place;
    if (random.chance(50)) {
      for (let left = random.between(1, 20); left > 0; left--) this.#change();
      return;
    }
    if (mayBlock && random.chance(70)) {
      for (let left = random.between(1, 10); left > 0; left--)
        this.#wait(random.chance(20) ? LONGEST_MS : random.below(10) / 10);
      return;
    }
    await Promise.all(Array.from({ length: random.between(1, 50) }, () => this.#await()));
  }

  #change() {
    const phase = Atomics.load(this.#own, PHASE);
    const at = phase & 3;
    if (at === OPENING || at === CLOSING) return;
    if (Atomics.compareExchange(this.#own, PHASE, phase, phase + 1) !== phase) return;
    this.#place.count('operations');
    if (at === CLOSED) this.#event.set();
    else if (!this.#event.reset())
      throw new Error(`${NAME}: it was closed by another thread than the one that closes it`);
    Atomics.store(this.#own, PHASE, phase + 2);
  }

  /** @param {number} timeoutMs */
  #wait(timeoutMs) {
    this.#place.count('operations');
    const phase = Atomics.load(this.#own, PHASE);
    const admitted = this.#event.tryWait(timeoutMs);
    if (!admitted) this.#place.count('timeouts');
    this.#check(phase, admitted);
  }

  async #await() {
    const { count, random } = this.#place;
    count('operations');
    const phase = Atomics.load(this.#own, PHASE);
    try {
      await this.#event.waitAsync({ timeout: random.chance(10) ? LONGEST_MS : random.below(3) });
      this.#check(phase, true);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      count('timeouts');
      this.#check(phase, false);
    }
  }

  /**
   * If the phase is still what it was before the wait, the event was open or closed all the time.
   * @param {number} phase
   * @param {boolean} admitted
   */
  #check(phase, admitted) {
    if (Atomics.load(this.#own, PHASE) !== phase) return;
    if (admitted && (phase & 3) === CLOSED)
      throw new Error(`${NAME}: a wait ended although it was closed all the time`);
    if (!admitted && (phase & 3) === OPEN)
      throw new Error(`${NAME}: a wait timed out although it was open all the time`);
  }
}

/** @type {Subject} */
export const GATE_EVENT = {
  name: NAME,
  group: 'event',
  covers: [NAME],
  blocks: 1,
  create: (arena, own) => {
    const made = ManualResetEvent.create({ arena, name: NAME });
    return {
      handles: made.handle,
      problems: () => {
        // A killed worker may have been between two phases.
        const phase = Atomics.load(own, PHASE);
        if ((phase & 3) === OPENING) made.set();
        if ((phase & 3) === CLOSING) made.reset();
        const settled = phase + (phase & 1);
        Atomics.store(own, PHASE, settled);
        const { isSet, waiters } = made.inspect();
        return unless(NAME, { isSet, waiters }, { isSet: (settled & 3) === OPEN, waiters: [] });
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => new EventVisitor(ManualResetEvent.from(/** @type {never} */ (handles)), place),
};
