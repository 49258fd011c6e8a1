// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { bar, show } from '../lib/report.mjs';

export const name = 'observed';
export const summary = 'one thread: lock and unlock of a mutex that tools follow, over one that nothing follows';
export const repetitions = 1;

/** With work of this many µs while the lock is held. */
const WORK = [0, 1];
/** Each group runs in a process of its own. */
const GROUPS = [
  ['off', 'off, again'],
  ['off', 'channels without a subscriber'],
  ['off', 'order checks', 'off, nested', 'order checks, nested'],
  ['off', 'statistics, 1 of 100'],
  ['off', 'statistics, every call'],
];
/** Of a lock that does something. Without work, an uncontended pair takes some 20 ns. */
const limits = /** @type {Readonly<Record<string, { atMost: number } | undefined>>} */ ({
  'off, again': { atMost: 1.01 },
  'order checks': { atMost: 1.5 },
  'order checks, nested': { atMost: 1.5 },
  'statistics, 1 of 100': { atMost: 1.02 },
});

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick }) {
  for (const workMicros of WORK) {
    const sizes = quick ? { blocks: 3, blockMillis: 1 } : { blocks: 200, blockMillis: 10 };
    /** @type {[title: string, figures: import('../jobs/observed.mjs').ObservedResult[string]][]} */
    const results = [];
    for (const titles of GROUPS) {
      const result = /** @type {import('../jobs/observed.mjs').ObservedResult} */ (
        await runJob('observed', { ...sizes, workMicros, titles }, { timeoutMs: 300_000 })
      );
      results.push(...Object.entries(result).filter(([title]) => title !== 'off'));
    }
    const rows = results.map(([title, { nanos, ratio }]) => {
      const subject = `${title}, ${workMicros} µs of work`;
      const limit = workMicros === 0 ? undefined : limits[title];
      const bars = limit === undefined ? [] : [bar(`${subject}, over off`, ratio, limit)];
      report.add({ subject, nanos, ratio, bars });
      return [title, show(nanos), ratio.toFixed(3)];
    });
    report.table(
      `lock and unlock with ${workMicros} µs of work between: medians of alternating blocks`,
      ['tool', 'ns', 'over off'],
      rows,
    );
  }
}
