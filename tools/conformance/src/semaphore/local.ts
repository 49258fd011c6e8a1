import type { ConformingSemaphore, Counts, SteppedSemaphore, SuiteWaitOptions } from '../types.ts';

/** A semaphore in shared memory as the suites see it. Each step has ended when the call returns. */
export class LocalSemaphore implements SteppedSemaphore {
  readonly #sem: ConformingSemaphore;

  constructor(sem: ConformingSemaphore) {
    this.#sem = sem;
  }

  counts(): Counts {
    return [this.#sem.available, this.#sem.waiting];
  }

  tryAcquire(permits?: number): boolean {
    return this.#sem.tryAcquire(permits);
  }

  acquireAsync(permits?: number, options?: SuiteWaitOptions): Promise<void> {
    return this.#sem.acquireAsync(permits, options);
  }

  release(permits?: number): void {
    this.#sem.release(permits);
  }

  drain(): number {
    return this.#sem.drain();
  }

  close(): void {
    this.#sem.close();
  }
}
