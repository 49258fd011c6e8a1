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
  /**
   * Creates a limit, with an interval or without.
   *
   * @throws {TypeError} For options that are not valid.
   * @throws {RangeError} For a name of more than 60 bytes, or for 16,000 or more starts per ms.
   * @throws {ArenaFullError} If the arena has no room for the limit.
   */
  (concurrency: number | IntervalLimitOptions | LimitOptions): Limit;
  /** Creates a limit, with options beside its concurrency. Throws the same errors. */
  (concurrency: number, options: Omit<IntervalLimitOptions, 'concurrency'> | Omit<LimitOptions, 'concurrency'>): Limit;
  /** Creates a limit whose slots are the permits of a semaphore, without an interval. */
  (semaphore: Semaphore, options?: AttachOptions): Limit;
  /**
   * Opens the limit of a handle from another agent, with an interval or without.
   *
   * @throws {HandleError} If the handle is not that of a limit.
   */
  readonly from: (handle: LimitHandle, options?: AttachOptions) => Limit;
}

/**
 * Creates a limit as `createLimit` of '@sluice/limit' does. With `interval` and `intervalCap`, the limit also starts at most `intervalCap` calls
 * in each interval, over all agents that share it.
 *
 * The first start begins an interval of `interval` ms. While calls wait, one interval follows the other without a gap. Otherwise the next start
 * begins an interval. The intervals do not overlap, and at most `intervalCap` calls start in each. This is p-queue's rule. With `strict`, at most
 * `intervalCap` calls start in any time of `interval` ms.
 *
 * The calls of one agent start in the order in which they were made. Agents with waiting calls take turns. A call that is cancelled while it
 * waits for the interval uses no start. If an agent dies, its starts count until their interval ends, and the other agents continue.
 *
 * All threads of such a limit must import `createLimit` from this entry.
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

/** Creates a limit with an interval and a given clock, for tests. */
export function limitWithClock(options: IntervalLimitOptions, clock: Clock): Limit {
  const terms = checkTerms(options);
  const size = checkSize(options.concurrency);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOverPaced(PacedSlots.createPaced(size, terms, options.arena, options.name, clock), rejectOnClear);
}

/** Opens the limit of a handle with a given clock, for tests. */
export function openWithClock(handle: LimitHandle, options: AttachOptions, clock: Clock): Limit {
  checkOptions(options, ATTACH_OPTIONS);
  const rejectOnClear = checkRejectOnClear(options);
  const { semaphore, word, parts } = openParts(handle, clock);
  return limitOverPaced(new PacedSlots(semaphore, word, parts), rejectOnClear);
}

function limitOverPaced(slots: PacedSlots, rejectOnClear: boolean): Limit {
  return limitOver(slots, rejectOnClear, new PacedCalls(slots));
}
