// A lock as another library may have it: fast, and any running thread may overtake the sleeping ones.
const [FREE, LOCKED, CONTENDED] = [0, 1, 2];

export class FutexLock {
  #word;

  /** @param {Int32Array<SharedArrayBuffer>} word */
  constructor(word) {
    this.#word = word;
  }

  lock() {
    if (Atomics.compareExchange(this.#word, 0, FREE, LOCKED) === FREE) return;
    while (Atomics.exchange(this.#word, 0, CONTENDED) !== FREE) Atomics.wait(this.#word, 0, CONTENDED);
  }

  unlock() {
    if (Atomics.exchange(this.#word, 0, FREE) === CONTENDED) Atomics.notify(this.#word, 0, 1);
  }
}
