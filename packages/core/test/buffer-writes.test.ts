// Death in the middle of a step, before any single write of it, at a bounded buffer: with engine 'js' units and wake-ups may be lost
// then, and with them a value that had been taken; but no value is there twice, and no unit.

import { beforeAll, expect, test, vi } from 'vitest';
import { bufferHands } from './support/crash-buffer-hands.ts';
import { bufferOperations } from './support/crash-buffers.ts';
import { dieInside, type Tally } from './support/crash-run.ts';
import type { Operation } from './support/crash-stage.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

// Whoever waits for a side's lock in an async call looks again after a moment: here in the next turn.
beforeAll(() => vi.stubGlobal('setTimeout', (look: () => void) => setImmediate(look)));

const stuck: string[] = [];
const tally: Tally = { deaths: 0, reclaimers: 0, stuck };

type Row = readonly [name: string, operation: Operation];

const rows = (operations: readonly Operation[]): Row[] => operations.map((operation) => [operation.name, operation]);

test.each(rows(bufferOperations))('when an agent that %s dies in the middle of a step nothing is there twice', async (_, operation) => {
  await dieInside(operation, tally, 'victim');
});

test.each(rows(bufferHands))(
  'when whoever recovers an agent that %s dies in the middle of a step nothing is there twice',
  async (_, operation) => {
    await dieInside(operation, tally, 'reclaimer');
  },
);

test('no call of the living goes round for ever after a death in the middle of a step', () => {
  expect([...new Set(stuck)]).toEqual([]);
});

test('figures of all of them are shown', () => {
  console.log(`${bufferOperations.length} operations, ${tally.deaths} deaths in the middle of steps, ${stuck.length} calls stuck`);
  expect(tally.deaths).toBeGreaterThan(1000);
});
