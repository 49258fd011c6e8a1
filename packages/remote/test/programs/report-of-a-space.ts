// What `space.report()` says of two sessions that wait for each other. The engines' tests run it.

import { formatSpaceReport, type Space, type SpaceReport } from '../../src/index.ts';

/** A call that stays pending until its space is closed. */
function pending(call: Promise<unknown>): void {
  call.catch(() => undefined);
}

async function untilWaiting(space: Space, waits: number): Promise<SpaceReport> {
  for (;;) {
    const report = await space.report();
    if (report.primitives.reduce((sum, { waiters }) => sum + waiters.length, 0) === waits) return report;
  }
}

/** Uses every kind of primitive. `first` and `second` hold a mutex each, and wait for that of the other. */
export async function reportOf(first: Space, second: Space): Promise<{ report: SpaceReport; text: string }> {
  await first.mutex('a').lockAsync();
  await second.mutex('b').lockAsync();
  pending(first.mutex('b').lockAsync());
  pending(second.mutex('a').lockAsync());
  await first.semaphore('db', 3).acquireAsync(2);
  await first.keyedMutex('jobs').lockAsync('x:1');
  await first.rwLock('table').reader.lockAsync();
  await first.countdownLatch('parts', 2).claim(2);
  pending(second.countdownLatch('parts', 2).waitAsync());
  pending(second.barrier('phase', 2).waitAsync());
  pending(first.once('schema').runAsync(() => new Promise<never>(() => undefined)));
  await second.mutex('free').runAsync(() => undefined);
  for (;;) {
    const { primitives } = await first.report();
    if (primitives.some(({ kind }) => kind === 'Once')) break;
  }
  const report = await untilWaiting(first, 4);
  return { report, text: formatSpaceReport(report) };
}

/** What the report contains, without the names of sessions and the times. */
export function summaryOf({ sessions, primitives, cycles }: SpaceReport): object {
  const labels = new Map(sessions.map(({ session, label }) => [session, label]));
  return {
    sessions: sessions.map(({ label }) => label).sort(),
    primitives: primitives.map(({ kind, name, holders, waiters }) => [
      `${kind} ${name}`,
      holders.map(({ label, permits }) => `${label} ${permits}`),
      waiters.map(({ label, permits }) => `${label} ${permits}`),
    ]),
    cycles: cycles.map((cycle) =>
      cycle
        .map(({ label, waitsFor: { kind, name }, heldBy }) => `${label}: ${kind} ${name}, ${labels.get(heldBy)}`)
        .sort(),
    ),
  };
}

export const SUMMARY = {
  sessions: ['first', 'second'],
  primitives: [
    ['Barrier phase', [], ['second 1']],
    ['CountdownLatch parts', ['first 2'], ['second 1']],
    ['KeyedMutex jobs/x:1', ['first 1'], []],
    ['Mutex a', ['first 1'], ['second 1']],
    ['Mutex b', ['second 1'], ['first 1']],
    ['Once schema', ['first 1'], []],
    ['RwLock table', ['first 1'], []],
    ['Semaphore db', ['first 2'], []],
  ],
  cycles: [['first: Mutex b, second', 'second: CountdownLatch parts, first']],
};
