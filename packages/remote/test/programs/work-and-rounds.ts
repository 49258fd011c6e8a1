// Programs that move from `Semaphore`, `CountdownLatch` and `Barrier` to those of a space by changing only their creation
// and adding `await`.

import type { Barrier, CountdownLatch } from '@sluice/barrier';
import { hasCode, type Semaphore } from '@sluice/core';
import type { RemoteBarrier, RemoteCountdownLatch, RemoteSemaphore } from '@sluice/remote';
import { failureOf } from './failure-of.ts';

export const PERMITS = 2;

/** The program. Its types already show that both have the members that it uses. */
export async function work(slots: Semaphore | RemoteSemaphore): Promise<string[]> {
  const log: string[] = [];
  let open = 0;
  let most = 0;
  let meet: () => void = () => undefined;
  const met = new Promise<void>((resolve) => (meet = resolve));

  async function download(page: number): Promise<string> {
    await slots.acquireAsync();
    try {
      most = Math.max(most, ++open);
      if (open === PERMITS) meet();
      await met;
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
  const given = slots
    .acquireAsync(1, { signal: controller.signal })
    .catch((reason: unknown) => log.push(`gave up: ${String(reason)}`));
  controller.abort('enough');
  await given;
  await slots.release(2);

  log.push(await slots.runAsync(() => 'ran', 2));
  const guard = await slots.holdAsync();
  log.push(`held: ${guard.held}, free: ${await slots.available}`);
  await guard.release();
  const lock = slots.asLock(2);
  log.push(await lock.runAsync(() => Promise.resolve('locked')));
  const waiting =
    (await slots.tryHold(2)) === null
      ? 'none'
      : slots.acquireAsync().catch((failure: unknown) => `closed: ${hasCode(failure, 'SLUICE_CLOSED')}`);
  await slots.close();
  log.push(String(await waiting));
  return log;
}

export const PRINTS = [
  'page 1, page 2, page 3, page 4, page 5',
  'at most 2',
  'free: 0, taken: false',
  'too busy: true',
  'gave up: enough',
  'ran',
  'held: true, free: 1',
  'locked',
  'closed: true',
];

/** A program with rounds in which parties meet, fail and leave. */
export async function rounds(
  makeLatch: (name: string, count: number) => CountdownLatch | RemoteCountdownLatch,
  barrier: Barrier | RemoteBarrier,
): Promise<string[]> {
  const log: string[] = [];
  const parts = makeLatch('parts', 0);
  await parts.add(3);
  await parts.claim();
  for (const part of [1, 2, 3]) void Promise.resolve(part).then(() => parts.done());
  await parts.waitAsync();
  log.push(`count ${await parts.count}, open ${await parts.tryWait()}`);
  await parts.add();
  log.push(
    `open ${await parts.tryWait()}, late ${hasCode(await failureOf(parts.waitAsync({ timeout: 5 })), 'SLUICE_TIMEOUT')}`,
  );
  log.push(`refused ${hasCode(await failureOf(Promise.resolve().then(() => parts.done(2))), 'SLUICE_MISUSE')}`);

  await barrier.register(2);
  const results = await Promise.all([barrier.waitAsync(), barrier.waitAsync()]);
  log.push(`leaders ${results.filter(({ leader }) => leader).length}, generation ${await barrier.generation}`);
  const waiting = failureOf(barrier.waitAsync({ timeout: 5 }));
  log.push(`left ${hasCode(await waiting, 'SLUICE_TIMEOUT')}, broken ${await barrier.broken}`);
  log.push(`refused ${hasCode(await failureOf(barrier.waitAsync()), 'SLUICE_BROKEN_BARRIER')}`);
  await barrier.mend();
  const last = barrier.waitAsync();
  await barrier.deregister();
  log.push(
    `leader ${(await last).leader}, parties ${await barrier.parties}, alone ${(await barrier.tryWait())?.leader}`,
  );
  return log;
}

export const ROUNDS = [
  'count 0, open true',
  'open false, late true',
  'refused true',
  'leaders 1, generation 1',
  'left true, broken true',
  'refused true',
  'leader true, parties 1, alone true',
];
