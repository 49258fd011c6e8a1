// The event loop of one agent in a model: real asynchronous code runs in it as it is, one callback after the other, and what comes next is
// the explorer's to choose.
//
//   waitAsync   settles when the gate is notified: each element has a word that counts its notifications
//   timer       may fire at any moment
//   abort       may come at any moment
//
// `async` functions use the engine's own promises, which no replay can run to their end. So the source is bundled with them lowered to
// generators over the global `Promise` (mutate.ts), and while a body runs that name, and those of the timers, mean the ones in this file.

import type { Context } from '@sluice/model';
import { GATE } from '../../src/kernel/layout.ts';

/** In an element, behind its last word. */
const NOTIFIED = 60;

type Callback = () => void;
type Settle = (value: unknown) => void;
type Handler = (value: unknown) => unknown;

interface Pending {
  readonly mailbox: number;
  readonly seen: number;
  readonly callbacks: Callback[];
}

/** Counts a notification of an element's gate, for the async wait at that gate. */
export function notifyLoops(ctx: Context, gate: number): void {
  ctx.words.add32(gate - GATE + NOTIFIED, 1);
}

const loops = new WeakMap<Context, AsyncLoop>();

/** The loop that runs in that agent now. */
export function loopOf(ctx: Context): AsyncLoop | undefined {
  return loops.get(ctx);
}

/** A signal with what the source asks of one. */
export class ModelSignal {
  aborted = false;
  readonly reason = 'aborted';
  readonly #listeners = new Set<Callback>();

  addEventListener(_: 'abort', listener: Callback): void {
    this.#listeners.add(listener);
  }
  removeEventListener(_: 'abort', listener: Callback): void {
    this.#listeners.delete(listener);
  }
  throwIfAborted(): void {
    if (this.aborted) throw this.reason as unknown as Error;
  }
  abort(): void {
    this.aborted = true;
    for (const listener of [...this.#listeners]) listener();
  }
}

export class AsyncLoop {
  readonly #ctx: Context;
  readonly #jobs: Callback[] = [];
  readonly #timers = new Set<Callback>();
  readonly #signals = new Set<ModelSignal>();
  #pending: Pending[] = [];
  /** ms; it goes on only when a timer fires. */
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

  waitAsync(gate: number, expected: number): { then(callback: Callback): void } | undefined {
    const { words } = this.#ctx;
    const mailbox = gate - GATE + NOTIFIED;
    // In this order: a notification between the two wakes this wait for no reason, and none is missed.
    const seen = words.load32(mailbox);
    if (words.load32(gate) !== expected) return undefined;
    const callbacks: Callback[] = [];
    this.#pending.push({ mailbox, seen, callbacks });
    return { then: (callback) => void callbacks.push(callback) };
  }

  /** Runs `begin`, and then what it waits for, until `isOver`. */
  run(begin: Callback, isOver: () => boolean): void {
    this.#within(begin);
    while (!isOver()) this.#next();
  }

  #next(): void {
    const { words } = this.#ctx;
    const acts = [...this.#timers, ...[...this.#signals].filter(({ aborted }) => !aborted)];
    const chosen = acts[this.#ctx.choose(acts.length + 1, 'a timer, an abort, or a wake-up')];
    if (chosen !== undefined) {
      this.#within(() => {
        if (chosen instanceof ModelSignal) return chosen.abort();
        this.#timers.delete(chosen);
        this.now += 1e6;
        chosen();
      });
      return;
    }
    this.#ctx.assert(this.#pending.length > 0, 'a wait is not over, and its event loop waits for nothing');
    const isDue = ({ mailbox, seen }: Pending): boolean => words.load32(mailbox) !== seen;
    this.#ctx.until(() => this.#pending.some(isDue));
    const due = this.#pending.filter(isDue);
    const first = due[this.#ctx.choose(due.length, 'which wake-up comes first')];
    this.#pending = this.#pending.filter((wait) => wait !== first);
    this.#within(() => first?.callbacks.forEach((callback) => callback()));
  }

  /** One callback, and all that it lets go on. */
  #within(callback: Callback): void {
    const { Promise: native, performance: clock, setTimeout: after, clearTimeout: clear, setInterval: every, clearInterval: end } = globalThis;
    const timers = this.#timers;
    const jobs = this.#jobs;
    const none = { ref: () => undefined, unref: () => undefined };
    class ModelPromise extends SyncPromise {
      protected override enqueue(job: Callback): void {
        jobs.push(job);
      }
    }
    const begin = (act: Callback): object => {
      timers.add(act);
      return Object.assign(act, none);
    };
    const stop = (timer: unknown): boolean => timers.delete(timer as Callback);
    const performance = { now: () => this.now };
    Object.assign(globalThis, { Promise: ModelPromise, performance, setTimeout: begin, clearTimeout: stop, setInterval: () => none, clearInterval: stop });
    try {
      callback();
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) job();
    } finally {
      Object.assign(globalThis, { Promise: native, performance: clock, setTimeout: after, clearTimeout: clear, setInterval: every, clearInterval: end });
    }
  }
}

/** A promise whose executor lets errors pass: the explorer stops an agent by one. */
class SyncPromise {
  #state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  #value: unknown;
  readonly #reactions: Callback[] = [];

  constructor(executor: (resolve: Settle, reject: Settle) => void) {
    executor(
      (value) => this.#resolve(value),
      (reason) => this.#settle('rejected', reason),
    );
  }

  static resolve(value: unknown): SyncPromise {
    return value instanceof SyncPromise ? value : new this((resolve) => resolve(value));
  }

  protected enqueue(job: Callback): void {
    job();
  }

  then(fulfilled?: Handler, rejected?: Handler): SyncPromise {
    return new (this.constructor as typeof SyncPromise)((resolve, reject) => {
      const react = (): void => {
        const handler = this.#state === 'fulfilled' ? fulfilled : rejected;
        if (handler !== undefined) resolve(handler(this.#value));
        else if (this.#state === 'fulfilled') resolve(this.#value);
        else reject(this.#value);
      };
      if (this.#state === 'pending') this.#reactions.push(() => this.enqueue(react));
      else this.enqueue(react);
    });
  }

  #resolve(value: unknown): void {
    if (value instanceof SyncPromise) value.then((inner) => this.#settle('fulfilled', inner), (reason) => this.#settle('rejected', reason));
    else this.#settle('fulfilled', value);
  }

  #settle(state: 'fulfilled' | 'rejected', value: unknown): void {
    if (this.#state !== 'pending') return;
    this.#state = state;
    this.#value = value;
    for (const react of this.#reactions) react();
  }
}
