import { expect, test } from 'vitest';
import { openPrimitive } from '../../core/src/primitive/block.ts';
import { Arena } from '../../core/src/index.ts';
import { OFFICE } from '../../core/src/kernel/layout.ts';
import { NEEDS_WALK } from '../../core/src/kernel/states.ts';
import { filesOf, functionsOf, POLICY } from '../../core/test/support/functions-of.ts';
import { Mutex, type MutexOptions } from '../src/index.ts';
import { MUTEX, type MutexKernel } from '../src/kinds.ts';

/**
 * Returns the functions that a `lock` runs that waits for another agent. `unlock` is the act of that agent, and returns
 * whether a walk must be finished.
 */
function functionsOfLock(
  order: Pick<MutexOptions, 'order'>,
  unlock: (kernel: MutexKernel, mutex: Mutex, at: ReturnType<typeof openPrimitive>, other: number) => boolean,
): string[] {
  const arena = Arena.create({ maxPages: 8 });
  const mutex = Mutex.create({ arena, policy: POLICY, ...order });
  const ref = openPrimitive(mutex.handle, MUTEX);
  const { address, context } = ref;
  const other = 1000;
  context.words.store64(address + OFFICE, BigInt(other));
  context.refill();
  return functionsOf(
    () => mutex.lock(),
    () => {
      if (unlock(context.kernel as MutexKernel, mutex, ref, other)) context.finishWalk();
    },
  );
}

const LINE = [
  'core/src/agent/parking.ts date',
  'core/src/agent/parking.ts wait',
  'core/src/line/line.ts blockInLine',
  'core/src/line/line.ts endOfWait',
  'core/src/platform/reserve-stack.ts reserveStack',
];

test('a contended lock() runs seven named functions in five files', () => {
  const functions = functionsOfLock({}, (kernel, _mutex, { address, context }, other) => {
    const passed = kernel.handOverMutex(address, context.agent, other, 1);
    expect(passed).toBe(NEEDS_WALK);
    return true;
  });
  expect(functions).toEqual([...LINE, 'mutex/src/in-turns.ts enter', 'mutex/src/mutex.ts lock']);
  expect(filesOf(functions).size).toBe(5);
});

test('with the order "fifo" a contended lock() runs seven named functions in five files', () => {
  const functions = functionsOfLock({ order: 'fifo' }, (kernel, mutex, { address, context }, other) => {
    expect(kernel.passMutexInOrder(address, mutex.handle.tag, context.agent, other)).toBeGreaterThan(0);
    return false;
  });
  expect(functions).toEqual([...LINE, 'mutex/src/in-order.ts enter', 'mutex/src/mutex.ts lock']);
  expect(filesOf(functions).size).toBe(5);
});
