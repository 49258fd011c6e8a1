import { expect, test } from 'vitest';
import { openPrimitive } from '../../core/src/primitive/primitive.ts';
import { Arena } from '../../core/src/index.ts';
import { OFFICE } from '../../core/src/kernel/layout.ts';
import { filesOf, functionsOf, POLICY } from '../../core/test/support/functions-of.ts';
import { Mutex } from '../src/index.ts';
import { MUTEX, type MutexKernel } from '../src/kinds.ts';

test('a contended lock passes through seven named functions in five files', () => {
  const arena = Arena.create({ maxPages: 8 });
  const mutex = Mutex.create({ arena, policy: POLICY, order: 'fifo' });
  const { address, context } = openPrimitive(mutex.handle, MUTEX);
  const other = 1000;
  context.words.store64(address + OFFICE, BigInt(other));
  context.refill();
  const functions = functionsOf(
    () => mutex.lock(),
    () => {
      expect(
        (context.kernel as MutexKernel).passInOrder(address, mutex.handle.tag, context.agent, other),
      ).toBeGreaterThan(0);
    },
  );
  expect(functions).toEqual([
    'core/src/agent/parking.ts date',
    'core/src/agent/parking.ts wait',
    'core/src/line/line.ts blockInLine',
    'core/src/line/line.ts endOfWait',
    'core/src/platform/reserve-stack.ts reserveStack',
    'mutex/src/any-mutex.ts enterInOrder',
    'mutex/src/mutex.ts lock',
  ]);
  expect(filesOf(functions).size).toBe(5);
});
