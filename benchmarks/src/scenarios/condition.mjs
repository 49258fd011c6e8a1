// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { bar, show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';
import { monitors, PEER } from '../subjects/condition-variables.mjs';

/** @typedef {import('../jobs/condition.mjs').ConditionResult} ConditionResult */

export const name = 'condition';
export const summary =
  'notifyAll of 1 to 64 waiters: the time until each has owned the lock, and how often threads sleep for it';

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const node24 = await findNode(24, { fetch: !quick });
  if (node24 === null)
    report.note('skipped: npm `multithreading` needs Node 21, and no Node 24 was found (name one in SLUICE_NODE24)');
  const runtime = node24 ?? currentRuntime;
  const subjects = [...Object.keys(monitors), ...(runtime.major >= 21 ? [PEER] : [])];
  const rows = [];
  for (const workers of quick ? [4] : [1, 4, 16, 64]) {
    const rounds = quick ? 20 : Math.ceil(40_000 / workers);
    const measurements = new Map(
      subjects.map((subject) => [
        subject,
        async () =>
          /** @type {ConditionResult} */ (
            await runJob('condition', { subject, workers, rounds }, { timeoutMs: 120_000, runtime })
          ),
      ]),
    );
    const outcomes = await interleave(measurements, repetitions, (line) =>
      report.progress(`${workers} waiters, ${line}`),
    );
    const peer = outcomes.get(PEER)?.values ?? [];
    for (const [subject, { values, failure }] of outcomes) {
      if (failure !== null) {
        report.fail(`${subject}, ${workers} waiters`, failure);
        continue;
      }
      const [micros, switches, wakeUps] = /** @type {const} */ (['micros', 'switches', 'wakeUps']).map((figure) =>
        median(values.map((value) => value[figure])),
      );
      // Within each repetition: a slow minute of the machine hits both.
      const overPeer = median(values.map((value, n) => value.micros / (peer[n]?.micros ?? NaN)));
      const bars =
        subject.startsWith('Condition') && !quick && peer.length > 0
          ? [bar(`${subject}, ${workers} waiters, time over npm multithreading`, overPeer, { atMost: 1 })]
          : [];
      report.add({
        subject,
        runtime: runtime.name,
        workers,
        repetitions,
        micros,
        switches,
        wakeUps,
        overPeer,
        samples: values,
        bars,
      });
      rows.push([
        String(workers),
        subject,
        show(micros ?? 0),
        show((micros ?? 0) / workers),
        show(switches ?? 0),
        wakeUps === 0 ? '' : show(wakeUps ?? 0),
        subject === PEER || peer.length === 0 ? '' : show(overPeer),
        bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', '),
      ]);
    }
  }
  const head = [
    'waiters',
    'subject',
    'µs per notifyAll',
    'µs per waiter',
    'context switches per waiter',
    'wake-ups per waiter',
    'over multithreading',
    'bar 1',
  ];
  report.table(
    `notifyAll on ${runtime.name}, until each waiter has owned the lock, median of ${repetitions}`,
    head,
    rows,
  );
}
