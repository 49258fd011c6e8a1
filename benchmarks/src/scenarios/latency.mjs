// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/latency.mjs').Way} Way */
/** @typedef {import('../jobs/latency.mjs').LatencyResult} LatencyResult */

export const name = 'latency';
export const summary = 'from release to the waking of a parked waiter, against postMessage';

/** @type {Record<import('../lib/exchange.mjs').Kind, string>} */
const titles = {
  blocking: 'release → acquire',
  async: 'release → acquireAsync',
  message: 'postMessage → event',
  'bare wait': 'bare notify → wait',
  'bare waitAsync': 'bare notify → waitAsync',
};

/** @type {Way[]} */
const ways = /** @type {const} */ (['to worker', 'to main']).flatMap((direction) =>
  /** @type {const} */ (['blocking', 'async', 'message', 'bare wait', 'bare waitAsync']).map((kind) => ({
    kind,
    direction,
  })),
);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const settings = quick ? { samples: 10, paceMillis: 1 } : { samples: 300, paceMillis: 2 };
  const measure = async () => {
    const specification = { ...settings, ways };
    return /** @type {LatencyResult[]} */ (await runJob('latency', specification, { timeoutMs: 60_000 }));
  };
  const outcome = (await interleave(new Map([['all ways', measure]]), repetitions, report.progress)).get('all ways');
  if (!outcome || outcome.failure !== null) {
    report.fail(name, outcome?.failure ?? 'nothing measured');
    return;
  }

  /** @param {Way} way */
  const resultsOf = ({ kind, direction }) =>
    outcome.values.flatMap((results) =>
      results.filter((result) => result.kind === kind && result.direction === direction),
    );
  const rows = ways.map((way) => {
    const results = resultsOf(way);
    const medians = results.map(({ p50Micros }) => p50Micros);
    const p50Micros = median(medians);
    const p95Micros = median(results.map(({ p95Micros }) => p95Micros));
    const ofMessage = median(
      pairedRatios(
        medians,
        resultsOf({ kind: 'message', direction: way.direction }).map((r) => r.p50Micros),
      ),
    );
    report.add({
      subject: titles[way.kind],
      ...way,
      wakesEach: settings.samples,
      paceMillis: settings.paceMillis,
      repetitions,
      p50Micros,
      p95Micros,
      ofMessage,
      samples: results,
    });
    return [titles[way.kind], way.direction, show(p50Micros), show(p95Micros), show(ofMessage)];
  });
  report.table(
    `Latency on ${currentRuntime.name}, ${settings.samples} wakes each, median of ${repetitions}`,
    ['from → to', 'direction', 'p50 us', 'p95 us', 'p50 over postMessage'],
    rows,
  );
}
