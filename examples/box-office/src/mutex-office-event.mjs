// @ts-check
// Step 1: the condition variable moves out of the critical section and becomes a semaphore. The critical section is the
// box office, and the semaphore is the bouncer.
import { Region, Semaphore } from '@sluice/core';
import { Mutex } from '@sluice/mutex';

/** @import { RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { MutexHandle } from '@sluice/mutex' */
/** @typedef {{ mutex: MutexHandle, bouncer: SemaphoreHandle, words: RegionHandle }} MutexOfficeHandle */

/** 1: signalled; 0: not; -N: not, and N threads were sent to the bouncer. */
const STATUS = 0;

export class MutexOfficeEvent {
  #mutex;
  #bouncer;
  #words;

  /** @param {Mutex} mutex @param {Semaphore} bouncer @param {Region} region */
  constructor(mutex, bouncer, region) {
    this.#mutex = mutex;
    this.#bouncer = bouncer;
    this.#words = region.int32;
    this.handle = { mutex: mutex.handle, bouncer: bouncer.handle, words: region.handle };
  }

  static create() {
    // The permits are signals, which no thread gives back.
    return new MutexOfficeEvent(Mutex.create(), Semaphore.create(0, { recovery: false }), Region.create(4));
  }

  /** @param {MutexOfficeHandle} handle */
  static from({ mutex, bouncer, words }) {
    return new MutexOfficeEvent(Mutex.from(mutex), Semaphore.from(bouncer), Region.from(words));
  }

  signal() {
    this.#mutex.lock();
    const before = this.#words[STATUS] ?? 0;
    if (before < 1) this.#words[STATUS] = before + 1;
    this.#mutex.unlock();
    if (before < 0) this.#bouncer.release();
  }

  wait() {
    this.#mutex.lock();
    const before = this.#words[STATUS] ?? 0;
    this.#words[STATUS] = before - 1;
    this.#mutex.unlock();
    if (before < 1) this.#bouncer.acquire();
  }
}
