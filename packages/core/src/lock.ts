// The interface of every lock, and guards, written once for all of them.

import { checkAsyncBody, checkBody, refusePromise, type Titled } from './body.ts';
import { INSPECT, oneLine } from './one-line.ts';

/** How long an async wait may take, what may end it, and whether it keeps the process alive. */
export interface WaitOptions {
  /** ms; the wait then rejects with `TimeoutError`. Default: no limit. */
  readonly timeout?: number | undefined;
  /** An abort rejects with `signal.reason`, untouched, unless the grant was first. */
  readonly signal?: AbortSignal | undefined;
  /** `false`: the wait does not keep the event loop alive. Default `true`. */
  readonly ref?: boolean | undefined;
}

/** A lock for agents that may block. */
export interface Lock {
  /** Blocks until the lock is ours. */
  lock(): void;
  /** Waits `timeoutMs` at the most (default 0: not at all); whether the lock is ours. */
  tryLock(timeoutMs?: number): boolean;
  /** Gives the lock back. */
  unlock(): void;
}

/** A lock that can be waited for without blocking the agent. */
export interface AsyncLock {
  /** Resolves when the lock is ours. */
  lockAsync(options?: WaitOptions): Promise<void>;
  /** Gives the lock back. */
  unlock(): void;
}

/** `Symbol.dispose`, or where the platform has none a symbol of our own: nothing global is patched. */
export const dispose: typeof Symbol.dispose = (Symbol as { dispose?: typeof Symbol.dispose }).dispose ?? Symbol.for('Symbol.dispose') as typeof Symbol.dispose;

/** One holding of a lock, given back by `release` or at the end of a `using` block, once. */
export class Guard {
  /** Own and enumerable: a guard that is posted fails for what the lock has (`refusePosting`), at no cost. */
  private _lock: { unlock(): void } | undefined;

  constructor(lock: { unlock(): void }) {
    this._lock = lock;
  }

  /** Whether this guard still holds. */
  get held(): boolean {
    return this._lock !== undefined;
  }

  /** Gives back what is held; a second call does nothing. */
  release(): void {
    const lock = this._lock;
    this._lock = undefined;
    lock?.unlock();
  }

  [INSPECT](): string {
    return oneLine('Guard', () => ({ held: this.held, of: this._lock === undefined ? undefined : titleOfLock(this._lock) }));
  }

  [dispose](): void {
    this.release();
  }
}

/**
 * A lock with the forms that cannot forget to give it back. A subclass brings the four operations.
 *
 * ```ts run
 * import { Region, Semaphore } from '@sluice/core';
 *
 * const lock = Semaphore.create(1).asLock();
 * const tally = Region.create(4).int32;
 * console.log(lock.run(() => (tally[0] += 1))); // 1
 * ```
 */
export abstract class Holdable implements Lock, AsyncLock {
  abstract lock(): void;
  abstract tryLock(timeoutMs?: number): boolean;
  abstract lockAsync(options?: WaitOptions): Promise<void>;
  abstract unlock(): void;

  /** How messages call it. */
  toString(): string {
    return this.constructor.name;
  }

  [INSPECT](): string {
    return this.toString();
  }

  /** Blocks until the lock is ours; give it back through the guard. */
  hold(): Guard {
    this.lock();
    return new Guard(this);
  }

  /** A guard, or `null` when the lock was not to be had within `timeoutMs`. */
  tryHold(timeoutMs = 0): Guard | null {
    return this.tryLock(timeoutMs) ? new Guard(this) : null;
  }

  /** Resolves with a guard when the lock is ours. */
  holdAsync(options?: WaitOptions): Promise<Guard> {
    return this.lockAsync(options).then(() => new Guard(this));
  }

  /**
   * Runs `body` with the lock held; gives it back also when `body` throws.
   *
   * An async function is refused before the lock is taken: it would go on after the unlock. If `body` returns a promise, or another
   * thenable, the call ends with a `MisuseError` after the unlock. The thenable is the `cause` of that error; if it is a promise that
   * rejects later, the reason is written to `console.error`. To return a promise on purpose, put it into an object.
   *
   * @throws {MisuseError} For an async or generator function, and for a body that returns a thenable: use `runAsync`.
   */
  run<T>(body: () => T): T {
    checkBody(body, this);
    this.lock();
    let result: T;
    try {
      result = body();
    } finally {
      this.unlock();
    }
    return refusePromise(result, this);
  }

  /** Runs `body` with the lock held until the promise it returns settles. Rejects with `MisuseError` for a generator function. */
  async runAsync<T>(body: () => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    checkAsyncBody(body, this);
    await this.lockAsync(options);
    try {
      return await body();
    } finally {
      this.unlock();
    }
  }
}

/** '' for a lock that does not say which one it is. */
function titleOfLock(lock: Titled): string {
  const title = lock.toString();
  return title.startsWith('[object') ? '' : title;
}
