import { expect, test } from 'vitest';
import { Arena, ClosedError, MisuseError, Semaphore } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 4 } });

test('waiters throw ClosedError when their semaphore is closed and then freed at once', async () => {
  const sem = Semaphore.create(1, { arena, name: 'short' });
  sem.acquire();
  const waits = [
    sem.acquireAsync(),
    sem.acquireAsync(1, { timeout: 60_000 }),
    sem.acquireAsync(3),
    sem.runAsync(() => undefined),
  ];
  const endings = Promise.allSettled(waits);
  sem.close();
  sem.free();
  for (const ending of await endings)
    expect(ending).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
  await expect(waits[0]).rejects.toBeInstanceOf(ClosedError);
});

test('a call on a freed semaphore reports that it was freed', async () => {
  const sem = Semaphore.create(0, { arena });
  sem.close();
  sem.free();
  expect(() => sem.tryAcquire(1, 10)).toThrow(MisuseError);
  await expect(sem.acquireAsync()).rejects.toBeInstanceOf(MisuseError);
});
