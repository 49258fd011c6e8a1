// Tasks in line for a slot: those with a higher priority first, and those of one priority in FIFO order. Cancelled tasks are skipped. While
// tasks of higher priorities keep coming, a rank may not be reached for long, so cancelled tasks are also swept out when they are too many.

import type { Task } from './task.ts';

/** The tasks of one priority. */
interface Rank {
  readonly priority: number;
  first: Task | undefined;
  last: Task | undefined;
}

/** How many more cancelled tasks than waiting ones may stay linked. */
const MOST_EXTRA = 64;

export class PriorityQueue {
  /** The highest priority first. None is empty. */
  readonly #ranks: Rank[] = [];
  #length = 0;
  /** Cancelled tasks that are still linked. */
  #cancelled = 0;

  /** The number of tasks that still wait. */
  get length(): number {
    return this.#length;
  }

  add(task: Task): void {
    if (this.#cancelled > this.#length + MOST_EXTRA) this.#sweep();
    append(this.#rankOf(task.settings.priority), task);
    this.#length += 1;
  }

  /** A task in the line was cancelled. */
  forget(): void {
    this.#length -= 1;
    this.#cancelled += 1;
  }

  take(): Task | undefined {
    for (;;) {
      const rank = this.#ranks[0];
      const task = rank?.first;
      if (rank === undefined || task === undefined) return undefined;
      rank.first = task.next;
      task.next = undefined;
      if (rank.first === undefined) this.#ranks.shift();
      if (task.settled) {
        this.#cancelled -= 1;
        continue;
      }
      this.#length -= 1;
      return task;
    }
  }

  /** Unlinks the cancelled tasks. It takes a time in proportion to their number, since there are more of them than of the others. */
  #sweep(): void {
    this.#cancelled = 0;
    for (const rank of this.#ranks.splice(0)) {
      const kept: Rank = { priority: rank.priority, first: undefined, last: undefined };
      let task = rank.first;
      while (task !== undefined) {
        const { next } = task;
        task.next = undefined;
        if (!task.settled) append(kept, task);
        task = next;
      }
      if (kept.first !== undefined) this.#ranks.push(kept);
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

function append(rank: Rank, task: Task): void {
  if (rank.last === undefined) rank.first = task;
  else rank.last.next = task;
  rank.last = task;
}
