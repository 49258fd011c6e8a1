// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { buildNative } from '../lib/native.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/uncontended.mjs').UncontendedResult} UncontendedResult */
/** @typedef {Omit<import('../jobs/uncontended.mjs').UncontendedSpecification, 'blocks' | 'blockMillis'>} Case */

export const name = 'uncontended';
export const summary = 'one thread: acquire and release, against two bare Atomics.add and against C++';

const ratioBar = { atMost: 0.75 };
const recoveryBar = { atMost: 1.15 };
const [withRecovery, withoutRecovery] = ['acquire + release, wasm, recovery on', 'acquire + release, wasm, recovery off'];
const shipped = 'acquire + release';

/** @type {Record<string, Case & { flags?: string[] }>} */
const cases = {
  [shipped]: { subject: 'sluice', operation: 'acquire' },
  [withRecovery]: { subject: 'sluice', operation: 'acquire', options: { engine: 'wasm', recovery: true } },
  [withoutRecovery]: { subject: 'sluice', operation: 'acquire', options: { engine: 'wasm', recovery: false } },
  'acquire + release, js, recovery on': { subject: 'sluice', operation: 'acquire', options: { engine: 'js', recovery: true } },
  'acquire + release, js, recovery off': { subject: 'sluice', operation: 'acquire', options: { engine: 'js', recovery: false } },
  'tryAcquire + release': { subject: 'sluice', operation: 'tryAcquire' },
  'hold + release': { subject: 'sluice', operation: 'hold' },
  'await acquireAsync + release': { subject: 'sluice', operation: 'acquireAsync' },
  'textbook futex mutex': { subject: 'textbook-mutex', operation: 'acquire' },
  'V8 Atomics.Mutex': { subject: 'atomics-mutex', operation: 'locked', flags: ['--harmony-struct'] },
};

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const sizes = quick ? { blocks: 3, blockMillis: 1 } : { blocks: 15, blockMillis: 8 };
  const native = await buildNative();
  /** @type {Map<string, () => Promise<UncontendedResult>>} */
  const measurements = new Map();
  for (const [title, { flags, ...specification }] of Object.entries(cases)) {
    measurements.set(title, async () => {
      const result = await runJob('uncontended', { ...specification, ...sizes }, { timeoutMs: 60_000, flags });
      return /** @type {UncontendedResult} */ (result);
    });
  }
  if (typeof native === 'string') report.note(`skipped: ${native}`);
  else {
    const pairs = quick ? 100_000 : 2_000_000;
    for (const [title, lock] of /** @type {const} */ ([['C++, the same algorithm', 'twa'], ['C++, sem_t', 'posix']])) {
      measurements.set(title, async () => {
        const { pairNanosMin, pairNanosMedian, twoAddsNanosMedian } = await native.uncontended(lock, pairs);
        return { pairNanos: pairNanosMedian, pairNanosMin, twoAddsNanos: twoAddsNanosMedian, ratio: pairNanosMedian / twoAddsNanosMedian };
      });
    }
  }
  const outcomes = await interleave(measurements, repetitions, report.progress);

  const rows = [];
  for (const [title, { values, failure }] of outcomes) {
    if (failure !== null) {
      report.fail(title, failure);
      continue;
    }
    /** @param {keyof UncontendedResult} key */
    const middle = (key) => median(values.map((value) => value[key]));
    const ratio = middle('ratio');
    const bars = [];
    if (title === shipped && !quick) bars.push(bar(`${shipped} over two Atomics.add on ${currentRuntime.name}`, ratio, ratioBar));
    const without = outcomes.get(withoutRecovery)?.values ?? [];
    if (title === withRecovery && !quick && without.length > 0) {
      const cost = middle('pairNanos') / median(without.map(({ pairNanos }) => pairNanos));
      bars.push(bar(`recovery on over recovery off on ${currentRuntime.name}`, cost, recoveryBar));
    }
    report.add({ subject: title, repetitions, samples: values, pairNanos: middle('pairNanos'), ratio, bars });
    const verdict = bars.map(({ met, limit }) => `${met ? 'met' : 'MISSED'} (${limit})`).join();
    rows.push([title, show(middle('pairNanos')), show(middle('pairNanosMin')), show(middle('twoAddsNanos')), show(ratio), verdict]);
  }
  report.table(`Uncontended on ${currentRuntime.name}, median of ${repetitions}`, ['operation', 'ns/pair', 'fastest block', 'two adds ns', 'ratio', 'bar'], rows);
}
