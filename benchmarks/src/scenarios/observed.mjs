// @ts-check
import { runJob } from '../lib/jobs.mjs';
import { bar, show } from '../lib/report.mjs';

export const name = 'observed';
export const summary = 'one thread: lock and unlock of a mutex that tools follow, over one that nothing follows';
export const repetitions = 1;

/** With work of this many µs while the lock is held. */
const WORK = [0, 1];
/**
 * By µs of work. Without work, an uncontended pair takes some 20 ns.
 *
 * @type {Readonly<Record<number, Readonly<Record<string, { atMost: number } | undefined>>>>}
 */
const limits = {
  0: { 'order checks': { atMost: 1.5 }, 'order checks, nested': { atMost: 1.5 } },
  1: { 'off, again': { atMost: 1.01 }, 'statistics, 1 of 100': { atMost: 1.02 } },
};

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report, quick }) {
  for (const workMicros of WORK) {
    const sizes = quick ? { blocks: 3, blockMillis: 1 } : { blocks: 200, blockMillis: 10 };
    const result = /** @type {import('../jobs/observed.mjs').ObservedResult} */ (
      await runJob('observed', { ...sizes, workMicros }, { timeoutMs: 300_000 })
    );
    const rows = Object.entries(result).map(([title, { nanos, ratio }]) => {
      const subject = `${title}, ${workMicros} µs of work`;
      const limit = limits[workMicros]?.[title];
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
