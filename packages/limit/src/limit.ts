// A limit as its callers see it: a function with properties, like p-limit's.

import type { Arena } from '@sluice/core';
import { checkOptions, INSPECT, oneLine, rejected, show } from '@sluice/core/internal';
import { Calls, NO_OPTIONS } from './calls.ts';
import type { LimitHandle } from './handle.ts';
import { checkArgs, checkConcurrency, checkPriority, RUN_OPTIONS, type RunOptions } from './options.ts';
import type { LimitReport } from './report.ts';
import type { Slots } from './slots.ts';

/** Calls functions, at most as many at a time as there are slots for all agents together. */
export interface Limit {
  /** Calls `fn(...args)` when its turn comes. Settles as the result of `fn` does. */
  <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T>;
  /**
   * The same, with options for this call. While the call waits, an abort rejects it with `signal.reason` and a `timeout` rejects it with
   * `TimeoutError`; then `fn` is never called. Once `fn` runs, neither has any effect.
   */
  readonly run: <T, Args extends unknown[] = []>(
    fn: (...args: Args) => PromiseLike<T> | T,
    options?: RunOptions<Args>,
  ) => Promise<T>;
  /** Calls `fn(item, index)` for each item. Settles as `Promise.all` of these calls. */
  readonly map: <Item, T>(items: Iterable<Item>, fn: (item: Item, index: number) => PromiseLike<T> | T) => Promise<T[]>;
  /** The number of running functions that were called through this object. `inspect` counts those of all agents. */
  readonly activeCount: number;
  /** The number of calls through this object whose function has not started. */
  readonly pendingCount: number;
  /** Drops this object's pending calls: they never settle, or reject with an `AbortError` if `rejectOnClear` is set. */
  readonly clearQueue: () => void;
  /**
   * How many functions may run at a time. Any agent may set it, for all agents. A larger number starts calls at once. With a smaller one, no
   * function starts until enough have ended. Throws `TypeError`; `MisuseError` for a limit over a given semaphore; `ClosedError`.
   */
  concurrency: number;
  /** Post this to another thread and give it to `createLimit.from` there. */
  readonly handle: LimitHandle;
  /** The arena that the limit lives in. */
  readonly arena: Arena;
  /** A snapshot of all agents: which run functions, and which wait and since when. Takes a pass over all waiters of the arena. */
  readonly inspect: () => LimitReport;
  /** Closes the limit for all agents: pending and later calls reject with `ClosedError`. Running functions continue. */
  readonly close: () => void;
  /**
   * Frees the limit's memory. No agent may be inside a call on it. Throws `MisuseError` while functions run or wait, for a limit over a given
   * semaphore, and if it was freed before. Every later use throws `MisuseError`, too.
   */
  readonly free: () => void;
}

export function limitOver(slots: Slots, rejectOnClear: boolean, calls = new Calls(slots)): Limit {
  // The text is for the message of a DataCloneError, which shows the beginning of a function.
  const limit = <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T> => {
    'A limit cannot be posted to another thread: post limit.handle.';
    return calls.call(fn, args, NO_OPTIONS);
  };
  const { semaphore, handle } = slots;
  return Object.defineProperties(limit, {
    run: { value: runWith(calls) },
    map: { value: mapWith(limit) },
    activeCount: { get: () => calls.active },
    pendingCount: { get: () => calls.pending },
    clearQueue: { value: () => calls.clear(rejectOnClear ? AbortSignal.abort() : undefined) },
    concurrency: { get: () => slots.size, set: (concurrency: unknown) => slots.resize(checkConcurrency(concurrency)) },
    handle: { value: handle },
    arena: { value: semaphore.arena },
    inspect: { value: () => slots.report() },
    close: { value: () => slots.close() },
    free: { value: () => slots.free() },
    toString: { value: () => slots.toString() },
    [INSPECT]: { value: () => oneLine('Limit', () => shownOf(slots.report())) },
  }) as Limit;
}

/** What a console prints for a limit. */
function shownOf({ name, concurrency, activeCount, pendingCount, state }: LimitReport): Readonly<Record<string, unknown>> {
  return { name, concurrency, active: activeCount, pending: pendingCount, closed: state === 'closed' ? true : undefined };
}

const NO_ARGS: [] = [];

function runWith(calls: Calls): Limit['run'] {
  // Not an async function: it would make another promise for each call.
  return (fn, options) => {
    if (options === undefined) return calls.call(fn as () => never, NO_ARGS, NO_OPTIONS);
    try {
      checkOptions(options, RUN_OPTIONS);
      const { args = NO_ARGS, timeout, signal, ref, priority = 0 } = options as RunOptions<unknown[]>;
      checkArgs(args);
      const waits = timeout === undefined && signal === undefined && ref === undefined ? NO_OPTIONS : { timeout, signal, ref };
      return calls.call(fn as () => never, args as [], waits, checkPriority(priority));
    } catch (failure) {
      return rejected(failure);
    }
  };
}

/** Throws `TypeError`. What `Array.from` takes: array-likes, too. */
function checkIterable(items: unknown): void {
  if (items === undefined || items === null || (typeof items !== 'object' && typeof items !== 'string')) throw new TypeError(`limit.map takes items and a function. The items must be iterable: received ${show(items)}`);
}

type CallWithIndex = (fn: (item: never, index: number) => unknown, item: never, index: number) => Promise<unknown>;

function mapWith(limit: CallWithIndex): Limit['map'] {
  return async (items, fn) => {
    checkIterable(items);
    const results: Promise<never>[] = [];
    try {
      Array.from(items, (item, index) => results.push(limit(fn, item as never, index) as Promise<never>));
    } catch (failure) {
      // Calls that have started continue. Their results are not used, so their rejections must not be reported as unhandled.
      for (const result of results) result.catch(() => undefined);
      throw failure;
    }
    return Promise.all(results);
  };
}
