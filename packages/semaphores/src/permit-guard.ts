// A guard of several permits of a resizable semaphore.

import { MisuseError } from '@sluice/core';
import { checkInteger, dispose, INSPECT, MAX_PERMITS, consoleText } from '@sluice/core/calls';

/** The semaphore of the permits: a `ResizableSemaphore`. */
interface PermitOwner {
  release(permits: number): void;
  forget(permits: number): void;
  isSame(other: PermitOwner): boolean;
  toString(): string;
}

/**
 * Holds permits of a `ResizableSemaphore` until `release` or the end of a `using` block. The permits can be divided
 * among guards, and given up.
 *
 * After tokio's `SemaphorePermit`.
 *
 * ```ts run
 * import { ResizableSemaphore } from '@sluice/semaphores';
 *
 * const slots = ResizableSemaphore.create(4);
 * const guard = slots.acquireGuard(3);
 * const part = guard.split(2);
 * part.release();
 * console.log(guard.permits, slots.available); // 1 3
 * guard.forget();
 * console.log(slots.size, slots.available); // 3 3
 * ```
 */
export class PermitGuard {
  /** An own, enumerable field, so that posting the guard fails: see `Guard` of the core. */
  private readonly _semaphore: PermitOwner;
  #permits: number;

  /**
   * Creates a guard of permits that the caller has acquired. Usually `acquireGuard` creates it.
   *
   * @param permits - 1 to 2^31 − 1.
   * @throws {RangeError} If `permits` is out of range.
   */
  constructor(semaphore: PermitOwner, permits: number) {
    this._semaphore = semaphore;
    this.#permits = checkInteger(`${String(semaphore)}: permits of a guard`, permits, 1, MAX_PERMITS);
  }

  /**
   * The number of permits that the guard holds. 0 after `release` and `forget`, and after a `merge` into another guard.
   */
  get permits(): number {
    return this.#permits;
  }

  /** Whether the guard holds a permit. */
  get held(): boolean {
    return this.#permits > 0;
  }

  /**
   * Moves `permits` of the guard's permits to a new guard and returns that guard. The semaphore does not change.
   *
   * @param permits - 1 to the number that the guard holds.
   * @throws {MisuseError} If the guard holds no permit.
   * @throws {RangeError} If the guard holds fewer permits.
   */
  split(permits: number): PermitGuard {
    if (!this.held) throw this.#refused('be split', 'it holds no permit');
    checkInteger(
      `${String(this._semaphore)}: permits to split off a guard of ${this.#permits}`,
      permits,
      1,
      this.#permits,
    );
    const part = new PermitGuard(this._semaphore, permits);
    this.#permits -= permits;
    return part;
  }

  /**
   * Moves all permits of `other`, a guard of the same semaphore, to this guard. `other` then holds none.
   *
   * @throws {TypeError} If `other` is not a `PermitGuard`.
   * @throws {MisuseError} If `other` is this guard or a guard of another semaphore, if one of the two holds no permit,
   *   or if both hold more than 2^31 − 1 permits together.
   */
  merge(other: PermitGuard): void {
    if (!(other instanceof PermitGuard))
      throw new TypeError(
        `${String(this._semaphore)}: only a PermitGuard can be merged into a guard. Nothing was moved.`,
      );
    const why = this.#whyNotMerge(other);
    if (why !== '') throw this.#refused('take the permits of another guard', why);
    this.#permits += other.#permits;
    other.#permits = 0;
  }

  /** Releases the guard's permits. Later calls have no effect. If the call throws, the guard still holds them. */
  release(): void {
    if (!this.held) return;
    this._semaphore.release(this.#permits);
    this.#permits = 0;
  }

  /**
   * Gives up the guard's permits for good. Returns their number. The permits are never released, not even when an agent
   * dies, and the semaphore's `size` decreases by that number. Later calls have no effect. If the call throws, the
   * guard still holds them.
   *
   * @throws {MisuseError} If the semaphore's agents hold fewer permits, because the guard was created for permits that
   *   were not acquired.
   */
  forget(): number {
    const permits = this.#permits;
    if (permits > 0) this._semaphore.forget(permits);
    this.#permits = 0;
    return permits;
  }

  [INSPECT](): string {
    return consoleText('PermitGuard', () => ({ permits: this.#permits, of: String(this._semaphore) }));
  }

  [dispose](): void {
    this.release();
  }

  #whyNotMerge(other: PermitGuard): string {
    if (other === this) return 'it is the same guard';
    if (!this._semaphore.isSame(other._semaphore))
      return `that guard belongs to ${String(other._semaphore)}, another semaphore`;
    if (!this.held || !other.held) return 'one of them holds no permit';
    return this.#permits + other.#permits > MAX_PERMITS ? `together they hold more than ${MAX_PERMITS} permits` : '';
  }

  #refused(what: string, why: string): MisuseError {
    return new MisuseError(`${String(this._semaphore)}: the guard cannot ${what}: ${why}. Nothing was moved.`);
  }
}
