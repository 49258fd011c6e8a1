import { Semaphore } from '@sluice/core';
import { expect, test } from 'vitest';

test.each([
  [1, 1],
  [1, 2],
  [2, 3],
])(
  'async waits for %i and %i permits that were granted before close() resolve, although only the first was in a chain',
  async (first, second) => {
    const slots = Semaphore.create(0);
    const waits = [slots.acquireAsync(first), slots.acquireAsync(second)];
    slots.release(first + second);
    slots.close();
    await expect(Promise.all(waits)).resolves.toHaveLength(2);
  },
);

test('close() rejects only the second of two async waits if the first was granted before', async () => {
  const slots = Semaphore.create(0);
  const waits = [slots.acquireAsync(), slots.acquireAsync(2)];
  slots.release(2);
  slots.close();
  const [first, second] = await Promise.allSettled(waits);
  expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
});
