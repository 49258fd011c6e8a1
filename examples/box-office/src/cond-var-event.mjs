// @ts-check
// The start: an auto-reset event of a mutex and a condition variable (Preshing's AutoResetEventCondVar).
import { Region } from '@sluice/core';
import { Condition, Mutex } from '@sluice/mutex';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { ConditionHandle, MutexHandle } from '@sluice/mutex' */
/** @typedef {{ mutex: MutexHandle, condition: ConditionHandle, words: RegionHandle }} CondVarHandle */

/** Words. STATUS: 1: signalled; 0: not; -N: not, and N threads wait. ADMITTED: waiters that may go on. */
const STATUS = 0;
const ADMITTED = 1;

export class AutoResetEventCondVar {
  #mutex;
  #condition;
  #words;

  /** @param {Mutex} mutex @param {Condition} condition @param {Region} region */
  constructor(mutex, condition, region) {
    this.#mutex = mutex;
    this.#condition = condition;
    this.#words = region.int32;
    this.handle = { mutex: mutex.handle, condition: condition.handle, words: region.handle };
  }

  static create() {
    const mutex = Mutex.create();
    return new AutoResetEventCondVar(mutex, Condition.create(mutex), Region.create(8));
  }

  /** @param {CondVarHandle} handle */
  static from({ mutex: handle, condition, words }) {
    const mutex = Mutex.from(handle);
    return new AutoResetEventCondVar(mutex, Condition.from(condition, mutex), Region.from(words));
  }

  signal() {
    const words = this.#words;
    this.#mutex.lock();
    const before = words[STATUS] ?? 0;
    if (before < 1) words[STATUS] = before + 1;
    if (before < 0) {
      words[ADMITTED] = (words[ADMITTED] ?? 0) + 1;
      this.#condition.notify(); // the last operation in the critical section
    }
    this.#mutex.unlock();
  }

  wait() {
    const words = this.#words;
    this.#mutex.lock();
    const before = words[STATUS] ?? 0;
    words[STATUS] = before - 1;
    if (before < 1) {
      // With the count, the last operation here, too.
      this.#condition.waitFor(() => words[ADMITTED] !== 0);
      words[ADMITTED] = (words[ADMITTED] ?? 0) - 1;
    }
    this.#mutex.unlock();
  }
}
