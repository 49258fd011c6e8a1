// Creates and opens limits with p-limit's interface.

import { Semaphore } from '@sluice/core';
import { checkObject, checkOptions, threadClock, wrongInstance } from '@sluice/core/calls';
import { ADAPTIVE_LIMIT_OPTIONS, type AdaptiveLimitOptions } from './adaptive/options.ts';
import { LimitCalls } from './calls/calls.ts';
import { createControlledLimit, needsControl, openControlledLimit } from './control/open-control.ts';
import { checkHandle, type LimitHandle } from './api/handle.ts';
import { hasInterval, INTERVAL_LIMIT_OPTIONS, type IntervalLimitOptions } from './api/interval-options.ts';
import { slotsOf } from './slots/open.ts';
import { limitOver, type Limit } from './calls/limit.ts';
import {
  ATTACH_OPTIONS,
  checkConcurrency,
  checkRejectOnClear,
  type AttachOptions,
  type LimitOptions,
} from './api/options.ts';
import { createIntervalLimit, openIntervalLimit } from './interval/open-interval.ts';
import { SizedSlots } from './slots/sized-slots.ts';
import { Slots } from './slots/slots.ts';

/** The overloads of `createLimit`. */
export interface CreateLimit {
  /**
   * Creates a limit, with an interval or without.
   *
   * @throws {TypeError} For options that are not valid.
   * @throws {RangeError} For a name of more than 60 bytes, or for 16,000 or more starts per ms.
   * @throws {ArenaFullError} If the arena has no room for the limit.
   */
  (concurrency: number | AdaptiveLimitOptions | IntervalLimitOptions | LimitOptions): Limit;
  /**
   * Creates a limit, with options beside its concurrency.
   *
   * @throws The errors of the first form.
   */
  (concurrency: number, options: Omit<IntervalLimitOptions, 'concurrency'> | Omit<LimitOptions, 'concurrency'>): Limit;
  /**
   * Creates a limit whose slots are the permits of a semaphore, without an interval. Other code may use the semaphore
   * directly, too.
   */
  (semaphore: Semaphore, options?: AttachOptions): Limit;
  /**
   * Opens the limit of a handle from another agent.
   *
   * @throws {HandleError} If the handle is not that of a limit.
   */
  readonly from: (handle: LimitHandle, options?: AttachOptions) => Limit;
}

/**
 * Creates a limit (a concurrency limiter): a function that calls functions. At most `concurrency` of these run at a
 * time, over all agents that share the limit.
 *
 * The calls of one agent start in the order in which they were made. Agents with waiting calls take turns, call by
 * call. A call that is cancelled while it waits never runs and takes no slot. If an agent dies, its recovery releases
 * the slots of its running functions.
 *
 * With `interval` and `intervalCap`, the limit also starts at most `intervalCap` calls in each interval, over all
 * agents. The first start begins an interval of `interval` ms. While calls wait, one interval follows the other without
 * a gap. Otherwise the next start begins an interval. The intervals do not overlap. This is p-queue's rule. With
 * `strict`, at most `intervalCap` calls start in any time of `interval` ms. A call that is cancelled while it waits for
 * the interval uses no start. If an agent dies, its starts count until their interval ends.
 *
 * ```ts run
 * import { createLimit } from '@sluice/limit';
 *
 * const limit = createLimit(2);
 * const squares = await limit.map([1, 2, 3], async (n) => n * n);
 * console.log(squares, await limit(Math.max, 4, 5), limit.activeCount); // [ 1, 4, 9 ] 5 0
 *
 * const paced = createLimit({ concurrency: 4, interval: 50, intervalCap: 2 });
 * const began = performance.now();
 * const times = await paced.map([1, 2, 3], () => performance.now() - began);
 * console.log(times.map((ms) => Math.floor(ms / 45))); // [ 0, 0, 1 ]
 * ```
 */
export const createLimit: CreateLimit = /* @__PURE__ */ Object.assign(create, { from });

const ALL_OPTIONS: readonly string[] = [...INTERVAL_LIMIT_OPTIONS, ...ADAPTIVE_LIMIT_OPTIONS];

function create(
  given: number | AdaptiveLimitOptions | IntervalLimitOptions | LimitOptions | Semaphore,
  options: object = {},
): Limit {
  if (given instanceof Semaphore) {
    checkOptions(options, ATTACH_OPTIONS);
    return limitOfCalls(new Slots(given), checkRejectOnClear(options));
  }
  const chosen = choose(given, options);
  if (needsControl(chosen)) return createControlledLimit(chosen, threadClock());
  return hasInterval(chosen) ? createIntervalLimit(chosen, threadClock()) : limitOfSize(chosen as LimitOptions);
}

/** Returns the options of a new limit, from either form of the call. Throws `TypeError`. */
function choose(
  given: number | AdaptiveLimitOptions | IntervalLimitOptions | LimitOptions,
  options: object,
): AdaptiveLimitOptions | IntervalLimitOptions | LimitOptions {
  checkOptions(options, ALL_OPTIONS);
  const chosen =
    typeof given === 'object'
      ? checkNoHandle(given)
      : ({ ...options, concurrency: given } as IntervalLimitOptions | LimitOptions);
  checkOptions(chosen, ALL_OPTIONS);
  return chosen;
}

/** Creates a limit without an interval. */
function limitOfSize(options: LimitOptions): Limit {
  const permits = checkConcurrency(options.concurrency);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOfCalls(SizedSlots.create(permits, options.arena, options.name), rejectOnClear);
}

function limitOfCalls(slots: Slots, rejectOnClear: boolean): Limit {
  return limitOver(slots, rejectOnClear, new LimitCalls(slots));
}

function from(handle: LimitHandle, options: AttachOptions = {}): Limit {
  if ('control' in checkHandle(handle)) return openControlledLimit(handle, options, threadClock());
  if ('interval' in handle) return openIntervalLimit(handle, options, threadClock());
  checkOptions(options, ATTACH_OPTIONS);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOfCalls(slotsOf(handle), rejectOnClear);
}

/** Throws if the options are a handle or a foreign semaphore. The message names the right function. */
function checkNoHandle<Options extends object>(options: Options): Options {
  checkObject(options);
  const { kind, handle } = options as { readonly kind?: unknown; readonly handle?: { readonly kind?: unknown } | null };
  if (kind === 'sluice.limit') throw new TypeError('This is the handle of a limit: use createLimit.from(handle).');
  if (kind === 'sluice.semaphore') {
    throw new TypeError('This is the handle of a semaphore: use createLimit(Semaphore.from(handle)).');
  }
  if (handle?.kind === 'sluice.semaphore')
    throw wrongInstance('The semaphore', 'Semaphore', 'sluice.semaphore', options);
  return options;
}
