// Death at every moment of what agents do at a bounded buffer: before each kernel step, each single write and each sleep or wake-up. A
// value is in the buffer or not, its books balance, its locks are free, and whoever waits is served.

import { beforeAll, expect, test, vi } from 'vitest';
import { bufferHands } from './support/crash-buffer-hands.ts';
import { bufferOperations } from './support/crash-buffers.ts';
import { ALL_DEEDS, dieEverywhere, dieTwice, type Tally } from './support/crash-run.ts';
import { rows, someRows } from './support/crash-rows.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

// Whoever waits for a side's lock in an async call looks again after a moment: here in the next turn.
beforeAll(() => vi.stubGlobal('setTimeout', (look: () => void) => setImmediate(look)));

const OPERATIONS = [...bufferOperations, ...bufferHands];
const tally: Tally = { deaths: 0, reclaimers: 0 };

test.each(rows(OPERATIONS))('an agent that %s (%s) may die at any moment of it', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'told');
});

test.each(rows(bufferHands))('an agent that %s (%s) is found dead by whoever asks', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'asks');
});

test.each(someRows(OPERATIONS.filter(({ large }) => large !== true)))(
  'whoever recovers an agent that %s (%s) may die before any step of it',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ['step', 'parking']);
  },
);

test.each(someRows(bufferHands))(
  'whoever recovers an agent that %s (%s) may die also before any single write',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ALL_DEEDS);
  },
);

test('every operation is another, and figures of all of them are shown', () => {
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
  const { deaths, reclaimers } = tally;
  console.log(`${OPERATIONS.length} operations, ${deaths} deaths, in ${reclaimers} of them whoever recovered died as well`);
  expect(tally.deaths).toBeGreaterThan(3000);
});
