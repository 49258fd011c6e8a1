import { Holdable, type WaitOptions } from '../lock.ts';
import type { Semaphore } from '../semaphore.ts';

/** A semaphore's permits, always the same number of them, as a lock. */
export class PermitLock extends Holdable {
  readonly #semaphore: Semaphore;
  readonly #permits: number;

  constructor(semaphore: Semaphore, permits: number) {
    super();
    this.#semaphore = semaphore;
    this.#permits = permits;
  }

  override lock(): void {
    this.#semaphore.acquire(this.#permits);
  }

  override tryLock(timeoutMs = 0): boolean {
    return this.#semaphore.tryAcquire(this.#permits, timeoutMs);
  }

  override lockAsync(options?: WaitOptions): Promise<void> {
    return this.#semaphore.acquireAsync(this.#permits, options);
  }

  override unlock(): void {
    this.#semaphore.release(this.#permits);
  }
}
