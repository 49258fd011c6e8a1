import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { filesOf, functionsOf, POLICY } from './support/functions-of.ts';

test('a contended acquire passes through eight functions in four files', () => {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(0, { arena, policy: POLICY });
  // Only the first wait of an agent gets its element from the pool.
  contextOf(arena).refill();
  const functions = functionsOf(() => sem.acquire(), () => sem.release());
  expect(functions).toEqual([
    'core/src/arena/agent-context.ts begin',
    'core/src/arena/agent-context.ts keep',
    'core/src/parking.ts date',
    'core/src/parking.ts wait',
    'core/src/semaphore.ts acquire',
    'core/src/semaphore/line.ts blockInLine',
    'core/src/semaphore/line.ts endOfWait',
    'core/src/semaphore/line.ts sleepInLine',
  ]);
  expect(filesOf(functions).size).toBe(4);
});
