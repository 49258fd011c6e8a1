// A lock made of permits. It gives a semaphore the scoped forms of a lock.

import { Holdable } from '../api/lock.ts';
import { INSPECT, consoleText } from '../api/console-text.ts';
import { LOCK_POSITION, positionIn, type Position } from '../locks/lock-position.ts';
import type { WaitOptions } from '../api/wait-options.ts';

/** The four operations of a semaphore, and its title. */
export interface PermitSource {
  toString(): string;
  acquire(permits: number): void;
  tryAcquire(permits: number, timeoutMs: number): boolean;
  acquireAsync(permits: number, options?: WaitOptions): Promise<void>;
  release(permits: number): void;
}

/** A lock made of a fixed number of a semaphore's permits. */
export class PermitLock extends Holdable {
  /** Own and enumerable, so that posting the lock fails as for `Guard`. */
  private readonly _semaphore: PermitSource;
  readonly #permits: number;

  constructor(semaphore: PermitSource, permits: number) {
    super();
    this._semaphore = semaphore;
    this.#permits = permits;
  }

  override toString(): string {
    return String(this._semaphore);
  }

  override [INSPECT](): string {
    return consoleText('PermitLock', () => ({ of: String(this._semaphore), permits: this.#permits }));
  }

  /** `undefined` if the permits are of a semaphore without an address in an arena. */
  get [LOCK_POSITION](): Position | undefined {
    const semaphore = this._semaphore;
    const found = positionIn((semaphore as { readonly handle?: unknown }).handle);
    const withPermits = (permits: number): PermitLock => new PermitLock(semaphore, permits);
    return found === undefined ? found : { ...found, permits: this.#permits, withPermits };
  }

  override lock(): void {
    this._semaphore.acquire(this.#permits);
  }

  override tryLock(timeoutMs = 0): boolean {
    return this._semaphore.tryAcquire(this.#permits, timeoutMs);
  }

  override lockAsync(options?: WaitOptions): Promise<void> {
    return this._semaphore.acquireAsync(this.#permits, options);
  }

  override unlock(): void {
    this._semaphore.release(this.#permits);
  }
}
