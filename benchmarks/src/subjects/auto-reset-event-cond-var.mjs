// @ts-check

/** @typedef {import('./subject.mjs').Lock} Lock */

const STATUS = 0;
const GIVEN = 1;
const SEQUENCE = 2;

/** A condition variable as people write it on `Atomics.wait`: a number that each notification changes. May wake for nothing. */
class ConditionVariable {
  #words;

  /** @param {Int32Array} words */
  constructor(words) {
    this.#words = words;
  }

  /** @param {Lock} mutex held */
  wait(mutex) {
    const sequence = Atomics.load(this.#words, SEQUENCE);
    mutex.release();
    Atomics.wait(this.#words, SEQUENCE, sequence);
    mutex.acquire();
  }

  notifyOne() {
    Atomics.add(this.#words, SEQUENCE, 1);
    Atomics.notify(this.#words, SEQUENCE, 1);
  }
}

/**
 * The auto-reset event as a mutex and a condition variable make it, after Preshing's class of this name: everything
 * happens inside the critical section. STATUS is 1: signalled; 0: not; -N: not, and N wait.
 */
export class AutoResetEventCondVar {
  #mutex;
  #words;
  #condition;

  /** @param {Lock} mutex @param {Int32Array} words */
  constructor(mutex, words) {
    this.#mutex = mutex;
    this.#words = words;
    this.#condition = new ConditionVariable(words);
  }

  static createWords() {
    return new Int32Array(new SharedArrayBuffer(128));
  }

  signal() {
    this.#mutex.acquire();
    const status = this.#words[STATUS] ?? 0;
    if (status < 1) {
      this.#words[STATUS] = status + 1;
      if (status < 0) {
        this.#words[GIVEN] = (this.#words[GIVEN] ?? 0) + 1;
        this.#condition.notifyOne();
      }
    }
    this.#mutex.release();
  }

  wait() {
    this.#mutex.acquire();
    const status = this.#words[STATUS] ?? 0;
    this.#words[STATUS] = status - 1;
    if (status < 1) {
      // Counted, since a wake-up alone proves nothing.
      while (this.#words[GIVEN] === 0) this.#condition.wait(this.#mutex);
      this.#words[GIVEN] = (this.#words[GIVEN] ?? 0) - 1;
    }
    this.#mutex.release();
  }
}
