// The tasks in line for a slot: higher priorities first, FIFO order within one priority.
//
// `take` skips cancelled tasks. While tasks of higher priorities keep coming, `take` may not reach a low priority for
// long. So cancelled tasks are also swept out when there are too many.

import type { PoolTask } from './pool-task.ts';

/** The tasks of one priority. */
interface Level {
  readonly priority: number;
  first: PoolTask | undefined;
  last: PoolTask | undefined;
}

/** The number by which cancelled tasks may outnumber waiting ones. */
const MAX_EXTRA = 64;

export class PriorityQueue {
  /** The highest priority first. No level is empty. */
  readonly #levels: Level[] = [];
  #length = 0;
  /** Cancelled tasks that are still linked. */
  #cancelled = 0;

  /** The number of tasks that still wait. */
  get length(): number {
    return this.#length;
  }

  add(task: PoolTask): void {
    if (this.#cancelled > this.#length + MAX_EXTRA) this.#sweep();
    append(this.#levelOf(task.settings.priority), task);
    this.#length += 1;
  }

  /** Records that a task in the line was cancelled. */
  noteCancelled(): void {
    this.#length -= 1;
    this.#cancelled += 1;
  }

  take(): PoolTask | undefined {
    for (;;) {
      const level = this.#levels[0];
      const task = level?.first;
      if (level === undefined || task === undefined) return undefined;
      level.first = task.next;
      task.next = undefined;
      if (level.first === undefined) this.#levels.shift();
      if (task.settled) {
        this.#cancelled -= 1;
        continue;
      }
      this.#length -= 1;
      return task;
    }
  }

  /** Unlinks the cancelled tasks. Its cost is in proportion to their number, because they outnumber the others. */
  #sweep(): void {
    this.#cancelled = 0;
    for (const level of this.#levels.splice(0)) {
      const kept: Level = { priority: level.priority, first: undefined, last: undefined };
      let task = level.first;
      while (task !== undefined) {
        const { next } = task;
        task.next = undefined;
        if (!task.settled) append(kept, task);
        task = next;
      }
      if (kept.first !== undefined) this.#levels.push(kept);
    }
  }

  #levelOf(priority: number): Level {
    // A linear search: few priorities are in use at one time.
    let at = 0;
    while ((this.#levels[at]?.priority ?? -Infinity) > priority) at += 1;
    const found = this.#levels[at];
    if (found?.priority === priority) return found;
    const level: Level = { priority, first: undefined, last: undefined };
    this.#levels.splice(at, 0, level);
    return level;
  }
}

function append(level: Level, task: PoolTask): void {
  if (level.last === undefined) level.first = task;
  else level.last.next = task;
  level.last = task;
}
