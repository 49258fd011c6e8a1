// Tasks in line for a slot, in FIFO order. Cancelled tasks are skipped.

import type { Task } from './task.ts';

export class Line {
  #first: Task | undefined;
  #last: Task | undefined;
  #length = 0;

  /** The number of tasks that still wait. */
  get length(): number {
    return this.#length;
  }

  add(task: Task): void {
    if (this.#last === undefined) this.#first = task;
    else this.#last.next = task;
    this.#last = task;
    this.#length += 1;
  }

  /** A task in the line was cancelled. */
  forget(): void {
    this.#length -= 1;
  }

  take(): Task | undefined {
    for (;;) {
      const task = this.#first;
      if (task === undefined) return undefined;
      this.#first = task.next;
      if (this.#first === undefined) this.#last = undefined;
      if (task.settled) continue;
      this.#length -= 1;
      return task;
    }
  }
}
