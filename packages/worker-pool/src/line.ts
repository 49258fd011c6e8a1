// Tasks in line for a slot: those with a higher priority first, and those of one priority in FIFO order. Cancelled tasks are skipped.

import type { Task } from './task.ts';

/** The tasks of one priority. */
interface Rank {
  readonly priority: number;
  first: Task | undefined;
  last: Task | undefined;
}

export class Line {
  /** The highest priority first. None is empty. */
  readonly #ranks: Rank[] = [];
  #length = 0;

  /** The number of tasks that still wait. */
  get length(): number {
    return this.#length;
  }

  add(task: Task): void {
    const rank = this.#rankOf(task.settings.priority);
    if (rank.last === undefined) rank.first = task;
    else rank.last.next = task;
    rank.last = task;
    this.#length += 1;
  }

  /** A task in the line was cancelled. */
  forget(): void {
    this.#length -= 1;
  }

  take(): Task | undefined {
    for (;;) {
      const rank = this.#ranks[0];
      const task = rank?.first;
      if (rank === undefined || task === undefined) return undefined;
      rank.first = task.next;
      task.next = undefined;
      if (rank.first === undefined) this.#ranks.shift();
      if (task.settled) continue;
      this.#length -= 1;
      return task;
    }
  }

  #rankOf(priority: number): Rank {
    // Few priorities are in use at one time.
    let at = 0;
    while ((this.#ranks[at]?.priority ?? -Infinity) > priority) at += 1;
    const found = this.#ranks[at];
    if (found?.priority === priority) return found;
    const rank: Rank = { priority, first: undefined, last: undefined };
    this.#ranks.splice(at, 0, rank);
    return rank;
  }
}
