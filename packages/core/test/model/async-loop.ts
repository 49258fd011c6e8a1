// The event loop of one agent in a model. Real asynchronous code runs in it unchanged, one callback after the other.
// The explorer chooses the next callback.
//
//   waitAsync   settles when the gate is notified: each element has a word that counts its notifications
//   timer       may fire at any moment
//   abort       may come at any moment
//   turn        a callback of setImmediate, which runs at some moment
//   look        a timer of 1 ms that tries a lock again (`SideLock.lockAsync`): may fire once the lock that refused is
//               free, or after a timer or an abort. A look at a lock that is still owned changes nothing.
//
// `async` functions use the engine's own promises, which no replay can run to their end. So the source is bundled with
// them lowered to generators over the global `Promise` (mutate.ts), and while a body runs that name, and those of the
// timers, mean the ones in this file.

import type { Context } from '@sluice/model';
import { GATE, OFFICE } from '../../src/kernel/layout.ts';
import type { LoopBudget } from '../../src/platform/loop-budget.ts';

/**
 * The word of an element that a buffer uses as WANTS. Only reports read WANTS, and it is written before any wait with
 * that element begins.
 */
const NOTIFIED = 60;

type Callback = () => void;
type Settle = (value: unknown) => void;
type Handler = (value: unknown) => unknown;

interface Pending {
  readonly mailbox: number;
  readonly seen: number;
  readonly callbacks: Callback[];
}

/** The bits of a lock's OFFICE with the id of the owner. */
const OWNER_BITS = 0xffffffffn;
/** A timer with at most this delay is a look. */
const LOOK_MS = 1;

interface Look {
  /** The lock that refused. */
  readonly lock: number;
  readonly callback: Callback;
  /** Whether a timer or an abort came after the lock refused. */
  isStale: boolean;
}

/** Counts a notification of an element's gate, for the async wait at that gate. */
export function notifyLoops(ctx: Context, gate: number): void {
  ctx.words.add32(gate - GATE + NOTIFIED, 1);
}

const loops = new WeakMap<Context, AsyncLoop>();

/** Returns the loop that runs in the agent now. */
export function loopOf(ctx: Context): AsyncLoop | undefined {
  return loops.get(ctx);
}

/** A signal with the members that the source uses. */
export class ModelSignal {
  aborted = false;
  reason: unknown = 'aborted';
  readonly #listeners = new Set<Callback>();

  addEventListener(_: 'abort', listener: Callback): void {
    this.#listeners.add(listener);
  }
  removeEventListener(_: 'abort', listener: Callback): void {
    this.#listeners.delete(listener);
  }
  throwIfAborted(): void {
    if (this.aborted) throw this.reason as Error;
  }
  abort(reason: unknown = this.reason): void {
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Replaces the platform's controller, which would catch the error that the explorer stops an agent with. */
class ModelController {
  readonly signal = new ModelSignal();

  abort(reason?: unknown): void {
    if (!this.signal.aborted) this.signal.abort(reason);
  }
}

export class AsyncLoop {
  readonly #ctx: Context;
  readonly #jobs: Callback[] = [];
  readonly #timers = new Set<Callback>();
  readonly #signals = new Set<ModelSignal>();
  #pending: Pending[] = [];
  #looks: Look[] = [];
  /** The lock that refused last; 0 if none did. */
  #refused = 0;
  /** How many callbacks have run. */
  turns = 0;
  /** The clock, in ms. It advances only when a timer fires. */
  now = 0;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    loops.set(ctx, this);
  }

  /** An abort of this signal may come at any moment. */
  mayAbort(signal: ModelSignal): ModelSignal {
    this.#signals.add(signal);
    return signal;
  }

  /** Records that `lock` was owned. A short timer that begins now is a look at it. */
  noteRefusal(lock: number): void {
    this.#refused = lock;
  }

  waitAsync(gate: number, expected: number): { then(callback: Callback): void } | undefined {
    const { words } = this.#ctx;
    const mailbox = gate - GATE + NOTIFIED;
    // Keep this order: a notification between the two operations wakes this wait unnecessarily, and no notification is
    // missed.
    const seen = words.load32(mailbox);
    if (words.load32(gate) !== expected) return undefined;
    const callbacks: Callback[] = [];
    this.#pending.push({ mailbox, seen, callbacks });
    return { then: (callback) => void callbacks.push(callback) };
  }

  /** Returns a budget that may be used up at any moment: each look at its clock is a choice of the explorer. */
  budget(core: { readonly LoopBudget: typeof LoopBudget }): LoopBudget {
    let time = 0;
    return new core.LoopBudget(
      () => (time += 1 + this.#ctx.choose(2, 'whether the budget of the turn is used up') * 1e6),
      (turn) => this.#inNextTurn(turn),
    );
  }

  /** Runs `begin`, then the callbacks of its waits, until `isOver` returns true. */
  run(begin: Callback, isOver: () => boolean): void {
    this.#within(begin);
    while (!isOver()) this.#next();
  }

  #next(): void {
    const { words } = this.#ctx;
    const acts = [...this.#timers, ...[...this.#signals].filter(({ aborted }) => !aborted)];
    const chosen = acts[this.#ctx.choose(acts.length + 1, 'a timer, an abort, or a wake-up')];
    if (chosen !== undefined) {
      for (const look of this.#looks) look.isStale = true;
      this.#within(() => {
        if (chosen instanceof ModelSignal) return chosen.abort();
        this.#timers.delete(chosen);
        this.now += 1e6;
        chosen();
      });
      return;
    }
    this.#ctx.assert(
      this.#pending.length + this.#looks.length > 0,
      'a wait is pending, and its event loop waits for nothing',
    );
    // An agent that dies while its event loop is idle has changed nothing since this step.
    this.#ctx.step('an event');
    const isNotified = ({ mailbox, seen }: Pending): boolean => words.load32(mailbox) !== seen;
    const isDue = ({ lock, isStale }: Look): boolean => isStale || (words.load64(lock + OFFICE) & OWNER_BITS) === 0n;
    this.#ctx.until(() => this.#pending.some(isNotified) || this.#looks.some(isDue));
    const due = [...this.#pending.filter(isNotified), ...this.#looks.filter(isDue)];
    const first = due[this.#ctx.choose(due.length, 'which event comes first')];
    this.#pending = this.#pending.filter((wait) => wait !== first);
    this.#looks = this.#looks.filter((look) => look !== first);
    this.#within(() => {
      if (first === undefined) return;
      if ('callback' in first) first.callback();
      else first.callbacks.forEach((callback) => callback());
    });
  }

  #inNextTurn(act: Callback): void {
    this.#looks.push({ lock: 0, callback: act, isStale: true });
  }

