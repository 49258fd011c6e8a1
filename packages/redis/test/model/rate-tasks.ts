// Tasks at a rate limiter, and the number of permits that they have used.

import type { Random } from '@sluice/harness';
import type { RemoteRateOptions } from '../../../remote/src/line/rate.ts';
import type { Process } from './world.ts';

export interface Tally {
  /** The number of permits that the callers believe to have taken. */
  taken: number;
  /** The number of permits of cancelled calls. A grant that came first stays taken if later grants rest on it. */
  givenUp: number;
  /** Whether a lease ended during a call, so that its outcome is unknown. */
  isUnknown: boolean;
}

export interface RatePlan extends RemoteRateOptions {
  readonly burst: number;
}

/** `givesUp`: in percent of the waits, within `patienceMs`. */
export async function useRate(
  process: Process,
  rate: RatePlan,
  random: Random,
  tally: Tally,
  rounds: number,
  givesUp: number,
  patienceMs: number,
): Promise<void> {
  const limiter = process.space.rateLimiter('r', rate);
  for (let round = 0; round < rounds; round++) {
    await new Promise<void>((resolve) => process.after(random.below(200), resolve));
    const n = random.between(1, rate.burst);
    const kind = random.below(10);
    const options = random.chance(givesUp) ? { timeout: random.between(1, patienceMs) } : {};
    try {
      if (kind < 2) {
        if (await limiter.tryAcquire(n)) tally.taken += n;
      } else if (kind < 5) {
        const reservation = await limiter.reserveAsync(n, options);
        tally.taken += n;
        if (random.chance(60) && (await reservation.cancel())) tally.taken -= n;
      } else {
        await limiter.acquireAsync(n, options);
        tally.taken += n;
      }
    } catch (failure) {
      const { code } = failure as { code?: string };
      if (code === 'SLUICE_LEASE_LOST') tally.isUnknown = true;
      else if (code === 'SLUICE_TIMEOUT') tally.givenUp += n;
      else throw failure;
    }
  }
}

/** Returns the fault in the permits that the server has charged, or ''. */
export function wrongCharge({ taken, givenUp, isUnknown }: Tally, charged: number): string {
  if (isUnknown || (charged >= taken && charged <= taken + givenUp)) return '';
  return `${charged} permits are charged, ${taken} were taken, and calls for ${givenUp} were cancelled`;
}
