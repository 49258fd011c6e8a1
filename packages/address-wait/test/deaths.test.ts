// Death at every moment of what agents do where they wait on a condition: before each kernel step, each single write and each sleep or
// wake-up. After the recovery nobody is asleep though the condition holds, and all elements are back.

import { beforeAll, expect, test, vi } from 'vitest';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import { rows, rowsOfOneEngine } from '../../core/test/support/crash-rows.ts';
import { ALL_DEEDS, dieEverywhere, dieInside, dieTwice, type Tally } from '../../core/test/support/crash-run.ts';
import { conditionHands, conditionOperations } from './support/crash-conditions.ts';

vi.mock('../../core/src/kernel/kernel.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingKernels(await original()));
vi.mock('../../core/src/kernel/words.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingWords(await original()));
vi.mock('../../core/src/parking.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingParking(await original()));

beforeAll(() => {
  vi.stubGlobal('AbortController', ControllerByHand);
});

const stuck: string[] = [];
const tally: Tally = { deaths: 0, reclaimers: 0, stuck };

test.each(rows(conditionOperations))('an agent that %s (%s) may die at any moment of it', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'told');
});

test.each(rowsOfOneEngine(conditionOperations))(
  'whoever recovers an agent that %s (%s) may die before any step of it',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ['step', 'parking']);
  },
);

test.each(rows(conditionHands))('whoever recovers an agent that %s (%s) may die also before any single write', async (_, engine, operation) => {
  await dieTwice(operation, engine, tally, ALL_DEEDS);
});

test.each(rowsOfOneEngine(conditionOperations))('when an agent that %s dies in the middle of a step nobody comes too early', async (_, _engine, operation) => {
  await dieInside(operation, tally, 'victim');
});

test('no call of the living goes round for ever after a death in the middle of a step', () => {
  expect([...new Set(stuck)]).toEqual([]);
});

test('figures of all of them are shown', () => {
  console.log(`${conditionOperations.length} operations, ${tally.deaths} deaths, in ${tally.reclaimers} of them whoever recovered died as well`);
  expect(tally.deaths).toBeGreaterThan(3000);
});
