// The worker that is killed in the middle of its work.
//
// The worker waits between two blocks until it is terminated. Node.js ends the whole process if a thread is terminated
// while it creates a compressor.
import { threadId } from 'node:worker_threads';

/**
 * Waits for the end if this thread is to be killed.
 * @param {Int32Array} victim
 */
export function waitIfVictim(victim) {
  if (Atomics.compareExchange(victim, 0, threadId, -threadId) !== threadId) return;
  Atomics.notify(victim, 0);
  Atomics.wait(victim, 0, -threadId);
}

/**
 * Kills the worker that reports the first results after a number of bytes: by then it packs the next file of its batch.
 */
export class Victim {
  /** The id of the thread to kill, its negative once that thread waits for its end, and otherwise 0. */
  shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** The id of the killed thread. @type {number | undefined} */
  thread;
  #due;
  #at = 0;
  /** @type {Promise<unknown>} */
  #end = Promise.resolve();

  /** @param {number} due bytes */
  constructor(due) {
    this.#due = due;
  }

  /**
   * @param {number} thread
   * @param {number} bytes
   * @param {readonly import('node:worker_threads').Worker[]} workers
   */
  look(thread, bytes, workers) {
    if (this.thread !== undefined || bytes < this.#due) return;
    const worker = workers.find(({ threadId }) => threadId === thread);
    if (worker === undefined) return;
    this.thread = thread;
    this.#at = bytes;
    this.#end = this.#kill(worker);
  }

  /** @param {number} total */
  share(total) {
    return this.#at / total;
  }

  /** Resolves when the worker has ended. No batch may be left: a worker that has none does not come to wait. */
  async gone() {
    const { shared, thread } = this;
    if (thread !== undefined && Atomics.compareExchange(shared, 0, thread, 0) === thread) Atomics.notify(shared, 0);
    await this.#end;
  }

  /** @param {import('node:worker_threads').Worker} worker */
  async #kill(worker) {
    const { threadId } = worker;
    Atomics.store(this.shared, 0, threadId);
    await Atomics.waitAsync(this.shared, 0, threadId).value;
    await worker.terminate();
  }
}
