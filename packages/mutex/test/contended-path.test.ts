import { expect, test } from 'vitest';
import { openPrimitive } from '../../core/src/arena/primitive.ts';
import { Arena } from '../../core/src/index.ts';
import { OFFICE } from '../../core/src/kernel/layout.ts';
import { NEEDS_WALK } from '../../core/src/kernel/states.ts';
import { filesOf, functionsOf, POLICY } from '../../core/test/support/functions-of.ts';
import { Mutex } from '../src/index.ts';
import { MUTEX, type MutexKernel } from '../src/kinds.ts';

test('a contended lock passes through fourteen named functions in eight files', () => {
  const arena = Arena.create({ maxPages: 8 });
  const mutex = Mutex.create({ arena, policy: POLICY, order: 'fifo' });
  const { address, context } = openPrimitive(mutex.handle, MUTEX);
  const other = 1000;
  context.words.store64(address + OFFICE, BigInt(other));
  context.refill();
  const functions = functionsOf(
    () => mutex.lock(),
    () => {
      expect((context.kernel as MutexKernel).handOver(address, context.agent, other)).toBe(NEEDS_WALK);
      context.finishWalk();
    },
  );
  expect(functions).toEqual([
    'core/src/arena/agent-context.ts refill',
    'core/src/lock-health.ts inherit',
    'core/src/owned-lock.ts lock',
    'core/src/parking.ts date',
    'core/src/parking.ts wait',
    'core/src/placed-lock.ts enter',
    'core/src/placed-lock.ts get health',
    'core/src/placed-lock.ts isOwner',
    'core/src/semaphore/bouncer.ts #visitOnce',
    'core/src/semaphore/bouncer.ts enter',
    'core/src/semaphore/line.ts blockInLine',
    'core/src/semaphore/line.ts endOfWait',
    'core/src/semaphore/line.ts sleepInLine',
    'mutex/src/mutex.ts lock',
  ]);
  expect(filesOf(functions).size).toBe(8);
});
