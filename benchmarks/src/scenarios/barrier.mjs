// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { buildNative } from '../lib/native.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/barrier.mjs').BarrierResult} BarrierResult */

export const name = 'barrier';
export const summary = 'generations of 4 and 16 threads at a barrier, beside npm multithreading and C++ std::barrier';

const OWN = 'Barrier';
const NATIVE = 'C++ std::barrier';

/**
 * `since`: the first line of Node that it runs on. @type {readonly { title: string, subject:
 * import('../subjects/subject.mjs').SubjectName, since: number }[]}
 */
const subjects = [
  { title: OWN, subject: 'barrier', since: 20 },
  { title: 'by hand over Atomics', subject: 'atomics-barrier', since: 20 },
  { title: 'multithreading Barrier', subject: 'multithreading-barrier', since: 21 },
];

/** Generations of `Barrier` over those of the other one, within each repetition. @type {ReadonlyMap<string, number>} */
const goals = new Map([
  ['by hand over Atomics', 1.1],
  ['multithreading Barrier', 1.3],
  [NATIVE, 0.4],
]);

const points = { threads: [4, 16], seconds: 2, warmUpSeconds: 0.5 };
const quickPoints = { threads: [3], seconds: 0.05, warmUpSeconds: 0.02 };

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const { threads: numbers, ...times } = quick ? quickPoints : points;
  const node24 = await findNode(24, { fetch: !quick });
  if (node24 === null)
    report.note('skipped: npm `multithreading` needs Node 21, and no Node 24 was found (name one in SLUICE_NODE24)');
  const runtime = node24 ?? currentRuntime;
  const native = await buildNative();
  if (typeof native === 'string') report.note(`skipped: ${native}`);
  const rows = [];
  for (const threads of numbers) {
    const point = { threads, ...times };
    const timeoutMs = (times.seconds + times.warmUpSeconds) * 1000 + 30_000;
    /** @type {Map<string, () => Promise<BarrierResult>>} */
    const measurements = new Map(
      subjects
        .filter(({ since }) => runtime.major >= since)
        .map(({ title, subject }) => [
          title,
          async () =>
            /** @type {BarrierResult} */ (await runJob('barrier', { subject, ...point }, { timeoutMs, runtime })),
        ]),
    );
    if (typeof native !== 'string') measurements.set(NATIVE, () => native.barrier(point));
    const outcomes = await interleave(measurements, repetitions, (line) =>
      report.progress(`${threads} threads ${line}`),
    );
    const own = outcomes.get(OWN)?.values ?? [];
    for (const [title, { values, failure }] of outcomes) {
      if (failure !== null) {
        report.fail(`${title} of ${threads} threads`, failure);
        continue;
      }
      const rate = median(values.map((value) => value.generationsPerSecond));
      const cpu = median(values.map((value) => value.cpuMicrosPerGeneration));
      // Within each repetition: a slow minute of the machine hits both.
      const ratio = median(
        values.map((value, n) => (own[n]?.generationsPerSecond ?? NaN) / value.generationsPerSecond),
      );
      const atLeast = goals.get(title);
      const bars =
        atLeast !== undefined && !quick ? [bar(`Barrier of ${threads} threads over ${title}`, ratio, { atLeast })] : [];
      report.add({
        subject: title,
        runtime: title === NATIVE ? 'native' : runtime.name,
        threads,
        repetitions,
        generationsPerSecond: rate,
        cpuMicrosPerGeneration: cpu,
        barrierOverThis: ratio,
        samples: values,
        bars,
      });
      rows.push([
        String(threads),
        title,
        show(rate),
        show(cpu),
        title === OWN ? '' : show(ratio),
        bars.map(({ limit, met }) => `${limit}: ${met ? 'met' : 'MISSED'}`).join(''),
      ]);
    }
  }
  report.table(
    `Generations of a barrier on ${runtime.name}, ${times.seconds} s for each point, median of ${repetitions}`,
    ['threads', 'barrier', 'generations/s', 'CPU us each', 'Barrier over it', 'bar'],
    rows,
  );
}
