// Death at every moment of what agents do at capacitors, at turnstiles and at locks behind them: before each kernel step, each single write and each
// sleep or wake-up.

import { beforeAll, expect, test, vi } from 'vitest';
import { gateHands, gateOperations } from './support/crash-gates.ts';
import { ALL_DEEDS, dieEverywhere, dieTwice, type Tally } from './support/crash-run.ts';
import { rows, rowsOfOneEngine, someRows } from './support/crash-rows.ts';
import { rounds } from './support/rounds.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

beforeAll(() => rounds.install());

const OPERATIONS = [...gateOperations, ...gateHands];
const tally: Tally = { deaths: 0, reclaimers: 0 };

test.each(rowsOfOneEngine(OPERATIONS))('an agent that %s (%s) may die at any moment of it', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'told');
});

test.each(rows(gateHands))('an agent that %s (%s) is found dead by whoever asks', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'asks');
});

test.each(someRows(OPERATIONS.filter(({ large }) => large !== true)))(
  'whoever recovers an agent that %s (%s) may die before any step of it',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ['step', 'parking']);
  },
);

test.each(rows(gateHands))(
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
