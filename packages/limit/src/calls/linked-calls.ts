// A linked list of the waiting calls of one agent, oldest first. Any call can leave in constant time.

export interface Linked<T> {
  before: T | undefined;
  behind: T | undefined;
}

export class LinkedCalls<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    item.before = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.behind = item;
    this.#last = item;
    this.#size += 1;
  }

  remove(item: T): void {
    const { before, behind } = item;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    item.before = item.behind = undefined;
    this.#size -= 1;
  }

  all(): T[] {
    const all: T[] = [];
    for (let item = this.#first; item !== undefined; item = item.behind) all.push(item);
    return all;
  }
}
