// Decides which worker gets the next task, by the Leader/Followers pattern: one idle worker, the leader, gets it. The
// other idle workers sleep on the event count (event-count.ts).
//
//   word      value                                                      written by
//   leader    n: worker n leads and looks for tasks                      the worker: CAS; the pool: CAS
//             -n: worker n leads, and sleeps until a message comes
//             0: no worker leads
//
//   0 ▶ n       [tryTake]     an idle worker
//   n ▶ -n      [fallAsleep]  the leader, which then looks for tasks once more
//   -n ▶ n      [announce]    the pool, which then sends the message
//               [tryTake]     the leader, after a message or a timeout
//   ±n ▶ 0      [resign]      the leader; the pool, once worker n has ended
//
// A single task thus goes to the worker that became idle last, whose thread is warm. The others sleep on. A leader that
// blocks its thread (`atomics: 'sync'`) waits in the buffer's line instead, and its word stays n.
//
// INVARIANTS
//
//   1. A worker first resigns and then looks for tasks. If there are any, it notifies. The pool first puts a task in
//      and then reads `leader`. It notifies unless there is a leader and the task is the only one. So one of the two
//      sees the other's write, and no task waits while all workers sleep. If the worker looked first (the mutant "a
//      leader checks for tasks before it resigns instead of after it"), the pool could put a task in after that look,
//      read the old leader, and notify no worker. The worker would then resign and sleep.
//   2. The leader sets -n first, and then looks for tasks and whether the buffer is closed. The pool puts a task in, or
//      closes the buffer, first and then reads `leader`. So one of the two sees the other's write. If the leader did
//      not set -n (the mutant "a leader sleeps and does not say so"), the pool would find n and send no message.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import type { Words } from '@sluice/core/internal';
import type { PoolEventCount } from './event-count.ts';

type LeaderWords = Pick<Words, 'load32' | 'cas32'>;
type Tasks = Pick<BoundedBuffer<Uint8Array>, 'length'>;

export class Leadership {
  readonly #words: LeaderWords;
  readonly #address: number;
  readonly #eventCount: Pick<PoolEventCount, 'notify'>;

  constructor(words: LeaderWords, address: number, eventCount: Pick<PoolEventCount, 'notify'>) {
    this.#words = words;
    this.#address = address;
    this.#eventCount = eventCount;
  }

  /**
   * For the pool, after it has put a task in. Notifies a worker if the leader does not suffice. Returns the number of
   * the leader if it must be woken by a message, and 0 otherwise.
   */
  announce(tasks: Tasks): number {
    // In this order, and after the task is in. Pairs with `resign` and `fallAsleep`, which write the word before the
    // worker looks for tasks.
    const leader = this.#words.load32(this.#address);
    if (leader === 0 || tasks.length > 1) this.#eventCount.notify();
    return this.#wake(leader);
  }

  /** For the pool, after it has closed the buffer. Returns as `announce` does. */
  wake(): number {
    return this.#wake(this.#words.load32(this.#address));
  }

  #wake(leader: number): number {
    return leader < 0 && this.#words.cas32(this.#address, leader, -leader) === leader ? -leader : 0;
  }

  /** Makes the worker the leader, if there is none, and awake. Returns whether the worker is the leader now. */
  tryTake(worker: number): boolean {
    const seen = this.#words.cas32(this.#address, 0, worker);
    if (seen === -worker) this.#words.cas32(this.#address, -worker, worker);
    return seen === 0 || seen === worker || seen === -worker;
  }

  /** For the leader, before its last look for tasks: from now on the pool wakes it by a message. */
  fallAsleep(worker: number): void {
    this.#words.cas32(this.#address, worker, -worker);
  }

  /**
   * Ends the worker's leadership, if it is the leader, and notifies if there are tasks. For a worker that has waited for
   * a task, and for the pool once the worker has ended.
   */
  resign(worker: number, tasks: Tasks): void {
    // One attempt for each value is enough: the pool may wake a sleeping leader in between, but no other thread puts a
    // leader to sleep.
    if (this.#words.cas32(this.#address, -worker, 0) !== -worker) this.#words.cas32(this.#address, worker, 0);
    if (tasks.length > 0) this.#eventCount.notify();
  }
}
