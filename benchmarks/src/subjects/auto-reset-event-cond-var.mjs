// @ts-check

/** @typedef {import('./condition-variables.mjs').Monitor} Monitor */

const STATUS = 0;
const GIVEN = 1;

/**
 * The auto-reset event as a mutex and a condition variable make it, after Preshing's class of this name: everything
 * happens inside the critical section. STATUS is 1: signalled; 0: not; -N: not, and N wait.
 */
export class AutoResetEventCondVar {
  #monitor;
  #words;

  /** @param {Monitor} monitor with one condition @param {Int32Array} words */
  constructor(monitor, words) {
    this.#monitor = monitor;
    this.#words = words;
  }

  static createWords() {
    return new Int32Array(new SharedArrayBuffer(128));
  }

  signal() {
    this.#monitor.acquire();
    const status = this.#words[STATUS] ?? 0;
    if (status < 1) {
      this.#words[STATUS] = status + 1;
      if (status < 0) {
        this.#words[GIVEN] = (this.#words[GIVEN] ?? 0) + 1;
        this.#monitor.notifyOne(0);
      }
    }
    this.#monitor.release();
  }

  wait() {
    this.#monitor.acquire();
    const status = this.#words[STATUS] ?? 0;
    this.#words[STATUS] = status - 1;
    if (status < 1) {
      // Counted, since a wake-up alone proves nothing.
      while (this.#words[GIVEN] === 0) this.#monitor.wait(0);
      this.#words[GIVEN] = (this.#words[GIVEN] ?? 0) - 1;
    }
    this.#monitor.release();
  }
}
