// The limit object of callers: a function with properties, like p-limit's.

import type { Arena } from '@sluice/core';
import { checkWait, INSPECT, consoleText, NO_WAIT_OPTIONS, rejected, show } from '@sluice/core/calls';
import type { LimitCalls } from './calls.ts';
import type { LimitHandle } from '../api/handle.ts';
import { checkArgs, checkConcurrency, checkPriority, RUN_OPTIONS, type RunOptions } from '../api/options.ts';
import type { LimitReport } from '../api/report.ts';
import type { Slots } from '../slots/slots.ts';

/** Calls functions, at most `concurrency` at a time over all agents. */
export interface Limit {
  /** Calls `fn(...args)` when its turn comes. Settles as the result of `fn` does. */
  <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T>;
  /**
   * Calls `fn` when its turn comes, with options for this call. Settles as the result of `fn` does.
   *
   * While the call waits, an abort rejects it with `signal.reason`, and a `timeout` rejects it with `TimeoutError`.
   * Then `fn` is never called. After `fn` was called, neither has any effect.
   */
  readonly run: <T, Args extends unknown[] = []>(
    fn: (...args: Args) => PromiseLike<T> | T,
    options?: RunOptions<Args>,
  ) => Promise<T>;
  /** Calls `fn(item, index)` for each item, through the limit. Settles as `Promise.all` of these calls does. */
  readonly map: <Item, T>(items: Iterable<Item>, fn: (item: Item, index: number) => PromiseLike<T> | T) => Promise<T[]>;
  /**
   * The number of running functions that were called through this object. `inspect` counts the running functions of all
   * agents.
   */
  readonly activeCount: number;
  /** The number of waiting calls through this object. */
  readonly pendingCount: number;
  /**
   * Drops the waiting calls of this object. They never settle, or reject with an `AbortError` if `rejectOnClear` is
   * set.
   */
  readonly clearQueue: () => void;
  /**
   * The maximum number of functions that run at a time. Any agent may set it, for all agents.
   *
   * A larger number starts waiting calls at once. After a smaller number, no function starts until enough functions
   * have ended.
   *
   * @throws {TypeError} If it is set to a value that is not a number of 1 or more.
   * @throws {MisuseError} If it is set on a limit over a given semaphore, or on an adaptive limit.
   * @throws {ClosedError} If it is set on a closed limit.
   */
  concurrency: number;
  /** The handle to post to another thread. Pass it to `createLimit.from` there. */
  readonly handle: LimitHandle;
  /** The arena in which the limit lies. */
  readonly arena: Arena;
  /**
   * Returns a snapshot: the agents that run functions, and the agents that wait, and since when. It reads all waiters
   * of the arena.
   */
  readonly inspect: () => LimitReport;
  /** Closes the limit for all agents. Waiting and later calls reject with `ClosedError`. Running functions continue. */
  readonly close: () => void;
  /**
   * Frees the limit's memory. No agent may be inside a call on it. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} While functions run or calls wait, for a limit over a given semaphore, and if the limit was
   *   freed before.
   */
  readonly free: () => void;
}

/** The operations on slots that the object of a limit uses itself. Its calls take and release slots. */
export type SlotsOfLimit = Pick<
  Slots,
  'semaphore' | 'handle' | 'size' | 'resize' | 'report' | 'close' | 'free' | 'toString'
>;

export function limitOver(slots: SlotsOfLimit, rejectOnClear: boolean, calls: LimitCalls): Limit {
  // The message of a DataCloneError shows the beginning of a function, so the function begins with this text.
  const limit = <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T> => {
    'A limit cannot be posted to another thread: post limit.handle.';
    return calls.call(fn, args, NO_WAIT_OPTIONS);
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
    [INSPECT]: { value: () => consoleText('Limit', () => shownOf(slots.report())) },
  }) as Limit;
}

/** The properties of a limit that a console shows. */
function shownOf({
  name,
  concurrency,
  activeCount,
  pendingCount,
  state,
}: LimitReport): Readonly<Record<string, unknown>> {
  return {
    name,
    concurrency,
    active: activeCount,
    pending: pendingCount,
    closed: state === 'closed' ? true : undefined,
  };
}

const NO_ARGS: [] = [];

function runWith(calls: LimitCalls): Limit['run'] {
  // Not an async function: it would create another promise for each call.
  return (fn, options) => {
    if (options === undefined) return calls.call(fn as () => never, NO_ARGS, NO_WAIT_OPTIONS);
    try {
      const waits = checkWait(options, RUN_OPTIONS);
      const { args = NO_ARGS, priority = 0 } = options as RunOptions<unknown[]>;
      checkArgs(args);
      return calls.call(fn as () => never, args as [], waits, checkPriority(priority));
    } catch (failure) {
      return rejected(failure);
    }
  };
}

/** Throws `TypeError` for a value that `Array.from` does not take. Array-likes are allowed, too. */
function checkIterable(items: unknown): void {
  if (items === undefined || items === null || (typeof items !== 'object' && typeof items !== 'string'))
    throw new TypeError(`limit.map takes items and a function. The items must be iterable: received ${show(items)}`);
}

type CallWithIndex = (fn: (item: never, index: number) => unknown, item: never, index: number) => Promise<unknown>;

function mapWith(limit: CallWithIndex): Limit['map'] {
  return async (items, fn) => {
    checkIterable(items);
    const results: Promise<never>[] = [];
    try {
      Array.from(items, (item, index) => results.push(limit(fn, item as never, index) as Promise<never>));
    } catch (failure) {
      // The calls made so far continue. Their results are not used, so their rejections must not be reported as
      // unhandled.
      for (const result of results) result.catch(() => undefined);
      throw failure;
    }
    return Promise.all(results);
  };
}
