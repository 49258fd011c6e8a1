// @ts-check
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime } from '../lib/runtimes.mjs';
import { pairs, summarize } from '../lib/pairs.mjs';
import { geometricMean, max } from '../lib/statistics.mjs';

/** @typedef {import('../lib/context.mjs').Context} Context */
/** @typedef {import('../subjects/subject.mjs').SubjectOptions} SubjectOptions */
/** @typedef {{ choice: string, workers: number, summary: ReturnType<typeof summarize> }} Point */

export const name = 'policy';
export const summary = 'a sweep of the waiting policy and of the number of buckets, to choose the defaults';

/** @param {Context} context */
export async function run(context) {
  const { quick } = context;
  /** @type {Map<string, SubjectOptions>} */
  const policies = new Map();
  // Without spinning there is no threshold and the other way round: those nine combinations are all the same policy.
  policies.set('park at once', { policy: { spinMicros: 0, longTermThreshold: 0 } });
  for (const spinMicros of quick ? [20] : [10, 20, 40]) {
    for (const longTermThreshold of quick ? [1] : [1, 2]) {
      policies.set(`spin ${spinMicros} us, threshold ${longTermThreshold}`, {
        policy: { spinMicros, longTermThreshold },
      });
    }
  }
  await sweep(context, 'waiting policy', policies);

  /** @type {Map<string, SubjectOptions>} */
  const sizes = new Map(
    (quick ? [16] : [16, 64, 256, 1024]).map((buckets) => [`${buckets} buckets`, { policy: { buckets } }]),
  );
  await sweep(context, 'buckets', sizes);
}

/**
 * @param {Context} context
 * @param {string} what
 * @param {ReadonlyMap<string, SubjectOptions>} choices
 */
async function sweep({ report, quick, repetitions }, what, choices) {
  const times = quick ? { seconds: 0.05, warmUpSeconds: 0.02 } : { seconds: 1, warmUpSeconds: 0.2 };
  /** @type {Point[]} */
  const points = [];
  for (const workers of quick ? [2] : [2, 4, 8]) {
    const measurements = new Map(
      [...choices].map(([choice, options]) => [choice, () => pairs({ subject: 'sluice', options, workers, ...times })]),
    );
    const progress = (/** @type {string} */ line) => report.progress(`${workers} workers ${line}`);
    for (const [choice, { values, failure }] of await interleave(measurements, repetitions, progress)) {
      if (failure !== null) {
        report.fail(`${choice} at ${workers} workers`, failure);
        continue;
      }
      const summary = summarize(values);
      points.push({ choice, workers, summary });
      report.add({
        subject: choice,
        what,
        options: choices.get(choice),
        workers,
        repetitions,
        ...summary,
        samples: values,
      });
    }
  }
  report.table(
    `Sweep of the ${what} on ${currentRuntime.name}, best first for each number of workers, median of ${repetitions}`,
    ['workers', what, 'pairs/s', 'slowest..fastest', 'min/max', 'wake-ups/pair', 'CPU us/pair'],
    [...points]
      .sort((a, b) => a.workers - b.workers || b.summary.pairsPerSecond - a.summary.pairsPerSecond)
      .map(({ choice, workers, summary }) => [
        String(workers),
        choice,
        show(summary.pairsPerSecond),
        `${show(summary.slowest)}..${show(summary.fastest)}`,
        show(summary.fairness),
        show(summary.wakeUpsPerPair),
        show(summary.cpuMicrosPerPair),
      ]),
  );
  rank(report, what, choices, points);
}

/**
 * Over all numbers of workers: each point as a share of the best one at that number, then the geometric mean.
 * @param {import('../lib/report.mjs').Report} report
 * @param {string} what
 * @param {ReadonlyMap<string, SubjectOptions>} choices
 * @param {readonly Point[]} points
 */
function rank(report, what, choices, points) {
  /** @param {number} workers */
  const best = (workers) =>
    max(points.filter((point) => point.workers === workers).map(({ summary }) => summary.pairsPerSecond));
  const ranked = [...choices.keys()].flatMap((choice) => {
    const shares = points
      .filter((point) => point.choice === choice)
      .map(({ workers, summary }) => summary.pairsPerSecond / best(workers));
    return shares.length === 0 ? [] : [{ choice, score: geometricMean(shares) }];
  });
  ranked.sort((a, b) => b.score - a.score);
  for (const { choice, score } of ranked) report.add({ subject: choice, what, score });
  report.table(
    `Ranking of the ${what}: geometric mean of the share of the best`,
    [what, 'score'],
    ranked.map(({ choice, score }) => [choice, show(score)]),
  );
}
