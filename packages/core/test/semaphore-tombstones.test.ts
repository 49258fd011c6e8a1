import { expect, test } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';

const WAITS = 1000;
const arena = Arena.create({ policy: { buckets: 64 } });

test.each([
  ['one permit', () => 1],
  ['three permits', () => 3],
  ['one to five permits', (at: number) => 1 + (at % 5)],
  ['one permit, and one in a hundred 200', (at: number) => (at % 100 === 50 ? 200 : 1)],
])('cancelled waits for %s behind another wait leave nothing in line', async (_, permitsOf) => {
  const sem = Semaphore.create(0, { arena });
  const first = sem.acquireAsync(2);
  const controller = new AbortController();
  const waits = Array.from({ length: WAITS }, (_wait, at) =>
    sem.acquireAsync(permitsOf(at), { signal: controller.signal }).catch(() => 'left'),
  );
  controller.abort();
  expect(await Promise.all(waits)).toEqual(waits.map(() => 'left'));
  expect(sem.inspect()).toMatchObject({ waiters: [{ permits: 2 }], abandoned: 0 });
  expect(arena.inspect().elements).toMatchObject({ waiting: 1, abandoned: 0 });
  sem.release(2);
  await first;
  sem.release(2);
  expect(sem.available).toBe(2);
  sem.free();
});
