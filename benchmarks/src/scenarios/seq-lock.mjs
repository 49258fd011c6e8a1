// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/seq-lock.mjs').SeqLockResult} SeqLockResult */
/** @typedef {import('../jobs/seq-lock.mjs').Way} Way */

export const name = 'seq-lock';
export const summary =
  'reads of a small shared value: by a seq-lock, by plain loads, by a hand-written seq-lock, and under a read-write lock';

/** Which way of reading is beside which. @type {readonly (readonly [title: string, way: Way])[]} */
const WAYS = [
  ['plain loads', 'plain'],
  ['SeqLock.read(value)', 'seq-lock'],
  ['SeqLock.read(f)', 'seq-lock-function'],
  ['SeqSnapshot.refresh', 'snapshot'],
  ['seq-lock by hand, plain loads', 'by-hand'],
  ['RwLock.reader', 'rw-lock'],
];

/** What one reader is beside several: 1 on a machine with enough cores. Two cores share the work of more threads. */
const head = [
  'bytes',
  'readers',
  'writers',
  'read by',
  'reads/s',
  'time of a plain read',
  'of one reader',
  'failed of a million',
];

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const times = quick ? { seconds: 0.05, warmUpSeconds: 0.02 } : { seconds: 0.5, warmUpSeconds: 0.2 };
  const rows = [];
  for (const byteLength of quick ? [64] : [16, 64, 1024]) {
    /** @type {Map<string, readonly SeqLockResult[]>} */
    const alone = new Map();
    for (const [readers, writers] of quick
      ? [
          [1, 0],
          [2, 1],
        ]
      : [
          [1, 0],
          [2, 0],
          [4, 0],
          [8, 0],
          [1, 1],
        ]) {
      const timeoutMs = (times.seconds + times.warmUpSeconds) * 1000 + 30_000;
      // A plain read and a seq-lock by hand are no yardsticks while a thread writes.
      const ways = writers === 0 ? WAYS : WAYS.filter(([, way]) => way !== 'plain' && way !== 'by-hand');
      /** @type {Map<string, () => Promise<SeqLockResult>>} */
      const measurements = new Map(
        ways.map(([title, way]) => [
          title,
          async () =>
            /** @type {SeqLockResult} */ (
              await runJob('seq-lock', { way, byteLength, readers, writers, ...times }, { timeoutMs })
            ),
        ]),
      );
      const outcomes = await interleave(measurements, repetitions, (line) =>
        report.progress(`${byteLength} bytes, ${readers} readers, ${writers} writers ${line}`),
      );
      const plain = outcomes.get('plain loads')?.values ?? [];
      for (const [title, { values, failure }] of outcomes) {
        if (failure !== null) {
          report.fail(`${title}, ${byteLength} bytes, ${readers} readers, ${writers} writers`, failure);
          continue;
        }
        if (readers === 1 && writers === 0) alone.set(title, values);
        const rate = median(values.map((value) => value.readsPerSecond));
        // Within each repetition: a slow minute of the machine hits both.
        const beside = median(values.map((value, n) => (plain[n]?.readsPerSecond ?? NaN) / value.readsPerSecond));
        const one = median(
          values.map((value, n) => value.readsPerSecond / (alone.get(title)?.[n]?.readsPerSecond ?? NaN)),
        );
        const failed = median(values.map((value) => (value.failed * 1e6) / value.reads));
        const isOwn = (title === 'SeqLock.read(value)' || title === 'SeqSnapshot.refresh') && writers === 0 && !quick;
        const bars = isOwn
          ? [
              bar(`${title} of ${byteLength} bytes by ${readers}: times a plain read`, beside, {
                atMost: title === 'SeqLock.read(value)' ? 2 : 1.5,
              }),
              // Of the machine's cores.
              ...(readers === 1
                ? []
                : [bar(`${title} of ${byteLength} bytes: ${readers} readers over one`, one, { atLeast: 1 })]),
            ]
          : [];
        report.add({
          subject: title,
          byteLength,
          readers,
          writers,
          repetitions,
          readsPerSecond: rate,
          timesPlain: beside,
          ofOneReader: one,
          failedOfMillion: failed,
          samples: values,
          bars,
        });
        rows.push([
          String(byteLength),
          String(readers),
          String(writers),
          title,
          show(rate),
          writers === 0 ? show(beside) : '',
          show(one),
          show(failed),
        ]);
      }
    }
  }
  report.table(
    `Reads of a shared value on ${currentRuntime.name}, ${times.seconds} s for each point, median of ${repetitions}`,
    head,
    rows,
  );
}
