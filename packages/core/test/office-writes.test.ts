// Death in the middle of a step, before any single write of it, at box offices: with engine 'js' a lock or a signal may be
// lost then, but nobody has it twice.

import { expect, test, vi } from 'vitest';
import { Region } from '../src/index.ts';
import { eventOperations } from './support/mortal-events.ts';
import { officeHands } from './support/mortal-hands.ts';
import { mutexOperations } from './support/mortal-mutexes.ts';
import { dieInside, type Tally } from './support/mortal-run.ts';
import { outlives, Stage, type Operation } from './support/mortal-stage.ts';
import { rwOperations } from './support/mortal-rw-locks.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/mortal.ts')).mortalKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/mortal.ts')).mortalWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/mortal.ts')).mortalParking(await original()));

const OPERATIONS = [...mutexOperations, ...eventOperations, ...rwOperations];
const tally: Tally = { deaths: 0, reclaimers: 0 };

type Rows = readonly (readonly [name: string, operation: Operation])[];

/** Those of them that show the defect, or that do not. */
function rows(operations: readonly Operation[], defect: ReadonlySet<string>, shows: boolean): Rows {
  return operations.filter(({ name }) => defect.has(name) === shows).map((operation) => [operation.name, operation] as const);
}

// Defect: an agent that dies between the write that counts its wait out and the one that notes it is counted out once more.
const COUNTED_OUT_TWICE = new Set([
  'gives up a mutex in the middle of a line',
  'gives up a mutex behind others that gave up',
  'gives up a mutex as last in line',
  'may not block on a mutex behind its own async wait',
  'gives up a mutex that is on its way past another, with 1 behind it',
  'gives up an event as last in line',
  'gives up an event in the middle of a line',
  'gives up an event whose signal comes past another, with 1 behind it',
  'may not block on an event behind its own async wait',
  'gives up to write before another writer',
  'gives up to read in the middle of a line',
]);
// Defect: the same, and whoever gives a signal again notes it only afterwards.
const RECOVERED_TWICE = new Set([
  'reads one lock and waits for others',
  'waits for an event between others',
  'was signalled and had not looked',
]);

const INSIDE = 'when an agent that %s dies in the middle of a step nobody has anything twice';
const INSIDE_RECOVERY = 'when whoever recovers an agent that %s dies in the middle of a step nobody has anything twice';

async function dieAsVictim(_: string, operation: Operation): Promise<void> {
  await dieInside(operation, tally, 'victim');
}

async function dieAsReclaimer(_: string, operation: Operation): Promise<void> {
  await dieInside(operation, tally, 'reclaimer');
}

test.each(rows(OPERATIONS, COUNTED_OUT_TWICE, false))(INSIDE, dieAsVictim);
test.fails.each(rows(OPERATIONS, COUNTED_OUT_TWICE, true))(INSIDE, dieAsVictim);
test.each(rows(officeHands, RECOVERED_TWICE, false))(INSIDE_RECOVERY, dieAsReclaimer);
test.fails.each(rows(officeHands, RECOVERED_TWICE, true))(INSIDE_RECOVERY, dieAsReclaimer);

// Defect: its block has no size for ever, so no recovery comes to an end any more.
test.fails('an agent that dies while it extends the heap is recovered, and so are those that die later', async () => {
  const { life, victim, reclaimer, third } = new Stage({}, 'js');
  expect(await outlives(life, () => Region.create(100, { arena: victim.arena }), ['inner'], 1)).toBe(false);
  expect(reclaimer.arena.reclaim(victim.seat.id)).toMatchObject({ agent: victim.seat.id });
  third.life.die();
  expect(reclaimer.arena.reclaimDead()).toMatchObject([{ agent: third.seat.id }]);
});

test('figures of all of them are shown', () => {
  console.log(`${OPERATIONS.length} operations, ${tally.deaths} deaths in the middle of steps`);
  expect(tally.deaths).toBeGreaterThan(1000);
});
