// @ts-check
// Loads that one thread puts on a primitive of the library and on its peers, and how a scenario measures them.
import { runJob } from './jobs.mjs';
import { interleave } from './repeat.mjs';
import { bar, show } from './report.mjs';
import { currentRuntime, findNode } from './runtimes.mjs';
import { median } from './statistics.mjs';

/**
 * Makes what is measured, and returns the function that makes that many calls of it.
 * @typedef {() => Run | Promise<Run>} Subject
 * @typedef {(calls: number) => unknown} Run
 */

/**
 * @typedef {object} Load
 * @property {string} name
 * @property {string} what
 * @property {number} calls
 * @property {number} [warm] the calls before the measurement; default: a tenth of `calls`
 * @property {Readonly<Record<string, Subject>>} subjects the peer is first, and every ratio is beside it
 * @property {24} [node] the oldest Node.js whose peer it is
 * @property {{ atMost: number }} [limit] what a call may cost, in times the peer's
 * @property {{ atMost: number }} [micros] what a call may take, in µs
 * @property {string} [of] the beginning of the names of the subjects that have a bar; default: all but the peer
 */

/** @typedef {{ loads: readonly Load[] }} Loads */
/** @typedef {{ file: string, load: string, subject: string, calls: number, warm: number }} SideSpecification */
/** @typedef {{ perSecond: number }} SideResult */

/**
 * The `run` of a scenario that measures the loads of `src/loads/<file>.mjs`.
 * @param {string} file
 * @returns {(context: import('./context.mjs').Context) => Promise<void>}
 */
export function sideBySide(file) {
  return async ({ report, quick, repetitions }) => {
    const { loads } = /** @type {Loads} */ (await import(`../loads/${file}.mjs`));
    for (const { name, what, calls, warm = calls / 10, subjects, node, limit, micros, of = '' } of loads) {
      const runtime = node === undefined ? currentRuntime : await findNode(node, { fetch: !quick });
      if (runtime === null) {
        report.note(`skipped: ${what}: no Node ${node} was found (name one in SLUICE_NODE${node})`);
        continue;
      }
      const names = Object.keys(subjects);
      const measurements = new Map(
        names.map((subject) => {
          const part = quick ? 10 : 1;
          const specification = {
            file,
            load: name,
            subject,
            calls: Math.ceil(calls / part),
            warm: Math.ceil(warm / part),
          };
          const measure = async () =>
            /** @type {SideResult} */ (await runJob('side-by-side', specification, { timeoutMs: 20_000, runtime }));
          return /** @type {const} */ ([subject, measure]);
        }),
      );
      const outcomes = await interleave(measurements, repetitions, (line) => report.progress(`${what}, ${line}`));
      const rates = new Map(
        names.map((subject) => [subject, (outcomes.get(subject)?.values ?? []).map(({ perSecond }) => perSecond)]),
      );
      const [peer = ''] = names;
      const ofPeer = rates.get(peer) ?? [];
      const rows = names.map((subject) => {
        const samples = rates.get(subject) ?? [];
        if (samples.length === 0) {
          report.fail(`${subject}, ${what}`, outcomes.get(subject)?.failure ?? 'nothing measured');
          return [subject, 'failed', '', ''];
        }
        const perSecond = median(samples);
        const ratio = ofPeer.length === 0 ? Number.NaN : median(ofPeer) / perSecond;
        const hasBar = !quick && subject !== peer && !Number.isNaN(ratio) && subject.startsWith(of);
        const bars = [
          ...(hasBar && limit !== undefined
            ? [bar(`${subject}, ${what}, times the cost of ${peer}`, ratio, limit)]
            : []),
          ...(hasBar && micros !== undefined ? [bar(`${subject}, ${what}, µs`, 1e6 / perSecond, micros)] : []),
        ];
        report.add({ subject, what, runtime: runtime.name, repetitions, perSecond, ratio, samples, bars });
        return [
          subject,
          show(perSecond),
          Number.isNaN(ratio) ? '' : show(ratio),
          bars.map(({ met }) => (met ? 'met' : 'MISSED')).join(),
        ];
      });
      report.table(
        `${what}, on ${runtime.name}, median of ${repetitions}`,
        ['through', 'calls/s', `times the cost of ${peer}`, 'bar'],
        rows,
      );
    }
  };
}

/** @param {number} calls @param {() => unknown} call */
export function repeat(calls, call) {
  for (let done = 0; done < calls; done++) call();
}

/** @param {number} calls @param {() => PromiseLike<unknown>} call */
export async function oneByOne(calls, call) {
  for (let done = 0; done < calls; done++) await call();
}

/** @param {number} calls @param {(call: number) => PromiseLike<unknown>} call */
export function allAtOnce(calls, call) {
  return Promise.all(Array.from({ length: calls }, (_, n) => call(n)));
}
