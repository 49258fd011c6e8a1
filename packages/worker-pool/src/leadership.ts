// The Leader/Followers pattern: one idle worker, the leader, waits in the buffer's line. The other idle workers sleep
// on the event count (event-count.ts).
//
//   word      value                                        written by
//   leader    number of the worker that leads; 0: none     the worker: CAS; the pool, once the worker has ended: CAS
//
// A single task thus goes to the worker that became idle last, whose thread is warm. The others sleep on.
//
// INVARIANT: a worker resigns first and then looks for tasks; if there are any, it notifies. The pool puts a task in
// first and then reads `leader`; it notifies unless there is a leader and the task is the only one. So one of the two
// sees the other's write, and no task waits while all workers sleep.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import type { Words } from '@sluice/core/internal';
import type { EventCount } from './event-count.ts';

type LeaderWords = Pick<Words, 'load32' | 'cas32'>;
/** The buffer of tasks. */
type Tasks = Pick<BoundedBuffer<Uint8Array>, 'length'>;

export class Leadership {
  readonly #words: LeaderWords;
  readonly #address: number;
  readonly #eventCount: Pick<EventCount, 'notify'>;

  constructor(words: LeaderWords, address: number, eventCount: Pick<EventCount, 'notify'>) {
    this.#words = words;
    this.#address = address;
    this.#eventCount = eventCount;
  }

  /** Notifies a worker if the leader does not suffice. For the pool, after it has put a task in. */
  announce(tasks: Tasks): void {
    // In this order, and after the task is in. Pairs with `resign`, which writes the word before it looks for tasks.
    if (tasks.length > 1 || this.#words.load32(this.#address) === 0) this.#eventCount.notify();
  }

  /** Makes the worker the leader, if there is none. Returns whether the worker is the leader now. */
  tryTake(worker: number): boolean {
    const seen = this.#words.cas32(this.#address, 0, worker);
    return seen === 0 || seen === worker;
  }

  /**
   * Ends the worker's leadership, if it is the leader, and notifies if there are tasks. For a worker that has waited in
   * line, and for the pool once the worker has ended.
   */
  resign(worker: number, tasks: Tasks): void {
    this.#words.cas32(this.#address, worker, 0);
    if (tasks.length > 0) this.#eventCount.notify();
  }
}
