// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/broadcast.mjs').BroadcastResult} BroadcastResult */

export const name = 'broadcast';
export const summary =
  'values a second from one thread to each of several, against BroadcastChannel and a buffer for each';

const WINDOW = 512;
const OWN = 'Broadcast';
/** `share`: of the number of values. */
const SUBJECTS = /** @type {const} */ ([
  { title: OWN, way: 'broadcast', share: 1 },
  { title: `${OWN}, overflow: 'wait'`, way: 'waiting', share: 1 },
  { title: 'a BoundedBuffer for each', way: 'buffers', share: 1 },
  { title: 'BroadcastChannel', way: 'channel', share: 0.1 },
]);
const WAITING = `${OWN}, overflow: 'wait'`;
/** Without pauses the publisher waits for room. */
const FULL = SUBJECTS.filter(({ way }) => way === 'waiting' || way === 'buffers');

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
          const specification = {
            way,
            subscribers,
            bytes,
            window: WINDOW,
            count: Math.ceil(windows * share) * WINDOW,
            paced: true,
          };
          return [
            title,
            async () =>
              /** @type {BroadcastResult} */ (
                await runJob('broadcast', specification, { timeoutMs: 120_000, runtime })
              ),
          ];
        }),
      );
      const outcomes = await interleave(measurements, repetitions, (line) =>
        report.progress(`${what}, ${subscribers} subscribers ${line}`),
      );
      const own = outcomes.get(OWN)?.values ?? [];
      for (const [title, { values, failure }] of outcomes) {
        if (failure !== null) {
          report.fail(`${title}, ${what}, ${subscribers} subscribers`, failure);
          continue;
        }
        const perSecond = median(values.map((value) => value.perSecond));
        // Within each repetition: a slow minute of the machine hits both.
        const ratio = median(values.map((value, n) => (own[n]?.perSecond ?? NaN) / value.perSecond));
        const bars =
          title === 'BroadcastChannel' && !quick
            ? [bar(`Broadcast to ${subscribers} over BroadcastChannel, ${what}`, ratio, { atLeast: 1 })]
            : [];
        report.add({
          subject: title,
          what,
          subscribers,
          runtime: runtime.name,
          repetitions,
          perSecond,
          broadcastOverThis: ratio,
          samples: values.map((value) => value.perSecond),
          bars,
        });
        rows.push([what, String(subscribers), title, show(perSecond), title === OWN ? '' : show(ratio)]);
      }
    }
  }
  await compareFull(runtime, { report, quick, repetitions });
  report.table(
    `values from one thread to each of several, on ${runtime.name}, median of ${repetitions}`,
    ['values', 'subscribers', 'through', 'values/s', 'Broadcast over this'],
    rows,
  );
}

/**
 * A ring of 64 values that is full most of the time: the publisher waits for the slowest.
 * @param {import('../lib/runtimes.mjs').Runtime} runtime
 * @param {Pick<import('../lib/context.mjs').Context, 'report' | 'quick' | 'repetitions'>} context
 */
async function compareFull(runtime, { report, quick, repetitions }) {
  const rows = [];
  for (const subscribers of quick ? [2] : [1, 4]) {
    const count = (quick ? 20 : 1000) * WINDOW;
    const measurements = new Map(
      FULL.map(({ title, way }) => {
        const specification = { way, subscribers, bytes: 0, window: WINDOW, count, paced: false };
        return [
          title,
          async () =>
            /** @type {BroadcastResult} */ (await runJob('broadcast', specification, { timeoutMs: 120_000, runtime })),
        ];
      }),
    );
    const outcomes = await interleave(measurements, repetitions, (line) =>
      report.progress(`a full ring, ${subscribers} subscribers ${line}`),
    );
    const own = outcomes.get(WAITING)?.values ?? [];
    for (const [title, { values, failure }] of outcomes) {
      if (failure !== null) {
        report.fail(`${title}, a full ring, ${subscribers} subscribers`, failure);
        continue;
      }
      const perSecond = median(values.map((value) => value.perSecond));
      const ratio = median(values.map((value, n) => (own[n]?.perSecond ?? NaN) / value.perSecond));
      report.add({
        subject: title,
        what: 'int32, a full ring',
        subscribers,
        runtime: runtime.name,
        repetitions,
        perSecond,
        waitingOverThis: ratio,
        samples: values.map((value) => value.perSecond),
        bars: [],
      });
      rows.push([String(subscribers), title, show(perSecond), title === WAITING ? '' : show(ratio)]);
    }
  }
  report.table(
    `int32 values through a ring of 64, without loss, on ${runtime.name}, median of ${repetitions}`,
    ['subscribers', 'through', 'values/s', "Broadcast, overflow: 'wait' over this"],
    rows,
  );
}
