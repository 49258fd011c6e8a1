// Local waiters by priority: the highest first, and those of one priority in the order in which they came.

export interface RankedWaiter {
  readonly priority: number;
}

export class RankedWaiters<T extends RankedWaiter> {
  /** The highest priority first. None is empty. */
  readonly #ranks: { readonly priority: number; readonly waiters: Set<T> }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#ranks[0]?.waiters.values().next().value;
  }

  add(waiter: T): void {
    let at = this.#ranks.findIndex(({ priority }) => priority <= waiter.priority);
    if (at < 0) at = this.#ranks.length;
    if (this.#ranks[at]?.priority !== waiter.priority)
      this.#ranks.splice(at, 0, { priority: waiter.priority, waiters: new Set() });
    this.#ranks[at]?.waiters.add(waiter);
    this.#size++;
  }

  /** Returns whether it was there. */
  delete(waiter: T): boolean {
    const at = this.#ranks.findIndex(({ priority }) => priority === waiter.priority);
    const rank = this.#ranks[at];
    if (rank?.waiters.delete(waiter) !== true) return false;
    if (rank.waiters.size === 0) this.#ranks.splice(at, 1);
    this.#size--;
    return true;
  }
}
