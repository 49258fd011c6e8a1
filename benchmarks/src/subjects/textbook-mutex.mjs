// @ts-check

const UNLOCKED = 0;
const LOCKED = 1;
const CONTENDED = 2;

/**
 * The futex mutex that people write by hand: a compare-and-swap to lock, a third state for possible sleepers, and one
 * notify from the unlock of that state. It has no order, no timeout and no record of its owner.
 */
class TextbookMutex {
  #words;

  /** @param {SharedArrayBuffer} buffer */
  constructor(buffer) {
    this.#words = new Int32Array(buffer);
  }

  acquire() {
    if (Atomics.compareExchange(this.#words, 0, UNLOCKED, LOCKED) === UNLOCKED) return;
    while (Atomics.exchange(this.#words, 0, CONTENDED) !== UNLOCKED) Atomics.wait(this.#words, 0, CONTENDED);
  }

  release() {
    if (Atomics.exchange(this.#words, 0, UNLOCKED) === CONTENDED) Atomics.notify(this.#words, 0, 1);
  }
}

export function create() {
  return new SharedArrayBuffer(128);
}

/** @param {SharedArrayBuffer} handle */
export function open(handle) {
  return new TextbookMutex(handle);
}
