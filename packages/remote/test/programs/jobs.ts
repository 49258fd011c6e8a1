// Jobs that run once in a fleet at each of their times. The engines' tests run them.

import type { Space } from '../../src/index.ts';

const TIMES = [Date.UTC(2026, 10, 30, 3, 0), Date.UTC(2026, 10, 30, 4, 0), Date.UTC(2026, 10, 30, 5, 0)] as const;

async function untilState(space: Space, at: number, state: string): Promise<void> {
  while ((await space.once('report', { at }).inspect()).state !== state);
}

/** Every process asks at each time. Returns the times that ran, and what a process learns that comes late. */
export async function jobs(spaces: readonly Space[]): Promise<string[]> {
  const log: string[] = [];
  const late = spaces.at(-1) as Space;
  for (const at of TIMES) {
    const run = (space: Space): Promise<void> =>
      space.once('report', { at: new Date(at) }).runAsync(() => void log.push(`ran at ${new Date(at).getUTCHours()}`));
    await Promise.all(spaces.map(run));
    await run(late);
  }
  const first = late.once('report', { at: TIMES[0] });
  log.push(`earlier: done ${await first.isDone}, ${(await first.inspect()).state}, within ${await first.tryWait()}`);
  const next = late.once('report', { at: TIMES[2] + 1 });
  log.push(`later: done ${await next.isDone}, ${(await next.inspect()).state}, within ${await next.tryWait()}`);
  log.push(`another job: done ${await late.once('other', { at: TIMES[0] }).isDone}`);
  const future = late.once('report', { at: Date.now() + 1e9 });
  log.push(`future: ran ${await future.tryRun(() => void log.push('too early'))}`);
  return log;
}

export const JOBS = [
  'ran at 3',
  'ran at 4',
  'ran at 5',
  'earlier: done true, done, within true',
  'later: done false, idle, within false',
  'another job: done false',
  'future: ran false',
];

/** A process begins a run and ends. Returns who has run the job. */
export async function runners(first: Space, second: Space, rerun: boolean): Promise<string[]> {
  const log: string[] = [];
  const at = TIMES[0];
  const job = (space: Space) => space.once('report', { at, rerun });
  const begun = new Promise<void>((resolve) => {
    void job(first)
      .runAsync(() => {
        log.push('first');
        resolve();
        return new Promise(() => undefined);
      })
      .catch(() => undefined);
  });
  await begun;
  if (rerun) await untilState(second, at, 'running');
  const next = job(second).runAsync(() => void log.push('second'));
  await first.close();
  await next;
  return log;
}

/** A run throws. Returns what became of it. */
export async function failures(first: Space, second: Space, rerun: boolean): Promise<string[]> {
  const log: string[] = [];
  const job = (space: Space) => space.once('fails', { at: TIMES[0], rerun });
  await job(first)
    .runAsync(() => Promise.reject(new Error('no connection')))
    .catch((failure: unknown) => log.push((failure as Error).message));
  await job(second).runAsync(() => void log.push('second'));
  return log;
}
