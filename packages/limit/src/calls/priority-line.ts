// The waiting calls of one agent, with a line for each priority that has calls. A call leaves in constant time, except
// for the search of its line.

import { LinkedCalls, type Linked } from './linked-calls.ts';

export interface Ranked<T> extends Linked<T> {
  readonly priority: number;
}

interface Rank<T extends Ranked<T>> {
  readonly priority: number;
  readonly line: LinkedCalls<T>;
}

export class PriorityLine<T extends Ranked<T>> {
  /** The highest priority first. None is empty, unless it is the only one. */
  readonly #ranks: Rank<T>[] = [];
  #size = 0;

  /** The oldest item of the highest priority. */
  get first(): T | undefined {
    return this.#ranks[0]?.line.first;
  }

  /** The oldest item of the lowest priority. */
  get lowest(): T | undefined {
    return this.#ranks.at(-1)?.line.first;
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#size === 0 && this.#ranks[0]?.priority !== item.priority) this.#ranks.length = 0;
    const at = this.#find(item.priority);
    if (this.#ranks[at]?.priority !== item.priority)
      this.#ranks.splice(at, 0, { priority: item.priority, line: new LinkedCalls() });
    this.#ranks[at]?.line.push(item);
    this.#size += 1;
  }

  remove(item: T): void {
    const at = this.#find(item.priority);
    const line = this.#ranks[at]?.line;
    line?.remove(item);
    if (line?.size === 0 && this.#ranks.length > 1) this.#ranks.splice(at, 1);
    this.#size -= 1;
  }

  all(): T[] {
    return this.#ranks.flatMap(({ line }) => line.all());
  }

  /** Returns the index of that priority, or the index at which it belongs. */
  #find(priority: number): number {
    let [from, to] = [0, this.#ranks.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#ranks[middle] as Rank<T>).priority > priority) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
