// Death in the middle of a step, before any single write of it, at capacitors, turnstiles and locks behind them: with engine 'js' a
// turn or a platoon may be lost then, and a departure may count twice, so that a platoon is one too many; but nobody has a turn or a
// lock twice.

import { beforeAll, expect, test, vi } from 'vitest';
import { gateHands, gateOperations } from './support/crash-gates.ts';
import { dieInside, type Tally } from './support/crash-run.ts';
import type { Operation } from './support/crash-stage.ts';
import { rounds } from './support/rounds.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

beforeAll(() => rounds.install());

const stuck: string[] = [];
const tally: Tally = { deaths: 0, reclaimers: 0, stuck };

type Row = readonly [name: string, operation: Operation];

const rows = (operations: readonly Operation[]): Row[] => operations.map((operation) => [operation.name, operation]);

test.each(rows(gateOperations))('when an agent that %s dies in the middle of a step nobody has anything twice', async (_, operation) => {
  await dieInside(operation, tally, 'victim');
});

test.each(rows(gateHands))(
  'when whoever recovers an agent that %s dies in the middle of a step nobody has anything twice',
  async (_, operation) => {
    await dieInside(operation, tally, 'reclaimer');
  },
);

test('no call of the living goes round for ever after a death in the middle of a step', () => {
  expect([...new Set(stuck)]).toEqual([]);
});

test('figures of all of them are shown', () => {
  console.log(`${gateOperations.length} operations, ${tally.deaths} deaths in the middle of steps, ${stuck.length} calls stuck`);
  expect(tally.deaths).toBeGreaterThan(1000);
});
