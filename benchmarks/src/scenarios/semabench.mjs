// @ts-check
import { buildNative } from '../lib/native.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { checked, semabench, summarize } from '../lib/semabench.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/semabench.mjs').SemabenchResult} SemabenchResult */

export const name = 'semabench';
export const summary = "the paper's benchmark at 1 to 64 workers, against the C++ version";

const fairnessBar = { atLeast: 0.9 };
const fairnessFrom = 4;
const head = ['workers', 'lock', 'pairs/s', 'slowest..fastest', 'of C++', 'min/max', 'worst', 'wake-ups/pair', 'CPU us/pair', 'peak MiB', 'bar'];

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const native = await buildNative();
  if (typeof native === 'string') report.note(`skipped: ${native}`);
  const times = quick ? { seconds: 0.1, warmUpSeconds: 0.05 } : { seconds: 3, warmUpSeconds: 0.3 };
  const rows = [];
  for (const workers of quick ? [2, 4] : [1, 2, 4, 8, 16, 32, 64]) {
    /** @type {Map<string, () => Promise<SemabenchResult>>} */
    const measurements = new Map([['Sluice', () => semabench({ subject: 'sluice', workers, ...times })]]);
    if (typeof native !== 'string') {
      measurements.set('C++, the same algorithm', async () => checked(await native.semabench('twa', { workers, ...times })));
      measurements.set('C++, sem_t', async () => checked(await native.semabench('posix', { workers, ...times })));
    }
    const outcomes = await interleave(measurements, repetitions, (line) => report.progress(`${workers} workers ${line}`));
    const reference = outcomes.get('C++, the same algorithm')?.values ?? [];
    for (const [title, { values, failure }] of outcomes) {
      const subject = `${title} at ${workers} workers`;
      if (failure !== null) {
        report.fail(subject, failure);
        continue;
      }
      const summary = summarize(values);
      const rates = pairedRatios(values.map((v) => v.pairsPerSecond), reference.map((v) => v.pairsPerSecond));
      const ofNative = rates.length > 0 ? median(rates) : null;
      const judged = title === 'Sluice' && workers >= fairnessFrom && !quick;
      const bars = judged ? [bar(`fairness of ${subject} over ${times.seconds} s`, summary.fairness, fairnessBar)] : [];
      report.add({ subject: title, workers, repetitions, ...summary, ofNative, samples: values, bars });
      rows.push([
        String(workers),
        title,
        show(summary.pairsPerSecond),
        `${show(summary.slowest)}..${show(summary.fastest)}`,
        show(ofNative),
        show(summary.fairness),
        show(summary.fairnessWorst),
        show(summary.wakeUpsPerPair),
        show(summary.cpuMicrosPerPair),
        show(summary.peakMiB),
        bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(),
      ]);
    }
  }
  report.table(`Semabench on ${currentRuntime.name}, ${times.seconds} s for each point, median of ${repetitions}`, head, rows);
}
