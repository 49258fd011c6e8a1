// The rules of a priority semaphore as plain lists: one line for each priority, and ages.

const LEVELS = 8;

export interface Waiter {
  readonly id: number;
  readonly priority: number;
}

export class AgeingQueue {
  readonly #ageing: number;
  readonly #lines: Waiter[][] = Array.from({ length: LEVELS }, () => []);
  readonly #ages = Array<number>(LEVELS).fill(0);
  free = 0;

  constructor(ageing: number) {
    this.#ageing = ageing;
  }

  /** The highest priority first. */
  get waiting(): readonly Waiter[] {
    return [...this.#lines].reverse().flat();
  }

  /** Adds an arriving wait. Returns whether it is served at once. */
  come(waiter: Waiter): boolean {
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    this.#lines[waiter.priority]?.push(waiter);
    return false;
  }

  leave({ id, priority }: Waiter): void {
    this.#lines[priority] = (this.#lines[priority] ?? []).filter((other) => other.id !== id);
  }

  /** Releases one permit. Returns the waiter that gets it. */
  release(): Waiter | undefined {
    const served = this.#next();
    if (served < 0) {
      this.free += 1;
      return undefined;
    }
    for (const [level, line] of this.#lines.entries())
      this.#ages[level] = level === served || line.length === 0 ? 0 : (this.#ages[level] ?? 0) + 1;
    return this.#lines[served]?.shift();
  }

  /**
   * Returns the level with waiters that has the greatest weight, or the lower one of two of equal weight. Returns -1 if
   * no agent waits.
   */
  #next(): number {
    const weight = (level: number): number => level * this.#ageing + (this.#ages[level] ?? 0);
    const levels = [...this.#lines.keys()].filter((level) => this.#lines[level]?.length !== 0);
    return levels.reduce((best, level) => (best < 0 || weight(level) > weight(best) ? level : best), -1);
  }
}
