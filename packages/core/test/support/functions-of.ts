// Lists the functions that one contended call runs.

import { Session, type Profiler } from 'node:inspector';
import { expect, onTestFinished, vi } from 'vitest';

// With many threads each thread waits only a few hundred times per second, so the engine interprets the path to a sleep
// and back. Each function on this path costs time.

export const POLICY = { spinMicros: 0 } as const;

/**
 * Returns the functions, as 'file name', that `take` runs with one sleep, without the functions of the kernel.
 * `release` runs instead of the sleep. Functions without a name are omitted, because the test runner's import functions
 * are among them.
 */
export function functionsOf(take: () => void, release: () => void): string[] {
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
    const file = /\/packages\/([\w-]+\/src\/.*)$/.exec(url)?.[1];
    if (file === undefined || file.startsWith('core/src/kernel/')) return [];
    return functions
      .filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => `${file} ${functionName}`);
  });
  return [...new Set(names)].sort();
}

export const filesOf = (functions: readonly string[]): Set<string | undefined> =>
  new Set(functions.map((each) => each.split(' ')[0]));
