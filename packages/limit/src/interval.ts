// The entry '@sluice/limit/interval': limits that also bound how many calls start in an interval.

import { Semaphore } from '@sluice/core';
import { checkOptions, threadClock, type Clock } from '@sluice/core/internal';
import { choose, createLimit as createPlain, limitOfSize } from './create-limit.ts';
import { checkHandle, type LimitHandle } from './handle.ts';
import { checkSize, checkTerms, hasInterval, INTERVAL_LIMIT_OPTIONS, type IntervalLimitOptions } from './interval-options.ts';
import { openParts } from './interval-parts.ts';
import { limitOver, type Limit } from './limit.ts';
import { ATTACH_OPTIONS, checkRejectOnClear, type AttachOptions, type LimitOptions } from './options.ts';
import { PacedCalls } from './paced-calls.ts';
import { PacedSlots } from './paced-slots.ts';

export type { LimitHandle } from './handle.ts';
export type { IntervalLimitOptions, IntervalOptions } from './interval-options.ts';
export type { Limit } from './limit.ts';
export type { AttachOptions, LimitOptions, RunOptions } from './options.ts';
export type { IntervalReport } from './pace.ts';
export type { LimitReport } from './report.ts';

/** The overloads of `createLimit`. */
export interface CreateIntervalLimit {
  /** A new limit, with an interval or without. Throws `TypeError`, `RangeError` for the name or for too many starts a ms, `ArenaFullError`. */
  (concurrency: number | IntervalLimitOptions | LimitOptions): Limit;
  /** A new limit, with options beside its concurrency. */
  (concurrency: number, options: Omit<IntervalLimitOptions, 'concurrency'> | Omit<LimitOptions, 'concurrency'>): Limit;
  /** A limit over the permits of a semaphore, without an interval. */
  (semaphore: Semaphore, options?: AttachOptions): Limit;
  /** The limit that another agent's handle refers to, with an interval or without. Throws `HandleError`. */
  readonly from: (handle: LimitHandle, options?: AttachOptions) => Limit;
}

/**
 * Creates a limit as `createLimit` of '@sluice/limit' does, and with `interval` and `intervalCap` one that also starts at most `intervalCap` calls in each
 * interval, over all agents that share it.
 *
 * The first start begins an interval of `interval` ms. While calls wait, one interval follows the other without a gap. Otherwise the next
 * start begins one. The intervals do not overlap, and in each of them at most `intervalCap` calls start. That is p-queue's rule. With `strict`
 * at most `intervalCap` calls start in any time of `interval` ms.
 *
 * Calls start in the order of the limit: those of one agent as they were made, and agents with waiting calls take turns. A call that is cancelled while it waits for the
 * interval uses no start. If an agent dies, its starts count until their interval ends, and the other agents go on.
 *
 * All threads of such a limit import `createLimit` from here.
 *
 * ```ts run
 * import { createLimit } from '@sluice/limit/interval';
 *
 * const limit = createLimit({ concurrency: 4, interval: 50, intervalCap: 2 });
 * const began = performance.now();
 * const times = await limit.map([1, 2, 3], () => performance.now() - began);
 * console.log(times.map((ms) => Math.floor(ms / 45))); // [ 0, 0, 1 ]
 * ```
 */
export const createLimit: CreateIntervalLimit = /* @__PURE__ */ Object.assign(create, { from });

function create(given: number | IntervalLimitOptions | LimitOptions | Semaphore, options: object = {}): Limit {
  if (given instanceof Semaphore) return createPlain(given, options);
  const chosen = choose<IntervalLimitOptions | LimitOptions>(given, options, INTERVAL_LIMIT_OPTIONS);
  return hasInterval(chosen) ? limitWithClock(chosen, threadClock()) : limitOfSize(chosen);
}

function from(handle: LimitHandle, options: AttachOptions = {}): Limit {
  return 'interval' in checkHandle(handle) ? openWithClock(handle, options, threadClock()) : createPlain.from(handle, options);
}

/** As `createLimit`, with options that have an interval, and a clock: for tests. */
export function limitWithClock(options: IntervalLimitOptions, clock: Clock): Limit {
  const terms = checkTerms(options);
  const size = checkSize(options.concurrency);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOverPaced(PacedSlots.createPaced(size, terms, options.arena, options.name, clock), rejectOnClear);
}

/** As `createLimit.from`, with a clock: for tests. */
export function openWithClock(handle: LimitHandle, options: AttachOptions, clock: Clock): Limit {
  checkOptions(options, ATTACH_OPTIONS);
  const rejectOnClear = checkRejectOnClear(options);
  const { semaphore, word, parts } = openParts(handle, clock);
  return limitOverPaced(new PacedSlots(semaphore, word, parts), rejectOnClear);
}

function limitOverPaced(slots: PacedSlots, rejectOnClear: boolean): Limit {
  return limitOver(slots, rejectOnClear, new PacedCalls(slots));
}
