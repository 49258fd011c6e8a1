// At most so many calls start in each interval, over all threads. The clocks of the threads agree.

import type { LimitHandle } from 'sluice';
import { check, equal, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const CALLS = 10;
const INTERVAL = 40;
const CAP = 5;
/** Intervals that lie between the first start and the last, of three threads. */
const BETWEEN = (3 * CALLS) / CAP - 1;

async function call({ sluice }: Pick<Tools, 'sluice'>, handle: LimitHandle): Promise<number> {
  const limit = sluice.createLimit.from(handle);
  const square = sluice.limitFunction((n: number) => n * n, limit);
  const numbers = Array.from({ length: CALLS }, (_, n) => n);
  const results = await Promise.all(numbers.map((n) => square(n)));
  return results.reduce((sum, n) => sum + n, 0);
}

export const jobs = { call: (tools: WorkerTools, handle: LimitHandle): Promise<number> => call(tools, handle) };

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  for (const strict of [false, true]) {
    const limit = sluice.createLimit({ concurrency: 4, interval: INTERVAL, intervalCap: CAP, strict, arena });
    const began = performance.now();
    const sums = await Promise.all([
      start('call', limit.handle).done,
      start('call', limit.handle).done,
      call({ sluice }, limit.handle),
    ]);
    const took = performance.now() - began;
    equal(
      sums,
      sums.map(() => 285),
      'the results',
    );
    // A thread whose clock is ahead of the first one ends an interval early, once.
    check(
      took >= (BETWEEN - 1) * INTERVAL,
      `${3 * CALLS} calls started within ${took} ms, at most ${CAP} in ${INTERVAL} ms`,
    );
    equal([limit.inspect().activeCount, limit.inspect().pendingCount], [0, 0], 'calls in the end');
    limit.free();
  }
}
