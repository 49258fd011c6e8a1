// @ts-check
// Step 2: a visit to the box office becomes one compare-and-swap. This is Preshing's AutoResetEvent.
import { Region, Semaphore } from '@sluice/core';

/** @import { RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @typedef {{ bouncer: SemaphoreHandle, words: RegionHandle }} BoxOfficeHandle */

/** 1: signalled; 0: not; -N: not, and N threads were sent to the bouncer. */
const STATUS = 0;

export class BoxOfficeEvent {
  #bouncer;
  #words;

  /** @param {Semaphore} bouncer @param {Region} region */
  constructor(bouncer, region) {
    this.#bouncer = bouncer;
    this.#words = region.int32;
    this.handle = { bouncer: bouncer.handle, words: region.handle };
  }

  static create() {
    return new BoxOfficeEvent(Semaphore.create(0, { recovery: false }), Region.create(4));
  }

  /** @param {BoxOfficeHandle} handle */
  static from({ bouncer, words }) {
    return new BoxOfficeEvent(Semaphore.from(bouncer), Region.from(words));
  }

  signal() {
    let before = Atomics.load(this.#words, STATUS);
    for (;;) {
      // Write even if the event is signalled already: a thread that waits later must see this thread's earlier writes.
      const seen = Atomics.compareExchange(this.#words, STATUS, before, Math.min(before + 1, 1));
      if (seen === before) break;
      before = seen;
    }
    if (before < 0) this.#bouncer.release();
  }

  wait() {
    if (Atomics.sub(this.#words, STATUS, 1) < 1) this.#bouncer.acquire();
  }
}
