// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/recovery.mjs').RecoveryResult} RecoveryResult */

export const name = 'recovery';
export const summary = 'tasks of a pool and passes of a lock over time, while a worker is killed';

const SLICE_MS = 20;
const SLICES = 100;
const KILL_AFTER = 50;
/** Slices in which the throughput may be back: the last second but the first 0.2 s of it. */
const BACK_AFTER = KILL_AFTER + 10;

/** @type {readonly { what: 'pool' | 'lock', subjects: readonly (readonly [subject: string, title: string])[] }[]} */
const PARTS = [
  {
    what: 'pool',
    subjects: [
      ['sluice', 'WorkerPool'],
      ['piscina', 'piscina'],
    ],
  },
  {
    what: 'lock',
    subjects: [
      ['mutex', 'Mutex'],
      ['textbook-mutex', 'textbook mutex'],
    ],
  },
];

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const [slices, killAfter] = quick ? [10, 5] : [SLICES, KILL_AFTER];
  for (const { what, subjects } of PARTS) {
    const measurements = new Map(
      subjects.map(([subject, title]) => {
        const specification = { what, subject, sliceMs: SLICE_MS, slices, killAfter };
        const measure = async () =>
          /** @type {RecoveryResult} */ (await runJob('recovery', specification, { timeoutMs: 60_000 }));
        return /** @type {const} */ ([title, measure]);
      }),
    );
    const rows = [];
    for (const [title, { values, failure }] of await interleave(measurements, repetitions, report.progress)) {
      if (failure !== null) {
        report.fail(title, failure);
        continue;
      }
      // The run in the middle by what came after the kill: a median of each slice would hide when they dip.
      const share = (/** @type {RecoveryResult} */ { perSlice }) =>
        meanOf(perSlice.slice(quick ? killAfter : BACK_AFTER)) / meanOf(perSlice.slice(0, killAfter));
      const shares = values.map(share);
      const middle = values[shares.indexOf(medianOne(shares))] ?? values[0];
      const perSecond = (middle?.perSlice ?? []).map((count) => (count * 1000) / SLICE_MS);
      const isOwn = title === subjects[0]?.[1];
      const bars =
        isOwn && !quick
          ? [bar(`${title}: throughput after a kill over that before`, median(shares), { atLeast: 0.9 })]
          : [];
      report.add({
        subject: title,
        what,
        sliceMs: SLICE_MS,
        killAfter,
        runtime: currentRuntime.name,
        repetitions,
        share: median(shares),
        perSecond,
        samples: values,
        bars,
      });
      rows.push([
        title,
        show(meanOf(perSecond.slice(0, killAfter))),
        show(median(shares)),
        String(perSecond.slice(killAfter).filter((rate) => rate === 0).length * SLICE_MS),
        bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(''),
      ]);
    }
    report.table(
      `${what}, one worker killed, on ${currentRuntime.name}, median of ${repetitions}`,
      [what, 'a second before', 'after over before', 'ms without any', 'bar'],
      rows,
    );
  }
}

/** @param {readonly number[]} numbers */
function meanOf(numbers) {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** The lower one of the middle. @param {readonly number[]} numbers */
function medianOne(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? Number.NaN;
}
