// No more permits than the rate allows, over all threads, in every form of a call. The clocks of the threads agree.

import type { RateLimiterHandle, RegionHandle } from 'sluice';
import { check, equal, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const CALLS = 40;
const BURST = 4;
/** Permits in 1 ms. */
const PERMITS = 2;

interface Data {
  readonly limiter: RateLimiterHandle;
  readonly taken: RegionHandle;
}

async function call(
  { sluice }: Pick<Tools, 'sluice'>,
  { limiter: handle, taken }: Data,
  mayBlock: boolean,
): Promise<number> {
  const limiter = sluice.RateLimiter.from(handle);
  const { int32 } = sluice.Region.from(taken);
  let booked = 0;
  for (let n = 0; n < CALLS; n++) {
    const weight = 1 + (n % 3);
    if (mayBlock && n % 2 === 0) limiter.acquire(weight);
    else await limiter.acquireAsync(weight);
    Atomics.add(int32, 0, weight);
    const booking = await limiter.reserveAsync();
    if (booking.cancel()) booked += 1;
    else Atomics.add(int32, 0, 1);
  }
  return booked;
}

export const jobs = { call: (tools: WorkerTools, data: Data): Promise<number> => call(tools, data, true) };

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const began = performance.now();
  const limiter = sluice.RateLimiter.create({ permits: PERMITS, interval: 1, burst: BURST, arena });
  const taken = sluice.Region.create(4, { arena });
  const data: Data = { limiter: limiter.handle, taken: taken.handle };
  await Promise.all([start('call', data).done, start('call', data).done, call({ sluice }, data, false)]);
  // Bookings that were kept may be for a later time: one for each call of a thread at most, so three at the end.
  const most = BURST + 3 + (performance.now() - began + 1) * PERMITS;
  const sum = Atomics.load(taken.int32, 0);
  check(sum <= most, `${sum} permits were taken, and ${most} could be`);
  const { state, waiters, head } = limiter.inspect();
  equal([state, waiters.length, head], ['open', 0, undefined], 'the line in the end');
  limiter.free();
}
