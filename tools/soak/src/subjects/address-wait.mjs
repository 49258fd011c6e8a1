// @ts-check
// Waits for a change of a word, by each scheme. When the workers are to stop, the word is changed and signalled once: a
// lost wake-up stays lost.
import * as wait from '@sluice/address-wait';
import { hasCode } from '@sluice/core';
import { HALTED } from '../words.mjs';
import { ownWords } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'SharedWord';
/** Of its own words: what is written before the word is changed. */
const PAYLOAD = 0;
const TICKET = 7;

/** @param {wait.SharedWord} word */
function signalAll(word) {
  for (const key of [word, wait.keyOf(word, TICKET)]) {
    wait.addressSignal(key);
    wait.keySignal(key);
    wait.locationWakeAll(key);
  }
  wait.wakeByAddressAll(word);
}

/** @param {wait.SharedWord} word @param {Int32Array} own */
function change(word, own) {
  Atomics.add(own, PAYLOAD, 1);
  word.add(1);
  signalAll(word);
}

class WordVisitor {
  #word;
  #place;
  #own;

  /** @param {wait.SharedWord} word @param {Place} place */
  constructor(word, place) {
    this.#word = word;
    this.#place = place;
    this.#own = ownWords(place.words, place.subject);
  }

  async visit() {
    const { random, count, words, mayBlock } = this.#place;
    count('operations');
    if (random.chance(30)) {
      change(this.#word, this.#own);
      return;
    }
    const seen = this.#word.load();
    const holds = () => Atomics.load(words, HALTED) === 1 || this.#word.load() !== seen;
    const key = random.chance(30) ? wait.keyOf(this.#word, TICKET) : this.#word;
    if (mayBlock && random.chance(70)) this.#block(key, seen, holds);
    else await this.#await(key, seen, holds);
    const [now, payload] = [this.#word.load(), Atomics.load(this.#own, PAYLOAD)];
    if (payload - now < 0) throw new Error(`${NAME}: the word is ${now}, and what was written before it ${payload}`);
  }

  /** @param {wait.WaitKey} key @param {number} seen @param {() => boolean} holds */
  #block(key, seen, holds) {
    const { random, count } = this.#place;
    switch (random.below(7)) {
      case 0:
        wait.addressWaitUntil(key, holds);
        return;
      case 1:
        if (!wait.addressWaitUntil(key, holds, random.below(20) / 10)) count('timeouts');
        return;
      case 2:
        for (let sequence = wait.keyMonitor(key); !holds(); sequence = wait.keyMonitor(key))
          wait.keyWait(key, sequence);
        return;
      case 3:
        for (let sequence = -1; !holds(); ) sequence = wait.keyWaitLazy(key, sequence);
        return;
      case 4:
        while (!holds()) wait.locationWait(key);
        return;
      case 5:
        if (!holds() && !wait.locationWait(key, random.below(20) / 10)) count('timeouts');
        return;
      default:
        if (!holds() && !wait.waitOnAddress(this.#word, seen, random.chance(50) ? 50 : random.below(20) / 10))
          count('timeouts');
    }
  }

  /** @param {wait.WaitKey} key @param {number} seen @param {() => boolean} holds */
  async #await(key, seen, holds) {
    const { random, count } = this.#place;
    const controller = new AbortController();
    const options = () => (random.chance(30) ? { timeout: random.below(4) } : { signal: controller.signal });
    const waits = Array.from({ length: random.between(1, 20) }, () =>
      random.chance(20)
        ? wait.addressWaitUntilAsync(key, holds)
        : random.chance(40)
          ? wait.addressWaitUntilAsync(key, holds, options())
          : random.chance(50)
            ? wait.waitOnAddressAsync(this.#word, seen, options())
            : wait.keyWaitAsync(key, wait.keyMonitor(key), options()),
    );
    const settled = Promise.allSettled(waits);
    if (random.chance(50)) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(NAME);
    for (const result of await settled) {
      if (result.status === 'fulfilled') continue;
      if (result.reason === NAME) count('aborts');
      else if (hasCode(result.reason, 'SLUICE_TIMEOUT')) count('timeouts');
      else throw result.reason;
    }
  }
}

/** @type {Subject} */
export const SHARED_WORD = {
  name: NAME,
  group: 'address-wait',
  covers: ['SharedWord'],
  blocks: 1,
  create: (arena, own) => {
    const made = wait.SharedWord.create(0, { arena, name: NAME });
    let ticks = 0;
    return {
      handles: made.handle,
      tick: (isHalting) => {
        if (!isHalting && ticks++ % 10 === 0) change(made, own);
      },
      onHalt: () => change(made, own),
      problems: () => [],
      free: () => made.free(),
    };
  },
  open: (handles, place) => new WordVisitor(wait.SharedWord.from(/** @type {never} */ (handles)), place),
};
