// Tests that a blocking wait that wakes from time to time, and goes on, has the age of its beginning.

import { addressSignal, SharedWord } from '@sluice/address-wait';
import { AddressSemaphore } from '@sluice/classics';
import { Arena } from '@sluice/core';
import { Worker } from 'node:worker_threads';
import { onStuck, type StuckReport } from 'sluice';
import { expect, test } from 'vitest';

const JOB = new URL('./jobs/blocks-for-long.mjs', import.meta.url);
/** Longer than a thread sleeps on a word without a look, in ms. */
const LONG = 1500;

test.each([
  ['AddressSemaphore', 'semaphore'],
  ['waitOnAddress', 'condition'],
  ['addressWaitUntil', 'condition'],
])('onStuck finds a blocking wait of %s that has woken in the meantime', async (way, kind) => {
  const arena = Arena.create({ maxPages: 16 });
  const [word, semaphore] = [SharedWord.create(0, { arena }), AddressSemaphore.create(0, { arena })];
  const worker = new Worker(JOB, { workerData: { way, word: word.handle, semaphore: semaphore.handle } });
  // Wakes the thread, whose condition still does not hold.
  const wakes = setInterval(() => addressSignal(word), 100);
  const found = await new Promise<StuckReport>((resolve) => void onStuck(arena, LONG, resolve));
  clearInterval(wakes);
  await worker.terminate();
  expect(found.waits).toMatchObject([{ how: 'blocking', waitsFor: { kind } }]);
});
