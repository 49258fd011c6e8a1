// Death at every moment of what agents do at lightweight and multilane semaphores: before each kernel step, each single write and each
// sleep or wake-up; and in the middle of a step, where with engine 'js' things may be lost, but nothing is there twice.

import { scale } from '@sluice/harness';
import { beforeAll, expect, test, vi } from 'vitest';
import { ALL_DEEDS, dieEverywhere, dieInside, dieTwice, type Tally } from '../../core/test/support/crash-run.ts';
import { rounds } from '../../core/test/support/rounds.ts';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import { handsAt, KINDS, operationsAt } from './support/crash-composite.ts';

vi.mock('../../core/src/kernel/kernel.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingKernels(await original()));
vi.mock('../../core/src/kernel/words.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingWords(await original()));
vi.mock('../../core/src/parking.ts', async (original) => (await import('../../core/test/support/crash.ts')).crashingParking(await original()));

beforeAll(() => {
  rounds.install();
  vi.stubGlobal('AbortController', ControllerByHand);
});

const stuck: string[] = [];
const tally: Tally = { deaths: 0, reclaimers: 0, stuck };

const rows = KINDS.flatMap((kind) => [...operationsAt(kind), ...handsAt(kind)]).map(
  (operation, index) => [operation.name, index % 2 === 0 ? 'wasm' : 'js', operation] as const,
);
const hands = KINDS.flatMap((kind) => handsAt(kind));
/** Of the operations that take long, a part; all of them in long runs. */
const few = <T>(all: readonly T[], one: number): readonly T[] => all.filter((_, index) => index % one === 0 || scale(1) > 1);

test.each(few(rows, 3))('an agent that %s (%s) may die at any moment of it', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'told');
});

test.each(few(rows.filter(([, , { large }]) => large !== true), 11))(
  'whoever recovers an agent that %s (%s) may die before any step of it',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ['step', 'parking']);
  },
);

test.each(few(hands, 9).map((operation) => [operation.name, operation] as const))(
  'whoever recovers an agent that %s may die also before any single write',
  { timeout: 30_000 },
  async (_, operation) => {
    await dieTwice(operation, 'wasm', tally, ALL_DEEDS);
  },
);

test.each(few(rows, 7))('when an agent that %s dies in the middle of a step nobody has anything twice', async (_, _engine, operation) => {
  await dieInside(operation, tally, 'victim');
});

test('no call of the living goes round for ever after a death in the middle of a step', () => {
  expect([...new Set(stuck)]).toEqual([]);
});

test('figures of all of them are shown', () => {
  console.log(`${rows.length} operations, ${tally.deaths} deaths, in ${tally.reclaimers} of them whoever recovered died as well`);
  expect(tally.deaths).toBeGreaterThan(3000);
});
