// p-limit's interface over all processes.

import type { WaitOptions } from '@sluice/core';
import {
  checkFunction,
  checkObject,
  INSPECT,
  offAbort,
  onAbort,
  consoleText,
  reasonOf,
  show,
  throwIfAborted,
} from '@sluice/core/calls';
import type { Holdings } from './holdings.ts';
import type { RemoteReport } from '../report/report.ts';
import type { Namespace } from './namespace.ts';

export interface RemoteLimitOptions {
  /** The number of functions that may run at a time, over all processes: 1 or more. */
  readonly concurrency: number;
  /** The length of an interval in ms, measured by the server. Default: no intervals. */
  readonly interval?: number | undefined;
  /** The number of functions that may start in each interval, over all processes. Default: `concurrency`. */
  readonly intervalCap?: number | undefined;
  /**
   * Whether `intervalCap` holds for any time of `interval` ms, not only for each of the successive intervals. Then
   * `intervalCap` is at most 10,000: the time of each start is kept. Default: `false`.
   */
  readonly strict?: boolean | undefined;
  /**
   * The number of calls of this process that one slot may serve before it goes back to the server. Default: 4, or 1
   * with an interval.
   */
  readonly bypass?: number | undefined;
  /**
   * The time that this process keeps an idle slot while no other process waits, in ms. Default: 20, or 0 with an
   * interval.
   */
  readonly linger?: number | undefined;
  /** Whether `clearQueue` rejects the calls that it drops, with an `AbortError`. Default `false`: they never settle. */
  readonly rejectOnClear?: boolean | undefined;
}

/** Limits how many functions run at a time, over all processes. `space.limit` creates it. */
export interface RemoteLimit {
  /** Calls `fn(...args)` when its turn comes. Settles as the result of `fn` does. */
  <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T>;
  /** Calls `fn(...args)` when its turn comes, with options for this call. Once `fn` runs, they have no effect. */
  readonly run: <Args extends unknown[], T>(
    fn: (...args: Args) => PromiseLike<T> | T,
    options?: WaitOptions & { readonly args?: Args | undefined },
  ) => Promise<T>;
  /** Calls `fn(item, index)` for each item. Settles as `Promise.all` of these calls. */
  readonly map: <Item, T>(items: Iterable<Item>, fn: (item: Item, index: number) => PromiseLike<T> | T) => Promise<T[]>;
  /** The number of running functions that were called through this object. */
  readonly activeCount: number;
  /** The number of calls through this object whose function has not started. */
  readonly pendingCount: number;
  /** Drops this object's pending calls: they never settle, or reject with an `AbortError` if `rejectOnClear` is set. */
  readonly clearQueue: () => void;
  /** The number of functions that may run at a time, as this process knows it. */
  readonly concurrency: number;
  /** Changes the number of functions that may run at a time, for all processes. */
  readonly resize: (concurrency: number) => Promise<void>;
  readonly inspect: () => Promise<RemoteReport>;
  /**
   * Closes the limit for all processes: pending and later calls reject with `ClosedError`. Running functions continue.
   */
  readonly close: () => Promise<void>;
}

/** Marks a call that `clearQueue` dropped and that never settles. */
const DROPPED = Symbol('dropped');

class Calls {
  readonly #holdings: Holdings;
  readonly #pending = new Set<AbortController>();
  active = 0;

  constructor(holdings: Holdings) {
    this.#holdings = holdings;
  }

  get pending(): number {
    return this.#pending.size;
  }

  async call<T>(fn: () => PromiseLike<T> | T, options: WaitOptions): Promise<T> {
    checkFunction(fn);
    const { signal } = options;
    throwIfAborted(signal);
    const leave = new AbortController();
    const pass = (): void => leave.abort(reasonOf(signal));
    onAbort(signal, pass);
    this.#pending.add(leave);
    try {
      return await this.#holdings.run(
        () => {
          this.#begin(leave);
          return fn();
        },
        this.#holdings.line.title,
        1,
        { ...options, signal: leave.signal },
      );
    } catch (failure) {
      if (failure === DROPPED) return await new Promise<never>(() => undefined);
      throw failure;
    } finally {
      offAbort(signal, pass);
      if (!this.#pending.delete(leave)) this.active = Math.max(0, this.active - 1);
    }
  }

  clear(reason: unknown): void {
    for (const leave of this.#pending) leave.abort(reason);
  }

  #begin(leave: AbortController): void {
    this.#pending.delete(leave);
    this.active++;
  }
}

export function limitOver(space: Namespace, holdings: Holdings, rejectOnClear: boolean): RemoteLimit {
  const calls = new Calls(holdings);
  const { line } = holdings;
  const limit = <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T> =>
    calls.call(typeof fn === 'function' ? () => fn(...args) : fn, {});
  return Object.defineProperties(limit, {
    run: {
      value: async <T>(fn: (...args: unknown[]) => PromiseLike<T> | T, options: RunOptions = {}): Promise<T> => {
        checkObject(options);
        const { args, ...wait } = options;
        checkArgs(args);
        return calls.call(args === undefined || typeof fn !== 'function' ? fn : () => fn(...args), wait);
      },
    },
    map: {
      value: async <Item, T>(items: Iterable<Item>, fn: (item: Item, index: number) => PromiseLike<T> | T) =>
        Promise.all(listOf(items).map((item, index) => limit(fn, item, index))),
    },
    activeCount: { get: () => calls.active },
    pendingCount: { get: () => calls.pending },
    clearQueue: {
      value: () =>
        calls.clear(rejectOnClear ? new DOMException('The call was dropped by clearQueue', 'AbortError') : DROPPED),
    },
    concurrency: { get: () => line.permits },
    resize: { value: (concurrency: number) => space.resize(line, concurrency) },
    inspect: { value: () => space.look(line) },
    close: { value: () => space.shut(line) },
    toString: { value: () => line.title },
    [INSPECT]: {
      value: () =>
        consoleText('RemoteLimit', () => ({
          name: line.name,
          concurrency: line.permits,
          active: calls.active,
          pending: calls.pending,
        })),
    },
  }) as RemoteLimit;
}

type RunOptions = WaitOptions & { readonly args?: readonly unknown[] | undefined };

/** Throws `TypeError` if the value is neither an array nor `undefined`. */
function checkArgs(args: unknown): void {
  if (args !== undefined && !Array.isArray(args)) throw new TypeError(`args must be an array: received ${show(args)}`);
}

/** Returns all items, before the first call. Throws `TypeError`. */
function listOf<Item>(items: Iterable<Item> | undefined | null): Item[] {
  if (items === undefined || items === null || (typeof items !== 'object' && typeof items !== 'string'))
    throw new TypeError(`limit.map takes items and a function: the items must be iterable: received ${show(items)}`);
  return Array.from(items);
}
