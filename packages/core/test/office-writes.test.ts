// Death in the middle of a step, before any single write of it, at box offices: with engine 'js' a lock or a signal may be
// lost then, but nobody has it twice.

import { expect, test, vi } from 'vitest';
import { Region } from '../src/index.ts';
import { eventOperations } from './support/crash-events.ts';
import { officeHands } from './support/crash-hands.ts';
import { mutexOperations } from './support/crash-mutexes.ts';
import { dieInside, type Tally } from './support/crash-run.ts';
import { outlives, Stage, type Operation } from './support/crash-stage.ts';
import { rwOperations } from './support/crash-rw-locks.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

const OPERATIONS = [...mutexOperations, ...eventOperations, ...rwOperations];
const tally: Tally = { deaths: 0, reclaimers: 0 };

type Row = readonly [name: string, operation: Operation];

const rows = (operations: readonly Operation[]): Row[] => operations.map((operation) => [operation.name, operation]);

const INSIDE = 'when an agent that %s dies in the middle of a step nobody has anything twice';
const INSIDE_RECOVERY = 'when whoever recovers an agent that %s dies in the middle of a step nobody has anything twice';

async function dieAsVictim(_: string, operation: Operation): Promise<void> {
  await dieInside(operation, tally, 'victim');
}

async function dieAsReclaimer(_: string, operation: Operation): Promise<void> {
  await dieInside(operation, tally, 'reclaimer');
}

test.each(rows(OPERATIONS))(INSIDE, dieAsVictim);
test.each(rows(officeHands))(INSIDE_RECOVERY, dieAsReclaimer);

test('an agent that dies while it extends the heap is recovered, and so are those that die later', async () => {
  const { life, victim, reclaimer, third } = new Stage({}, 'js');
  expect(await outlives(life, () => Region.create(100, { arena: victim.arena }), ['inner'], 1)).toBe(false);
  expect(reclaimer.arena.reclaim(victim.context.id)).toMatchObject({ agent: victim.context.id });
  third.life.die();
  expect(reclaimer.arena.reclaimDead()).toMatchObject([{ agent: third.context.id }]);
});

test('figures of all of them are shown', () => {
  console.log(`${OPERATIONS.length} operations, ${tally.deaths} deaths in the middle of steps`);
  expect(tally.deaths).toBeGreaterThan(1000);
});
