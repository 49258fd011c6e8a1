// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { interleave } from '../lib/repeat.mjs';
import { show } from '../lib/report.mjs';
import { currentRuntime, findNode } from '../lib/runtimes.mjs';
import { median } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/buffer.mjs').BufferResult} BufferResult */

export const name = 'buffer';
export const summary =
  'values a second through a bounded buffer, against postMessage and a channel of npm multithreading';

const CAPACITY = 1024;
/** Numbers a second through the greedy calls. */
const GREEDY = 100e6;
/**
 * `share`: of the number of values. So many take a second or more, of which threads spend up to half a second on
 * starting and on compiling.
 */
const SUBJECTS = /** @type {const} */ ([
  { title: 'BoundedBuffer, push and pop', way: 'one', share: 4 },
  { title: 'BoundedBuffer of 8192, push and pop', way: 'large', share: 4, capacity: 8192 },
  { title: 'BoundedBuffer, pushMany and popMany', way: 'many', share: 4 },
  { title: 'BoundedBuffer of 8192, pushMany of Int32Array and popMany', way: 'typed', share: 20, capacity: 8192 },
  { title: 'a ring by hand, for one of each', way: 'ring', share: 4 },
  { title: 'postMessage', way: 'message', share: 0.2 },
  { title: 'multithreading channel', way: 'peer', share: 0.02, since: 21 },
]);
const SERIES = /** @type {const} */ ([
  { what: 'int32', bytes: 0, pairs: 1, overMessage: 20, overPeer: 2 },
  { what: 'int32', bytes: 0, pairs: 2, overMessage: 10, overPeer: 2 },
  { what: 'int32', bytes: 0, pairs: 8, overMessage: 10, overPeer: 2 },
  { what: '64 bytes', bytes: 64, pairs: 1, overMessage: 5, overPeer: undefined },
]);

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick, repetitions }) {
  const runtime = (await findNode(26, { fetch: !quick })) ?? currentRuntime;
  const count = quick ? 100_000 : 4_000_000;
  for (const series of SERIES) {
    const { what, bytes, pairs } = series;
    const fitting = SUBJECTS.filter(
      ({ way, ...subject }) => isFor(way, series) && runtime.major >= (('since' in subject && subject.since) || 0),
    );
    const measurements = new Map(
      fitting.map(({ title, way, share, ...subject }) => {
        const capacity = 'capacity' in subject ? subject.capacity : CAPACITY;
        const specification = {
          way: way === 'large' ? 'one' : way,
          pairs,
          count: Math.ceil(count * share),
          bytes,
          capacity,
        };
        const job = way === 'peer' ? 'buffer-peer' : 'buffer';
        const measure = async () =>
          /** @type {BufferResult} */ (await runJob(job, specification, { timeoutMs: 60_000, runtime }));
        return /** @type {const} */ ([title, measure]);
      }),
    );
    const outcomes = await interleave(measurements, repetitions, report.progress);
    /** @param {string} way */
    const middleOf = (way) => {
      const values = outcomes.get(SUBJECTS.find((subject) => subject.way === way)?.title ?? '')?.values ?? [];
      return values.length === 0 ? undefined : median(values.map(({ perSecond }) => perSecond));
    };
    const [message, peer] = [middleOf('message'), middleOf('peer')];
    const rows = fitting.map(({ title, way, ...subject }) => {
      const capacity = 'capacity' in subject ? subject.capacity : CAPACITY;
      const failure = outcomes.get(title)?.failure;
      const perSecond = middleOf(way);
      if (perSecond === undefined) {
        report.fail(`${title}, ${what}, ${pairs}:${pairs}`, failure ?? 'nothing measured');
        return [title, 'failed', '', '', ''];
      }
      const bars = way === 'one' ? barsOf(`${what}, ${pairs}:${pairs}`, perSecond, message, peer, series) : [];
      if (way === 'large' && message !== undefined)
        bars.push(
          atLeast(
            `${what}, ${pairs}:${pairs}, ring of ${capacity}: over postMessage`,
            perSecond / message,
            series.overMessage,
          ),
        );
      if (way === 'typed') bars.push(atLeast(`${what}, ${pairs}:${pairs}: greedy, values a second`, perSecond, GREEDY));
      const samples = outcomes.get(title)?.values.map((value) => value.perSecond);
      report.add({
        subject: title,
        what,
        pairs,
        capacity,
        runtime: runtime.name,
        repetitions,
        perSecond,
        samples,
        bars,
      });
      return [
        title,
        show(perSecond),
        message ? show(perSecond / message) : '',
        peer ? show(perSecond / peer) : '',
        bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(', '),
      ];
    });
    report.table(
      `${what}, ${pairs} producers and ${pairs} consumers, capacity ${CAPACITY}, on ${runtime.name}, median of ${repetitions}`,
      ['through', 'values/s', 'over postMessage', 'over channel', 'bar'],
      rows,
    );
  }
}

/** @param {string} way @param {(typeof SERIES)[number]} series */
function isFor(way, { bytes, pairs }) {
  if (way === 'ring' || way === 'large') return bytes === 0 && pairs === 1;
  return (way !== 'peer' && way !== 'typed') || bytes === 0;
}

/**
 * @param {string} what
 * @param {number} perSecond
 * @param {number | undefined} message
 * @param {number | undefined} peer
 * @param {(typeof SERIES)[number]} series
 */
function barsOf(what, perSecond, message, peer, { overMessage, overPeer }) {
  const bars = [];
  if (message !== undefined) bars.push(atLeast(`${what}: over postMessage`, perSecond / message, overMessage));
  if (peer !== undefined && overPeer !== undefined)
    bars.push(atLeast(`${what}: over the channel`, perSecond / peer, overPeer));
  return bars;
}

/** @param {string} name @param {number} value @param {number} limit */
function atLeast(name, value, limit) {
  return { name, limit: `at least ${limit}`, value, met: value >= limit };
}
