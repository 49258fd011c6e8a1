// Runs the unchanged suite of the local semaphores between two processes' spaces.

import { remoteSemaphoreSuite, type Counts, type SteppedSemaphore } from '@sluice/conformance';
import type { WaitOptions } from '@sluice/core';
import type { RemoteSemaphore } from '@sluice/local';
import { describe } from 'vitest';
import { makeOpen } from './support/spaces.ts';

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

describe.each(['the member that serves', 'another member'])('a semaphore of %s', (which) => {
  const open = async (): Promise<Awaited<ReturnType<ReturnType<typeof makeOpen>>>> => {
    const make = makeOpen();
    const serving = await make();
    return which === 'another member' ? make() : serving;
  };

  remoteSemaphoreSuite('space.semaphore', async (permits) => {
    const sem = (await open()).semaphore('s', PERMITS);
    // A release returns permits that this process has acquired.
    if (permits < PERMITS) await sem.acquireAsync(PERMITS - permits);
    return new RemoteSteps(sem);
  });

  remoteSemaphoreSuite('space.semaphore with recovery: false', async (permits) => {
    const sem = (await open()).semaphore('s', permits, { recovery: false });
    return new RemoteSteps(sem);
  });
});
