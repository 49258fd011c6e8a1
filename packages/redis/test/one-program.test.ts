// A program moves from `Semaphore` to `space.semaphore` by changing how its semaphore is made, and adds nothing but `await`.

import { hasCode, Semaphore } from '@sluice/core';
import { expect } from 'vitest';
import type { RemoteSemaphore } from '@sluice/redis';
import { onServer } from './support/server.ts';

const PERMITS = 2;

/** The program. Its types say already that both have what it uses. */
async function work(slots: Semaphore | RemoteSemaphore): Promise<string[]> {
  const log: string[] = [];
  let open = 0;
  let most = 0;

  async function download(page: number): Promise<string> {
    await slots.acquireAsync();
    try {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 2));
      open--;
      return `page ${page}`;
    } finally {
      await slots.release();
    }
  }
  log.push((await Promise.all([1, 2, 3, 4, 5].map(download))).join(', '), `at most ${most}`);

  await slots.acquireAsync(2);
  log.push(`free: ${await slots.available}, taken: ${await slots.tryAcquire()}`);
  try {
    await slots.acquireAsync(1, { timeout: 5 });
  } catch (failure) {
    log.push(`too busy: ${hasCode(failure, 'SLUICE_TIMEOUT')}`);
  }
  const controller = new AbortController();
  const given = slots.acquireAsync(1, { signal: controller.signal }).catch((reason: unknown) => log.push(`gave up: ${String(reason)}`));
  controller.abort('enough');
  await given;
  await slots.release(2);

  log.push(await slots.runAsync(() => 'ran', 2));
  const guard = await slots.holdAsync();
  log.push(`held: ${guard.held}, free: ${await slots.available}`);
  await guard.release();
  const lock = slots.asLock(2);
  log.push(await lock.runAsync(() => Promise.resolve('locked')));
  const waiting = (await slots.tryHold(2)) === null ? 'none' : slots.acquireAsync().catch((failure: unknown) => `closed: ${hasCode(failure, 'SLUICE_CLOSED')}`);
  await slots.close();
  log.push(String(await waiting));
  return log;
}

const PRINTS = ['page 1, page 2, page 3, page 4, page 5', 'at most 2', 'free: 0, taken: false', 'too busy: true', 'gave up: enough', 'ran', 'held: true, free: 1', 'locked', 'closed: true'];

onServer('one program', (it) => {
  it('does the same with Semaphore.create and with space.semaphore', async ({ open }) => {
    expect(await work(Semaphore.create(PERMITS))).toEqual(PRINTS);
    expect(await work((await open()).semaphore('db', PERMITS))).toEqual(PRINTS);
  });
});
