import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { filesOf, functionsOf, POLICY } from './support/functions-of.ts';

const SLEEPS = [
  'core/src/agent/parking.ts date',
  'core/src/agent/parking.ts wait',
  'core/src/line/line.ts blockInLine',
  'core/src/line/line.ts endOfWait',
  'core/src/semaphore/semaphore.ts acquire',
];
/** Only the next waiter in line may spin. */
const DOES_NOT_SPIN = [...SLEEPS, 'core/src/agent/spin-budget.ts mayTry', 'core/src/line/line.ts sleepInLine'];
const SPINS = [
  ...DOES_NOT_SPIN,
  'core/src/agent/parking.ts now',
  'core/src/agent/parking.ts spinHint',
  'core/src/agent/spin-budget.ts note',
  'core/src/line/line.ts spin',
  'core/src/line/line.ts spinAtLine',
  'core/src/line/line.ts spinFor',
];

function pathOf(options: { readonly policy?: typeof POLICY }, spinPays = true): string[] {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(0, { arena, ...options });
  const context = contextOf(arena);
  // Only the first wait of an agent gets its element from the pool.
  context.refill();
  if (!spinPays) context.spins.note(false);
  return functionsOf(
    () => sem.acquire(),
    () => sem.release(),
  );
}

test('a contended acquire() runs five functions in three files', () => {
  const functions = pathOf({ policy: POLICY });
  expect(functions).toEqual(SLEEPS);
  expect(filesOf(functions).size).toBe(3);
});

test('a contended acquire() of the next waiter runs seven functions in four files if spinning does not pay', () => {
  const functions = pathOf({}, false);
  expect(functions).toEqual(DOES_NOT_SPIN.sort());
  expect(filesOf(functions).size).toBe(4);
});

test('a contended acquire() that spins before it sleeps runs thirteen functions in four files', () => {
  const functions = pathOf({});
  // The platform's `Atomics.pause` is no function of this package.
  expect(functions).toEqual(SPINS.filter((each) => !('pause' in Atomics && each.endsWith('spinHint'))).sort());
  expect(filesOf(functions).size).toBe(4);
});
