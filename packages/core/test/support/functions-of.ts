// The functions that one contended call runs.

import { Session, type Profiler } from 'node:inspector';
import { expect, onTestFinished, vi } from 'vitest';

// With many threads each one waits a few hundred times a second, so the engine interprets the way to a sleep and back.
// Each function on it costs.

export const POLICY = { spinMicros: 0 } as const;

/**
 * The functions, as 'file name', that `take` runs with one sleep in it, without those of the kernel. `release` runs in
 * place of the sleep. Functions without a name are left out: among them are those by which the test runner imports.
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
    const file = /\/packages\/(\w+\/src\/.*)$/.exec(url)?.[1];
    if (file === undefined || file.startsWith('core/src/kernel/')) return [];
    return functions
      .filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => `${file} ${functionName}`);
  });
  return [...new Set(names)].sort();
}

export const filesOf = (functions: readonly string[]): Set<string | undefined> =>
  new Set(functions.map((each) => each.split(' ')[0]));
