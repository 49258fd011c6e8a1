// @ts-check
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/start-up.mjs').StartUpResult} StartUpResult */
/** @typedef {Omit<import('../jobs/start-up.mjs').StartUpSpecification, 'workers'>} Case */

export const name = 'start-up';
export const summary = 'CPU time of a worker that opens its first semaphore, over an empty worker';

const empty = 'empty worker';
const emptyFile = (/** @type {string} */ name) => new URL(`../workers/empty-modules/${name}.mjs`, import.meta.url).href;
const opens = 'opens a semaphore';
const compiles = 'opens a semaphore, handle without module';
/** Another checkout with built packages, to compare with in the same run. */
const before = process.env['SLUICE_BEFORE'];
const core = import.meta.resolve('@sluice/core');

/** @type {Map<string, Case>} */
const cases = new Map();
cases.set(empty, { core: null, withModule: false });
// The floor: what an import costs that does nothing.
cases.set('imports one empty file', { core: emptyFile('one'), maker: core, withModule: true });
cases.set('imports five empty files, as many as the core has', {
  core: emptyFile('five'),
  maker: core,
  withModule: true,
});
cases.set(opens, { core, withModule: true });
cases.set(compiles, { core, withModule: false });
if (before !== undefined) cases.set(`opens a semaphore, ${before}`, { core: coreOf(before), withModule: true });

/** @type {ReadonlyMap<string, { atMost: number }>} in ms over an empty worker */
const limits = new Map([[opens, { atMost: 8 }]]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const workers = quick ? 1 : 7;
  const measurements = new Map(
    [...cases].map(([title, specification]) => [
      title,
      async () =>
        /** @type {StartUpResult} */ (await runJob('start-up', { ...specification, workers }, { timeoutMs: 60_000 })),
    ]),
  );
  const outcomes = await interleave(measurements, repetitions, report.progress);
  const baseline = outcomes.get(empty)?.values ?? [];
  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    const cpuMillis = median(values.map((value) => value.cpuMillis));
    // Within each repetition: a slow minute of the machine hits both.
    const over =
      baseline.length === values.length
        ? median(values.map((value, n) => value.cpuMillis - (baseline[n]?.cpuMillis ?? 0)))
        : null;
    const limit = limits.get(title);
    const bars =
      quick || limit === undefined || over === null
        ? []
        : [bar(`${title}, ms of CPU over an empty worker`, over, limit)];
    report.add({
      subject: title,
      runtime: currentRuntime.name,
      repetitions,
      cpuMillis,
      overEmpty: over,
      samples: values,
      bars,
    });
    rows.push([
      title,
      show(cpuMillis),
      show(over),
      show(median(values.map((value) => value.wallMillis))),
      bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(),
    ]);
  }
  report.table(
    `One worker on ${currentRuntime.name}, median of ${repetitions}`,
    ['worker', 'ms of CPU', 'over empty', 'ms until its end', 'bar'],
    rows,
  );
}

/** @param {string} checkout */
function coreOf(checkout) {
  return pathToFileURL(join(checkout, 'packages', 'core', 'dist', 'index.js')).href;
}
