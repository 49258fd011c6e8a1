// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { buildNative } from '../lib/native.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';
import { cases, mutex, mutexCases, shipped, v8Mutex, withoutRecovery, withRecovery } from './uncontended-cases.mjs';

/** @typedef {import('../jobs/uncontended.mjs').UncontendedResult} UncontendedResult */
/** @typedef {import('../lib/context.mjs').Context} Context */
/** @typedef {import('../lib/runtimes.mjs').Runtime} Runtime */
/** @typedef {Map<string, () => Promise<UncontendedResult>>} Measurements */
/** @typedef {ReadonlyMap<string, import('../lib/repeat.mjs').Outcome<UncontendedResult>>} Outcomes */

export const name = 'uncontended';
export const summary = 'one thread: acquire and release, against two bare Atomics.add and against C++';

const semaphoreBar = { atMost: 0.75 };
const mutexBar = { atMost: 0.6 };
const recoveryBar = { atMost: 1.15 };
const v8Bar = { atLeast: 3 };
const head = ['operation', 'ns/pair', 'fastest block', 'two adds ns', 'ratio', 'over Mutex', 'bar'];

/** @param {Context} context */
export async function run(context) {
  const here = jobs(context, currentRuntime, cases);
  await addNative(context, here);
  await compare(context, currentRuntime, here);
  const node26 = await findNode(26, { fetch: !context.quick });
  if (node26 === null) context.report.note("skipped: no Node 26 for V8's mutex was found (name one in SLUICE_NODE26)");
  else await compare(context, node26, jobs(context, node26, mutexCases));
}

/**
 * @param {Context} context
 * @param {Runtime} runtime
 * @param {Record<string, import('./uncontended-cases.mjs').Case>} chosen
 * @returns {Measurements}
 */
function jobs({ quick }, runtime, chosen) {
  const sizes = quick ? { blocks: 3, blockMillis: 1 } : { blocks: 15, blockMillis: 8 };
  return new Map(
    Object.entries(chosen).map(([title, { flags, ...specification }]) => [
      title,
      async () => {
        const result = await runJob(
          'uncontended',
          { ...specification, ...sizes },
          { timeoutMs: 60_000, runtime, flags },
        );
        return /** @type {UncontendedResult} */ (result);
      },
    ]),
  );
}

/** @param {Context} context @param {Measurements} measurements */
async function addNative({ report, quick }, measurements) {
  const native = await buildNative();
  if (typeof native === 'string') {
    report.note(`skipped: ${native}`);
    return;
  }
  const pairs = quick ? 100_000 : 2_000_000;
  for (const [title, lock] of /** @type {const} */ ([
    ['C++, the same algorithm', 'twa'],
    ['C++, sem_t', 'posix'],
  ])) {
    measurements.set(title, async () => {
      const result = await native.uncontended(lock, pairs);
      const { pairNanosMin, pairNanosMedian: pairNanos, twoAddsNanosMedian: twoAddsNanos } = result;
      return { pairNanos, pairNanosMin, twoAddsNanos, ratio: pairNanos / twoAddsNanos };
    });
  }
}

/** @param {Context} context @param {Runtime} runtime @param {Measurements} measurements */
async function compare({ report, quick, repetitions }, runtime, measurements) {
  const progress = (/** @type {string} */ line) => report.progress(`${runtime.name} ${line}`);
  const outcomes = await interleave(measurements, repetitions, progress);
  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(`${title} on ${runtime.name}`, failure);
      continue;
    }
    /** @param {keyof UncontendedResult} key */
    const middle = (key) => median(values.map((value) => value[key]));
    const [pairNanos, ratio, overMutex] = [middle('pairNanos'), middle('ratio'), overOther(outcomes, title, mutex)];
    const bars = quick ? [] : barsOf(outcomes, title, runtime);
    report.add({
      subject: title,
      runtime: runtime.name,
      repetitions,
      samples: values,
      pairNanos,
      ratio,
      overMutex,
      bars,
    });
    const verdict = bars.map(({ met, limit }) => `${met ? 'met' : 'MISSED'} (${limit})`).join();
    const figures = [pairNanos, middle('pairNanosMin'), middle('twoAddsNanos'), ratio, overMutex].map(show);
    rows.push([title, ...figures, verdict]);
  }
  report.table(`Uncontended on ${runtime.name}, median of ${repetitions}`, head, rows);
}

/**
 * How many times what another one takes, each in its own repetition; null: one of them has no values.
 * @param {Outcomes} outcomes
 * @param {string} title
 * @param {string} other
 */
function overOther(outcomes, title, other) {
  const nanosOf = (/** @type {string} */ which) => outcomes.get(which)?.values.map(({ pairNanos }) => pairNanos) ?? [];
  const ratios = pairedRatios(nanosOf(title), nanosOf(other));
  return ratios.length > 0 ? median(ratios) : null;
}

/** @param {Outcomes} outcomes @param {string} title @param {Runtime} runtime */
function barsOf(outcomes, title, runtime) {
  const ratio = median((outcomes.get(title)?.values ?? []).map((value) => value.ratio));
  const overTwoAdds = `${title} over two Atomics.add on ${runtime.name}`;
  if (title === shipped) return [bar(overTwoAdds, ratio, semaphoreBar)];
  if (title === mutex && runtime === currentRuntime) return [bar(overTwoAdds, ratio, mutexBar)];
  const cost = title === withRecovery ? overOther(outcomes, title, withoutRecovery) : null;
  if (cost !== null) return [bar(`recovery on over recovery off on ${runtime.name}`, cost, recoveryBar)];
  const gain = title === v8Mutex && runtime !== currentRuntime ? overOther(outcomes, title, mutex) : null;
  return gain === null ? [] : [bar(`${v8Mutex} over ${mutex} on ${runtime.name}`, gain, v8Bar)];
}
