// A living agent's use of one semaphore, with its own records. They show what the agent holds and waits for according
// to the outcomes of its calls, not according to the arena's records.

import { hasCode, type Semaphore } from '../../src/index.ts';
import { expectNone } from './expect-same.ts';

interface Wait {
  readonly permits: number;
  outcome: 'waits' | 'granted' | 'closed' | 'left' | 'cancelled';
  readonly leave: () => void;
}

export class ShadowUser {
  readonly sem: Semaphore;
  /** The number of permits, free or held. */
  permits: number;
  held = 0;
  readonly waits: Wait[] = [];

  constructor(sem: Semaphore, permits: number) {
    this.sem = sem;
    this.permits = permits;
  }

  take(permits = 1): void {
    this.sem.acquire(permits);
    this.held += permits;
  }

  giveBack(permits = 1): void {
    this.sem.release(permits);
    this.held -= permits;
  }

  wait(...sizes: readonly number[]): void {
    for (const permits of sizes) this.#wait(permits);
  }

  /** Cancels the wait with that number. */
  leave(index: number): void {
    this.waits[index]?.leave();
  }

  #wait(permits: number): void {
    const controller = new AbortController();
    const wait: Wait = { permits, outcome: 'waits', leave: () => controller.abort() };
    this.waits.push(wait);
    this.sem.acquireAsync(permits, { signal: controller.signal, ref: false }).then(
      () => {
        wait.outcome = 'granted';
        this.held += permits;
      },
      (failure: unknown) => {
        const isCancelled = hasCode(failure, 'SLUICE_CANCELLED');
        wait.outcome = isCancelled ? 'cancelled' : controller.signal.aborted ? 'left' : 'closed';
        // A closed semaphore may be freed before its former waiters see the close.
        const known =
          isCancelled ||
          controller.signal.aborted ||
          hasCode(failure, 'SLUICE_CLOSED') ||
          hasCode(failure, 'SLUICE_MISUSE');
        if (!known) throw failure;
      },
    );
  }

  get waiting(): readonly Wait[] {
    return this.waits.filter(({ outcome }) => outcome === 'waits');
  }

  get wanted(): number {
    return this.waiting.reduce((sum, { permits }) => sum + permits, 0);
  }

  /** Releases its permits until all its waits have been granted. */
  async finish(settle: () => Promise<void>): Promise<void> {
    while (this.held > 0) {
      this.giveBack(this.held);
      await settle();
    }
    expectNone(this.waits.filter(({ outcome }) => outcome === 'waits'));
  }

  /** Returns a fault if more permits exist than possible. After a death within a step, permits may be lost. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const { leave } of this.waiting) leave();
    for (;;) {
      await settle();
      const there = this.held + Math.max(0, this.#free);
      if (there > this.permits) return [`${there} permits, expected ${this.permits}`];
      if (this.held === 0) return [];
      this.giveBack(this.held);
    }
  }

  /** Returns 0 for a closed semaphore. */
  get #free(): number {
    try {
      return this.sem.available;
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_MISUSE')) return 0;
      throw failure;
    }
  }
}
