// Death in the middle of a step, before any single write of it, at semaphores: with engine 'js' a permit may be lost then, but no
// permit is there twice.

import { expect, test, vi } from 'vitest';
import { lineOperations } from './support/crash-lines.ts';
import { handOperations, rareOperations } from './support/crash-rarities.ts';
import { releaseOperations } from './support/crash-releases.ts';
import { dieInside, type Tally } from './support/crash-run.ts';
import type { Operation } from './support/crash-stage.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

const stuck: string[] = [];
const tally: Tally = { deaths: 0, reclaimers: 0, stuck };
const OPERATIONS = [...lineOperations, ...releaseOperations, ...rareOperations];

type Row = readonly [name: string, operation: Operation];

const rows = (operations: readonly Operation[]): Row[] => operations.map((operation) => [operation.name, operation]);

test.each(rows(OPERATIONS))('when an agent that %s dies in the middle of a step no permit is there twice', async (_, operation) => {
  await dieInside(operation, tally, 'victim');
});

test.each(rows(handOperations))(
  'when whoever recovers an agent that %s dies in the middle of a step no permit is there twice',
  async (_, operation) => {
    await dieInside(operation, tally, 'reclaimer');
  },
);

test('no call of the living goes round for ever after a death in the middle of a step', () => {
  expect([...new Set(stuck)]).toEqual([]);
});

test('figures of all of them are shown', () => {
  console.log(`${OPERATIONS.length} operations, ${tally.deaths} deaths in the middle of steps, ${stuck.length} calls stuck`);
  expect(tally.deaths).toBeGreaterThan(1000);
});
