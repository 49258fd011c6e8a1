// Death at every moment of what agents do at box offices: before each kernel step, each single write and each sleep or wake-up.

import { expect, test, vi } from 'vitest';
import { eventOperations } from './support/crash-events.ts';
import { officeHands } from './support/crash-hands.ts';
import { mutexOperations } from './support/crash-mutexes.ts';
import { ALL_DEEDS, dieEverywhere, dieTwice, type Tally } from './support/crash-run.ts';
import type { Operation } from './support/crash-stage.ts';
import { rwOperations } from './support/crash-rw-locks.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

const OPERATIONS = [...mutexOperations, ...eventOperations, ...rwOperations, ...officeHands];
const ENGINES = ['wasm', 'js'] as const;
const tally: Tally = { deaths: 0, reclaimers: 0 };

type Rows = readonly (readonly [name: string, engine: 'wasm' | 'js', operation: Operation])[];

/** Each with one of the engines: they do the same, step by step, as the differential test shows. */
function rowsOfOneEngine(operations: readonly Operation[]): Rows {
  return operations.map((operation, index) => [operation.name, index % 2 === 0 ? 'wasm' : 'js', operation] as const);
}

function rows(operations: readonly Operation[]): Rows {
  return operations.flatMap((operation) => ENGINES.map((engine) => [operation.name, engine, operation] as const));
}

test.each(rows(OPERATIONS))(
  'an agent that %s (%s) may die at any moment of it',
  async (_, engine, operation) => {
    await dieEverywhere(operation, engine, tally, 'told');
  },
);

test.each(rows(officeHands))('an agent that %s (%s) is found dead by whoever asks', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'asks');
});

test.each(rowsOfOneEngine(OPERATIONS.filter(({ large }) => large !== true)))(
  'whoever recovers an agent that %s (%s) may die before any step of it',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ['step', 'parking']);
  },
);

test.each(rows(officeHands))(
  'whoever recovers an agent that %s (%s) may die also before any single write',
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
