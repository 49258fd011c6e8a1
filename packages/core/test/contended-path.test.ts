import { Session, type Profiler } from 'node:inspector';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Mutex } from '../../mutex/src/index.ts';
import { MUTEX, type MutexKernel } from '../../mutex/src/kinds.ts';
import { contextOf } from '../src/arena/arena.ts';
import { openPrimitive } from '../src/arena/primitive.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { OFFICE } from '../src/kernel/layout.ts';
import { NEEDS_WALK } from '../src/kernel/states.ts';

// With many threads each one waits a few hundred times a second, so the engine interprets the way to a sleep and back. Each function on it
// costs.

const POLICY = { spinMicros: 0 } as const;

/**
 * The functions, as 'file name', that `take` runs with one sleep in it, without those of the kernel. `release` runs in place of the sleep.
 * Functions without a name are left out: among them are those by which the test runner imports.
 */
function functionsOf(take: () => void, release: () => void): string[] {
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  let counted: Profiler.ScriptCoverage[] = [];
  const collect = (): void => {
    session.post('Profiler.takePreciseCoverage', (_, { result }) => void (counted = [...counted, ...result]));
  };
  const sleep = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
    collect();
    release();
    // Collecting resets the counts.
    session.post('Profiler.takePreciseCoverage');
    return 'ok';
  });
  onTestFinished(() => sleep.mockRestore());
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  take();
  collect();
  session.post('Profiler.stopPreciseCoverage');
  expect(sleep).toHaveBeenCalledOnce();
  const names = counted.flatMap(({ url, functions }) => {
    const file = /\/packages\/(\w+\/src\/.*)$/.exec(url)?.[1];
    if (file === undefined || file.startsWith('core/src/kernel/')) return [];
    return functions.filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => `${file} ${functionName}`);
  });
  return [...new Set(names)].sort();
}

const filesOf = (functions: readonly string[]): Set<string | undefined> => new Set(functions.map((each) => each.split(' ')[0]));

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

test('a contended lock passes through sixteen named functions in eight files', () => {
  const arena = Arena.create({ maxPages: 8 });
  const mutex = Mutex.create({ arena, policy: POLICY });
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
    'core/src/arena/agent-context.ts begin',
    'core/src/arena/agent-context.ts keep',
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
