// Runs the unchanged suite of the local semaphores on a real server.

import { remoteSemaphoreSuite, type Counts, type SteppedSemaphore } from '@sluice/conformance';
import type { WaitOptions } from '@sluice/core';
import type { RemoteSemaphore } from '@sluice/redis';
import { onServer } from './support/server.ts';

/** More permits than the suite uses. */
const PERMITS = 64;
/** A reply may cause a call whose reply causes another one: acquire, cancel, release. */
const ANSWERS = 3;

class RemoteSteps implements SteppedSemaphore {
  readonly #sem: RemoteSemaphore;

  constructor(sem: RemoteSemaphore) {
    this.#sem = sem;
  }

  async counts(): Promise<Counts> {
    for (let i = 0; i < ANSWERS; i++) await this.#sem.inspect();
    return Promise.all([this.#sem.available, this.#sem.waiting]);
  }

  tryAcquire(permits?: number): Promise<boolean> {
    return this.#sem.tryAcquire(permits);
  }

  acquireAsync(permits?: number, options?: WaitOptions): Promise<void> {
    return this.#sem.acquireAsync(permits, options);
  }

  release(permits?: number): Promise<void> {
    return this.#sem.release(permits);
  }

  close(): Promise<void> {
    return this.#sem.close();
  }
}

onServer('conformance', (_, ground) => {
  remoteSemaphoreSuite('space.semaphore', async (permits) => {
    const sem = (await ground().open({ lease: 10_000 })).semaphore('s', PERMITS);
    // A release returns permits that this process has acquired.
    if (permits < PERMITS) await sem.acquireAsync(PERMITS - permits);
    return new RemoteSteps(sem);
  });

  remoteSemaphoreSuite('space.semaphore with recovery: false', async (permits) => {
    const sem = (await ground().open({ lease: 10_000 })).semaphore('s', permits, { recovery: false });
    return new RemoteSteps(sem);
  });
});
