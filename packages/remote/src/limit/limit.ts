// p-limit's interface over all processes.

import type { WaitOptions } from '@sluice/core';
import {
  checkFunction,
  checkObject,
  checkWait,
  INSPECT,
  offAbort,
  onAbort,
  consoleText,
  reasonOf,
  show,
  throwIfAborted,
} from '@sluice/core/calls';
import type { Grant } from '../session/grant.ts';
import { withBounds } from '../session/wait-bounds.ts';
import type { Timing } from '../engine/timing.ts';
import { checkArgs, checkPriority, type RemoteLimitTerms, type RemoteRunOptions } from './options.ts';
import { WaitingPlace, WaitingRoom } from './waiting-room.ts';
import type { Holdings } from '../primitives/holdings.ts';
import type { RemoteReport } from '../report/report.ts';
import type { Namespace } from '../primitives/namespace.ts';

/** Limits how many functions run at a time, over all processes. `space.limit` creates it. */
export interface RemoteLimit {
  /** Calls `fn(...args)` when its turn comes. Settles as the result of `fn` does. */
  <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T>;
  /** Calls `fn(...args)` when its turn comes, with options for this call. Once `fn` runs, they have no effect. */
  readonly run: <Args extends unknown[], T>(
    fn: (...args: Args) => PromiseLike<T> | T,
    options?: RemoteRunOptions<Args>,
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

/** A call, from its beginning to its end. */
interface LimitedCall {
  /** Ends the wait. */
  readonly leave: AbortController;
  isCleared: boolean;
  hasBegun: boolean;
}

class Calls {
  readonly #holdings: Holdings;
  readonly #room: WaitingRoom | undefined;
  readonly #timing: Timing;
  readonly #pending = new Set<LimitedCall>();
  active = 0;

  constructor(holdings: Holdings, room: WaitingRoom | undefined, timing: Timing) {
    this.#holdings = holdings;
    this.#room = room;
    this.#timing = timing;
  }

  get pending(): number {
    return this.#pending.size;
  }

  async call<T>(fn: () => PromiseLike<T> | T, options: WaitOptions, priority = 0): Promise<T> {
    checkFunction(fn);
    const checked = checkWait(options);
    const { signal } = checked;
    throwIfAborted(signal);
    const call: LimitedCall = { leave: new AbortController(), isCleared: false, hasBegun: false };
    const { leave } = call;
    const pass = (): void => leave.abort(reasonOf(signal));
    onAbort(signal, pass);
    this.#pending.add(call);
    try {
      const grant = await this.#enter({ ...checked, signal: leave.signal }, priority, (reason) => leave.abort(reason));
      return await this.#run(call, grant, fn);
    } catch (failure) {
      if (failure !== DROPPED) throw failure;
    } finally {
      offAbort(signal, pass);
      this.#pending.delete(call);
    }
    // Outside of `try`, whose end takes the call out of the counts.
    return new Promise<never>(() => undefined);
  }

  async #run<T>(call: LimitedCall, grant: Grant, fn: () => PromiseLike<T> | T): Promise<T> {
    try {
      return await this.#holdings.runIn(grant, () => {
        // `clear` may come between the grant and this moment.
        if (call.isCleared) throw call.leave.signal.reason;
        call.hasBegun = true;
        this.#pending.delete(call);
        this.active++;
        return fn();
      });
    } finally {
      if (call.hasBegun) this.active--;
    }
  }

  async #enter(options: WaitOptions, priority: number, shed: (reason: Error) => void): Promise<Grant> {
    const { timeout = Infinity, signal } = options;
    const room = this.#room;
    if (room === undefined || timeout === 0) return this.#holdings.take(1, options, priority);
    const began = this.#timing.now();
    const timedOut = (): Error => this.#holdings.line.timedOut(1, timeout);
    const entering = room.enter(priority, shed);
    let entered: Grant | WaitingPlace;
    try {
      entered = await withBounds(entering, this.#timing, options, timedOut, began);
      throwIfAborted(signal);
    } catch (failure) {
      // The caller has given up. What the call still gets goes back.
      entering
        .then((late) => (late instanceof WaitingPlace ? room.leave(late) : this.#holdings.guard(late).release()))
        .catch(() => undefined);
      throw failure;
    }
    if (!(entered instanceof WaitingPlace)) return entered;
    try {
      const left = Math.max(1, timeout - (this.#timing.now() - began));
      return await this.#holdings.take(1, { ...options, timeout: left }, priority);
    } finally {
      room.leave(entered);
    }
  }

  clear(reason: unknown): void {
    for (const call of this.#pending) {
      call.isCleared = true;
      call.leave.abort(reason);
    }
    this.#pending.clear();
  }
}

/** `places`: what this process holds of the places of waiting calls, if their number has a maximum. */
export function limitOver(
  space: Namespace,
  holdings: Holdings,
  places: Holdings | undefined,
  { rejectOnClear, maxWaiting, shedsOldest }: RemoteLimitTerms,
  timing: Timing,
): RemoteLimit {
  const room = maxWaiting === Infinity ? undefined : new WaitingRoom(holdings, places, maxWaiting, shedsOldest);
  const calls = new Calls(holdings, room, timing);
  const { line } = holdings;
  const limit = <Args extends unknown[], T>(fn: (...args: Args) => PromiseLike<T> | T, ...args: Args): Promise<T> =>
    calls.call(typeof fn === 'function' ? () => fn(...args) : fn, {});
  return Object.defineProperties(limit, {
    run: {
      value: async <T>(
        fn: (...args: unknown[]) => PromiseLike<T> | T,
        options: RemoteRunOptions<unknown[]> = {},
      ): Promise<T> => {
        checkObject(options);
        const { args, priority = 0, ...wait } = options;
        checkArgs(args);
        const body = args === undefined || typeof fn !== 'function' ? fn : () => fn(...args);
        return calls.call(body, wait, checkPriority(priority));
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

/** Returns all items, before the first call. Throws `TypeError`. */
function listOf<Item>(items: Iterable<Item> | undefined | null): Item[] {
  if (items === undefined || items === null || (typeof items !== 'object' && typeof items !== 'string'))
    throw new TypeError(`limit.map takes items and a function: the items must be iterable: received ${show(items)}`);
  return Array.from(items);
}
