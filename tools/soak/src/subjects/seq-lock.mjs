// @ts-check
// The seq-lock: a number in several words. No value is torn, none is older than one that the thread has seen, and no
// update is lost.
import { hasCode } from '@sluice/core';
import { SeqLock } from '@sluice/seq-lock';
import { ownWords, unless } from './subject.mjs';

/** @import { SeqValue } from '@sluice/seq-lock' */
/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'SeqLock';
const BYTES = 32;
/** Of its own words: the updates that have made their new value. */
const UPDATES = 0;
const ABORT = new Error('aborted by the soak');

/** The number that all words have. @param {SeqValue} value */
function numberIn({ int32 }) {
  const [number = 0] = int32;
  if (int32.some((word) => word !== number)) throw new Error(`${NAME}: a value is torn: ${int32.join(' ')}`);
  return number;
}

class SeqLockVisitor {
  #lock;
  #place;
  #value;
  /** The newest number that this thread has seen. */
  #newest = 0;
  #increment;

  /** @param {SeqLock} lock @param {Place} place */
  constructor(lock, place) {
    this.#lock = lock;
    this.#place = place;
    const own = ownWords(place.words, place.subject);
    this.#increment = (/** @type {SeqValue} */ value) => {
      const next = (numberIn(value) + 1) | 0;
      value.int32.fill(next);
      Atomics.add(own, UPDATES, 1);
      return next;
    };
    this.#value = lock.read();
  }

  async visit() {
    const { random } = this.#place;
    const dice = random.below(100);
    if (dice < 50) for (let left = random.between(1, 200); left > 0; left--) this.#read();
    else if (dice < 80) for (let left = random.between(1, 20); left > 0; left--) this.#update();
    else await this.#burst(random.between(1, 40));
  }

  #read() {
    const { random, count } = this.#place;
    count('operations');
    if (random.chance(30)) {
      if (this.#lock.tryRead(this.#value)) this.#note(numberIn(this.#value));
    } else this.#note(numberIn(this.#lock.read(this.#value)));
  }

  #update() {
    const { random, count, mayBlock } = this.#place;
    count('operations');
    let next = 0;
    try {
      if (mayBlock && random.chance(50)) next = this.#lock.update(this.#increment);
      else if (
        !this.#lock.tryUpdate((value) => void (next = this.#increment(value)), mayBlock ? random.below(5) / 10 : 0)
      ) {
        count('timeouts');
        return;
      }
    } catch (failure) {
      this.#expectClosed(failure);
      return;
    }
    this.#note(next);
  }

  /** @param {number} calls */
  async #burst(calls) {
    const { random } = this.#place;
    const controller = new AbortController();
    const { signal } = controller;
    const all = Promise.all(
      Array.from({ length: calls }, () => (random.chance(30) ? this.#readLater() : this.#updateLater(signal))),
    );
    all.catch(() => undefined);
    if (random.chance(50)) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(ABORT);
    await all;
  }

  /** The thread may see a newer number before this one arrives. */
  async #readLater() {
    this.#place.count('operations');
    numberIn(await this.#lock.readAsync());
  }

  /** @param {AbortSignal} signal */
  async #updateLater(signal) {
    const { random, count } = this.#place;
    count('operations');
    try {
      await this.#lock.updateAsync(this.#increment, random.chance(50) ? { signal } : { timeout: random.below(4) });
    } catch (failure) {
      if (failure === ABORT) count('aborts');
      else if (hasCode(failure, 'SLUICE_TIMEOUT')) count('timeouts');
      else this.#expectClosed(failure);
    }
  }

  /** @param {number} number */
  #note(number) {
    if (((number - this.#newest) | 0) < 0) throw new Error(`${NAME}: ${number} came after ${this.#newest}`);
    this.#newest = number;
  }

  /** @param {unknown} failure */
  #expectClosed(failure) {
    if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    this.#place.count('closed');
  }
}

/** @type {Subject} */
export const SEQ_LOCK = {
  name: NAME,
  group: 'seq-lock',
  covers: [NAME],
  blocks: 1,
  create: (arena, own) => {
    const made = SeqLock.create({ arena, name: NAME, byteLength: BYTES });
    let deaths = 0;
    return {
      handles: made.handle,
      problems: () => {
        const { owner, waiters, closed } = made.inspect();
        const problems = unless(NAME, { owner, waiters, closed }, { owner: 0, waiters: [], closed: false });
        // Only a thread that died on the way to the end of its update has counted one that was not written.
        const lost = (Atomics.load(own, UPDATES) - numberIn(made.read())) | 0;
        return lost >= 0 && lost <= deaths
          ? problems
          : [...problems, `${NAME}: ${lost} updates were lost, after ${deaths} deaths`];
      },
      onDeath: () => void (deaths += 1),
      close: () => made.close(),
      free: () => made.free(),
    };
  },
  open: (handles, place) => new SeqLockVisitor(SeqLock.from(/** @type {never} */ (handles)), place),
};