  /** Runs one callback and all reactions that it causes. */
  #within(callback: Callback): void {
    this.turns += 1;
    const {
      Promise: native,
      performance: clock,
      setTimeout: after,
      clearTimeout: clear,
      setInterval: every,
      clearInterval: end,
      setImmediate: turn,
      AbortController: controller,
    } = globalThis;
    const timers = this.#timers;
    const jobs = this.#jobs;
    const none = { ref: () => undefined, unref: () => undefined };
    class ModelPromise extends SyncPromise {
      protected override enqueue(job: Callback): void {
        jobs.push(job);
      }
    }
    const begin = (act: Callback, delayMs: number): object => {
      if (delayMs <= LOOK_MS && this.#refused !== 0)
        this.#looks.push({ lock: this.#refused, callback: act, isStale: false });
      else timers.add(act);
      return Object.assign(act, none);
    };
    const stop = (timer: unknown): boolean => timers.delete(timer as Callback);
    const performance = { now: () => this.now };
    Object.assign(globalThis, {
      Promise: ModelPromise,
      performance,
      setTimeout: begin,
      clearTimeout: stop,
      setInterval: () => none,
      clearInterval: stop,
      setImmediate: (act: Callback) => this.#inNextTurn(act),
      AbortController: ModelController,
    });
    try {
      callback();
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) job();
    } finally {
      Object.assign(globalThis, {
        Promise: native,
        performance: clock,
        setTimeout: after,
        clearTimeout: clear,
        setInterval: every,
        clearInterval: end,
        setImmediate: turn,
        AbortController: controller,
      });
    }
  }
}

/**
 * A promise whose reactions run synchronously. The explorer stops an agent with an error. If a promise catches it as a
 * rejection, the agent's next operation throws it again.
 */
class SyncPromise {
  #state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  #value: unknown;
  readonly #reactions: Callback[] = [];

  constructor(executor: (resolve: Settle, reject: Settle) => void) {
    try {
      executor(
        (value) => this.#resolve(value),
        (reason) => this.#settle('rejected', reason),
      );
    } catch (failure) {
      this.#settle('rejected', failure);
    }
  }

  static resolve(value: unknown): SyncPromise {
    return value instanceof SyncPromise ? value : new this((resolve) => resolve(value));
  }

  static race(promises: readonly SyncPromise[]): SyncPromise {
    return new this((resolve, reject) => {
      for (const promise of promises) promise.then(resolve, reject);
    });
  }

  static all(promises: readonly SyncPromise[]): SyncPromise {
    return new this((resolve, reject) => {
      const values: unknown[] = [];
      let left = promises.length;
      if (left === 0) resolve(values);
      for (const [n, promise] of promises.entries()) {
        promise.then((value) => {
          values[n] = value;
          left -= 1;
          if (left === 0) resolve(values);
        }, reject);
      }
    });
  }

  protected enqueue(job: Callback): void {
    job();
  }

  catch(rejected: Handler): SyncPromise {
    return this.then(undefined, rejected);
  }

  then(fulfilled?: Handler, rejected?: Handler): SyncPromise {
    return new (this.constructor as typeof SyncPromise)((resolve, reject) => {
      const react = (): void => {
        const handler = this.#state === 'fulfilled' ? fulfilled : rejected;
        if (handler !== undefined) settleBy(() => handler(this.#value), resolve, reject);
        else if (this.#state === 'fulfilled') resolve(this.#value);
        else reject(this.#value);
      };
      if (this.#state === 'pending') this.#reactions.push(() => this.enqueue(react));
      else this.enqueue(react);
    });
  }

  #resolve(value: unknown): void {
    if (value instanceof SyncPromise)
      value.then(
        (inner) => this.#settle('fulfilled', inner),
        (reason) => this.#settle('rejected', reason),
      );
    else this.#settle('fulfilled', value);
  }

  #settle(state: 'fulfilled' | 'rejected', value: unknown): void {
    if (this.#state !== 'pending') return;
    this.#state = state;
    this.#value = value;
    for (const react of this.#reactions) react();
  }
}

function settleBy(handle: () => unknown, resolve: Settle, reject: Settle): void {
  let value: unknown;
  try {
    value = handle();
  } catch (failure) {
    reject(failure);
    return;
  }
  resolve(value);
}
