// Which idle worker waits in the buffer's line. There is one post: the other idle workers sleep at the bell (bell.ts).
//
//   word      value                                        written by
//   post      number of the worker that has it; 0: none    the worker: CAS; the pool, once the worker has ended: CAS
//
// So a single task goes to the worker that was idle last, whose thread is warm, and the others sleep on.
//
// INVARIANT: a worker that leaves the post looks for tasks afterwards, and rings the bell if there are any. The pool rings it after it has put a
// task in, unless the post is taken and that task is the only one. So one of the two sees the other's write, and no task waits for a sleeper.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import type { Words } from '@sluice/core/internal';
import type { Bell } from './bell.ts';

type PostWords = Pick<Words, 'load32' | 'cas32'>;
/** The buffer of tasks. */
type Tasks = Pick<BoundedBuffer<Uint8Array>, 'length'>;

export class Post {
  readonly #words: PostWords;
  readonly #address: number;
  readonly #bell: Pick<Bell, 'ring'>;

  constructor(words: PostWords, address: number, bell: Pick<Bell, 'ring'>) {
    this.#words = words;
    this.#address = address;
    this.#bell = bell;
  }

  /** For the pool, which has put a task in. */
  announce(tasks: Tasks): void {
    // In this order: a worker leaves the post before it looks for further tasks.
    if (tasks.length > 1 || this.#words.load32(this.#address) === 0) this.#bell.ring();
  }

  /** Returns whether the worker has the post now. */
  take(worker: number): boolean {
    const seen = this.#words.cas32(this.#address, 0, worker);
    return seen === 0 || seen === worker;
  }

  /** For a worker that has waited in line, and may have had the post, or for the pool, once the worker has ended. */
  leave(worker: number, tasks: Tasks): void {
    this.#words.cas32(this.#address, worker, 0);
    if (tasks.length > 0) this.#bell.ring();
  }
}
