// Limits with an interval whose clock a test sets, in ms.

import type { Arena } from '@sluice/core';
import { openAs } from '../../../core/test/support/second-agent.ts';
import type { Limit } from '../../src/index.ts';
import type { IntervalLimitOptions } from '../../src/api/interval-options.ts';
import { createIntervalLimit, openIntervalLimit } from '../../src/interval/open-interval.ts';
import { asOf } from './agents.ts';

/** The first reading of a clock. */
export const START = 1_000_000;

/** Starts at a whole ms, as the time of an interval does. */
export class HandClock {
  now: number;
  readonly read = (): number => this.now;

  constructor(start = START) {
    this.now = start;
  }

  pass(ms: number): void {
    this.now += ms;
  }
}

export interface ByHand {
  readonly limit: Limit;
  readonly clock: HandClock;
}

export function byHand(options: IntervalLimitOptions): ByHand {
  const clock = new HandClock();
  return { limit: createIntervalLimit(options, clock.read), clock };
}

/** The same limit, with a clock of its own. */
export function withOwnClock({ handle }: Limit, start?: number): ByHand {
  const clock = new HandClock(start);
  return { limit: openIntervalLimit(handle, {}, clock.read), clock };
}

/** The same limit for another agent of this thread, with that clock. */
export function asAgent(agent: Arena, { handle }: Limit, { read }: HandClock): Limit {
  return openAs(agent, handle.slots, (slots) => openIntervalLimit(asOf(agent.id, { ...handle, slots }), {}, read));
}

/** Starts a function that ends at once, if the limit lets it start now. Returns whether it did. */
export async function tries(limit: Limit): Promise<boolean> {
  return limit
    .run(() => true, { timeout: 0 })
    .catch((failure: unknown) => {
      if ((failure as { readonly code?: string }).code !== 'SLUICE_TIMEOUT') throw failure;
      return false;
    });
}
