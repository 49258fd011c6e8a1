// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { bar, show } from '../lib/report.mjs';

export const name = 'view';
export const summary =
  'one worker per core: passes through mutexes while a page of a view asks for frames, over without';
export const repetitions = 1;

/** Async waits are those of the main thread, beside the workers. */
const SUBJECTS = /** @type {const} */ ([
  { subject: 'no waits', waits: 0, server: 'view' },
  { subject: '1,000 waits', waits: 1000, server: 'view' },
  { subject: 'floor: the same text each time', waits: 0, server: 'fixed text' },
]);
const LIMIT = { atLeast: 0.98 };

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick }) {
  const sizes = quick ? { blocks: 1, blockMillis: 100 } : { blocks: 20, blockMillis: 1000 };
  const rows = [];
  for (const { subject, waits, server } of SUBJECTS) {
    const { over, perSecond, frames } = /** @type {import('../jobs/view.mjs').ViewResult} */ (
      await runJob('view', { ...sizes, waits, server }, { timeoutMs: 300_000 })
    );
    const bars = quick || server !== 'view' ? [] : [bar(`${subject}: passes with a page, over without`, over, LIMIT)];
    report.add({ subject, over, perSecond, frames, bars });
    rows.push([
      subject,
      show(perSecond),
      frames.toFixed(1),
      over.toFixed(3),
      bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(),
    ]);
  }
  report.table(
    'passes of one worker per core: medians of alternating blocks of 1 s',
    ['arena', 'passes/s without', 'frames/s', 'with a page, over without', 'bar'],
    rows,
  );
}
