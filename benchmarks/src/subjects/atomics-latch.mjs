// @ts-check

/**
 * The latch that people write by hand: one word, a notify from the thread that brings it to 0. It has no rounds, no
 * timeout, no check of the count and no memory of the threads that owe a part.
 */
class AtomicsLatch {
  #words;

  /** @param {SharedArrayBuffer} buffer */
  constructor(buffer) {
    this.#words = new Int32Array(buffer);
  }

  /** @param {number} n */
  add(n) {
    Atomics.add(this.#words, 0, n);
  }

  done() {
    if (Atomics.sub(this.#words, 0, 1) === 1) Atomics.notify(this.#words, 0);
  }

  wait() {
    for (;;) {
      const count = Atomics.load(this.#words, 0);
      if (count === 0) return;
      Atomics.wait(this.#words, 0, count);
    }
  }
}

export function create() {
  return new SharedArrayBuffer(128);
}

/** @param {SharedArrayBuffer} handle */
export function open(handle) {
  return new AtomicsLatch(handle);
}
