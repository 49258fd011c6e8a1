// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/broadcast.mjs').BroadcastResult} BroadcastResult */

export const name = 'broadcast';
export const summary = 'values a second from one thread to each of several, against BroadcastChannel and a buffer for each';

const WINDOW = 512;
const OWN = 'Broadcast';
/** `share`: of the number of values. */
const SUBJECTS = /** @type {const} */ ([
  { title: OWN, way: 'broadcast', share: 1 },
  { title: 'a BoundedBuffer for each', way: 'buffers', share: 1 },
  { title: 'BroadcastChannel', way: 'channel', share: 0.1 },
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const runtime = (await findNode(26, { fetch: !quick })) ?? currentRuntime;
  const windows = quick ? 20 : 4000;
  const rows = [];
  for (const bytes of [0, 64]) {
    for (const subscribers of quick ? [2] : [1, 4]) {
      const what = bytes === 0 ? 'int32' : `${bytes} bytes`;
      const measurements = new Map(
        SUBJECTS.map(({ title, way, share }) => {
          const specification = { way, subscribers, bytes, window: WINDOW, count: Math.ceil(windows * share) * WINDOW };
          return [title, async () => /** @type {BroadcastResult} */ (await runJob('broadcast', specification, { timeoutMs: 120_000, runtime }))];
        }),
      );
      const outcomes = await interleave(measurements, repetitions, (line) => report.progress(`${what}, ${subscribers} subscribers ${line}`));
      const own = outcomes.get(OWN)?.values ?? [];
      for (const [title, { values, failure }] of outcomes) {
        if (failure !== null) {
          report.fail(`${title}, ${what}, ${subscribers} subscribers`, failure);
          continue;
        }
        const perSecond = median(values.map((value) => value.perSecond));
        // Within each repetition: a slow minute of the machine hits both.
        const ratio = median(values.map((value, n) => (own[n]?.perSecond ?? NaN) / value.perSecond));
        const bars = title === 'BroadcastChannel' && !quick ? [bar(`Broadcast to ${subscribers} over BroadcastChannel, ${what}`, ratio, { atLeast: 5 })] : [];
        report.add({ subject: title, what, subscribers, runtime: runtime.name, repetitions, perSecond, broadcastOverThis: ratio, samples: values.map((value) => value.perSecond), bars });
        rows.push([what, String(subscribers), title, show(perSecond), title === OWN ? '' : show(ratio)]);
      }
    }
  }
  report.table(`values from one thread to each of several, on ${runtime.name}, median of ${repetitions}`, ['values', 'subscribers', 'through', 'values/s', 'Broadcast over this'], rows);
}
