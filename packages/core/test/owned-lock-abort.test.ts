import { expect, test } from 'vitest';
import { Arena, RecoveryGuard, OwnerDiedError } from '../src/index.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';

const arena = Arena.create({ maxPages: 8 });

test('an abort with the notice of another lock as its reason does not unlock', async () => {
  const [held, inherited] = [SemaphoreLock.create({ arena }), SemaphoreLock.create({ arena })];
  held.lock();
  const controller = new AbortController();
  const waits = held.runAsync(() => 'ran', { signal: controller.signal });
  const reason = new OwnerDiedError('of another lock', new RecoveryGuard(inherited));
  controller.abort(reason);
  await expect(waits).rejects.toBe(reason);
  expect(held.waiting).toBe(0);
  held.unlock();
  held.lock();
  held.unlock();
});
