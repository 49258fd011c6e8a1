// A rate for each key: a table of buckets that exist while they are not full.

import { type WaitOptions } from '@sluice/core';
import {
  checkAsyncBody,
  checkInteger,
  checkTimeout,
  checkWait,
  MAX_PERMITS,
  NO_WAIT_OPTIONS,
  refuseToBlock,
  rejected,
  show,
  threadClock,
  throwIfAborted,
  type Clock,
} from '@sluice/core/calls';
import { checkOpened, mayBlock, Primitive } from '@sluice/core/internal';
import { checkBlocking, type BlockingOptions } from '@sluice/limit/internal';
import { checkKey } from '../table/key.ts';
import { KeyRate } from './key-rate.ts';
import { KeyRates, type RateAnswer } from './key-rates.ts';
import type { KeyTable } from '../table/key-table.ts';
import { Locks } from '../table/locks.ts';
import type { RateEntries } from './rate-entries.ts';
import { KeyRateLine } from './key-rate-line.ts';
import {
  createRates,
  KIND,
  NAMING,
  openRates,
  traitsOf,
  type KeyedRateLimiterHandle,
  type KeyedRateLimiterOptions,
  type OpenedRateTable,
} from './rate-table.ts';
import { reportRates, type KeyedRateLimiterReport } from './rate-report.ts';

/** Calls that take a number of permits, followed by options or a timeout. */
const CALLS: readonly string[] = [
  'acquireAsync(key, 1, OPTIONS)',
  'runAsync(key, body, 1, OPTIONS)',
  'tryAcquire(key, 1, timeoutMs)',
];
const NOW = Promise.resolve();

let construct: (opened: OpenedRateTable) => KeyedRateLimiter;

/**
 * Lets calls through at a rate for each key: `permits` in each `interval` for a user, an address or a tenant, counted
 * over all agents that share the limiter. Keys are strings of at most 4,096 UTF-16 code units.
 *
 * - What a `RateLimiter` promises, each key gets: the bound for every window of time, FIFO order among the calls for the
 *   key, and calls that give up without a trace (the generic cell rate algorithm).
 * - Calls for one key never wait for calls for another.
 * - A key takes memory until its burst is full again. Then its memory is freed with a later call.
 * - If an agent dies, the permits that it took are used up. If it was in line, its recovery moves the calls behind it
 *   up.
 *
 * ```ts run
 * import { KeyedRateLimiter } from '@sluice/named';
 *
 * const logins = KeyedRateLimiter.create({ permits: 2, interval: 60_000, name: 'logins' });
 * console.log(logins.tryAcquire('alice'), logins.tryAcquire('alice'), logins.tryAcquire('alice')); // true true false
 * console.log(logins.tryAcquire('bob'), logins.remaining('bob')); // true 1
 * console.log(Math.ceil(logins.retryAfter('alice') / 1000)); // 30
 * logins.block('mallory', 3_600_000);
 * console.log(logins.tryAcquire('mallory')); // false
 * ```
 */
export class KeyedRateLimiter extends Primitive {
  /** The handle to post to another thread. Pass it to `KeyedRateLimiter.from` there. */
  readonly handle: KeyedRateLimiterHandle;
  readonly #keys: KeyTable;
  readonly #entries: RateEntries;
  readonly #rates: KeyRates;
  readonly #locks: Locks;
  readonly #line: KeyRateLine;

  static {
    construct = (opened) => new this(opened);
  }

  private constructor(opened: OpenedRateTable | undefined) {
    super(opened?.keys.ref, NAMING);
    checkOpened(opened, NAMING.className);
    const { keys, entries, rate, base, clock } = opened;
    this.#keys = keys;
    this.#entries = entries;
    this.#rates = new KeyRates(keys, entries, rate, base, clock);
    this.#locks = new Locks(keys, traitsOf(entries));
    this.#line = new KeyRateLine(this.#rates, this.#locks);
    this.handle = Object.freeze(keys.handle(KIND));
  }

  /**
   * Creates a keyed rate limiter. Each key has `burst` permits available.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: KeyedRateLimiterOptions): KeyedRateLimiter {
    return createWithClock(options, threadClock());
  }

  /**
   * Opens the keyed rate limiter that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live keyed rate limiter.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: KeyedRateLimiterHandle): KeyedRateLimiter {
    return openWithClock(handle, threadClock());
  }

  /** The number of permits of a key in each interval. */
  get permits(): number {
    return this.#rates.rate.permits;
  }

  /** The length of an interval in ms. */
  get interval(): number {
    return this.#rates.rate.interval;
  }

  /** The largest number of permits of a key that can be taken at once. */
  get burst(): number {
    return this.#rates.rate.burst;
  }

  /**
   * Returns the rate of a key as an object, for code that takes a rate limiter.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   */
  for(key: string): KeyRate {
    checkTheKey(key);
    this.checkThere();
    return new KeyRate(this, key);
  }

  /**
   * Takes `weight` permits of a key if they are available within `timeoutMs`. Returns whether it took them.
   *
   * With 0, the default, the call does not wait, and takes nothing while another call for the key waits.
   *
   * @param weight - 1 to `burst`.
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `acquire`.
   */
  tryAcquire(key: string, weight = 1, timeoutMs = 0): boolean {
    const cost = this.#costOf(checkTheKey(key), weight);
    if (timeoutMs !== 0) {
      checkTimeout(timeoutMs);
      if (!mayBlock()) refuseToBlock();
    }
    return this.#rates.take(key, cost) === 0 || (timeoutMs !== 0 && this.#line.block(key, cost, timeoutMs));
  }

  /**
   * Takes `weight` permits of a key if they are available now. Returns whether it took them, how many are left, and
   * after how many ms the same call can succeed.
   *
   * @param weight - 1 to `burst`.
   * @throws The errors of `tryAcquire` without a timeout.
   */
  consume(key: string, weight = 1): RateAnswer {
    return this.#rates.consume(key, this.#costOf(checkTheKey(key), weight));
  }

  /**
   * Takes `weight` permits of a key, blocking the calling thread until they are available. Calls for one key are served
   * in FIFO order. If the call throws, no permit was taken.
   *
   * @param weight - 1 to `burst`.
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long, or `weight` is out of range.
   * @throws {TimeoutError} If the permits do not come within `timeout` ms.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If an earlier async call of this agent waits for the key, and the call has no timeout.
   * @throws {ArenaFullError} If the arena has no room for the key or for the waiter.
   */
  acquire(key: string, weight = 1, options: BlockingOptions = NO_WAIT_OPTIONS): void {
    const timeout = checkBlocking(options);
    if (!mayBlock()) refuseToBlock();
    if (!this.tryAcquire(key, weight, timeout)) throw this.#line.late(key, timeout);
  }

  /**
   * Takes `weight` permits of a key without blocking the thread. The promise resolves when they are taken.
   *
   * A pending call keeps the event loop alive, unless `ref` is `false`. If the promise rejects, no permit was taken. It
   * rejects with the errors of `acquire`, and with `signal.reason` if the signal is aborted first.
   *
   * @param weight - 1 to `burst`.
   */
  acquireAsync(key: string, weight = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      const cost = this.#costOf(checkTheKey(key), weight);
      const checked = checkWait(options);
      if (this.#rates.take(key, cost) === 0) return this.#keys.context.budget.done();
      return this.#line.wait(key, cost, checked, nothing);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /**
   * Takes permits as `acquire` does, then calls `body` and returns its result. Permits are used up, so `body` may be an
   * async function.
   *
   * @throws {MisuseError} If `body` is a generator function.
   */
  run<T>(key: string, body: () => T, weight = 1, options: BlockingOptions = NO_WAIT_OPTIONS): T {
    checkAsyncBody(body, this);
    this.acquire(key, weight, options);
    return body();
  }

  /** Takes permits as `acquireAsync` does, then calls `body` and settles as its result does. */
  async runAsync<T>(
    key: string,
    body: () => T | PromiseLike<T>,
    weight = 1,
    options: WaitOptions = NO_WAIT_OPTIONS,
  ): Promise<T> {
    checkAsyncBody(body, this);
    const cost = this.#costOf(checkTheKey(key), weight);
    const checked = checkWait(options);
    await (this.#keys.context.budget.spend() ?? NOW);
    throwIfAborted(checked.signal);
    return this.#rates.take(key, cost) === 0 ? body() : this.#line.wait(key, cost, checked, body);
  }

  /**
   * Returns the number of permits of a key that `tryAcquire` could take now. 0 while a call for the key waits, and while
   * the key is blocked.
   */
  remaining(key: string): number {
    return this.#rates.remaining(checkTheKey(key));
  }

  /**
   * Returns the earliest time after which `tryAcquire(key, weight)` can succeed, in whole ms. 0: now. The header
   * `Retry-After` is in seconds: divide by 1000 and round up.
   *
   * The estimate does not count the permits of calls that wait for the key.
   */
  retryAfter(key: string, weight = 1): number {
    return this.#rates.retryAfter(checkTheKey(key), this.#costOf(key, weight));
  }

  /**
   * Takes `permits` from a key without waiting, more than are available if necessary. The key then waits for the time in
   * which they come.
   *
   * @param permits - 1 to 2^31 − 1.
   * @throws {RangeError} If `permits` is out of range, or the key would wait for 17 years or more. Nothing was taken.
   */
  penalty(key: string, permits = 1): void {
    const cost = this.#pointsOf(checkTheKey(key), permits);
    if (!this.#rates.penalize(key, cost))
      throw new RangeError(
        `${this.toString()}: its permits are already used up as far as it can count, 17 years ahead. No permit was taken.`,
      );
  }

  /**
   * Gives `permits` back to a key, up to its full burst. A call that waits for them goes on.
   *
   * @param permits - 1 to 2^31 − 1.
   */
  reward(key: string, permits = 1): void {
    this.#rates.reward(checkTheKey(key), this.#pointsOf(key, permits));
  }

  /**
   * Blocks a key: for `ms` from now, no call takes a permit of it. Permits go on to come. A later block replaces an
   * earlier one.
   *
   * @param ms - Milliseconds, 0 or more; `Infinity` for no end.
   */
  block(key: string, ms: number): void {
    if (checkTimeout(ms, 'The time of a block') === 0) this.unblock(key);
    else this.#rates.block(checkTheKey(key), ms);
  }

  /** Ends the block of a key. Returns without effect if it is not blocked. */
  unblock(key: string): void {
    this.#rates.unblock(checkTheKey(key));
  }

  /** Returns the ms for which a key is still blocked. 0: it is not. */
  blockedFor(key: string): number {
    return this.#rates.blockedFor(checkTheKey(key));
  }

  /** Makes the burst of a key full, and ends its block. */
  reset(key: string): void {
    this.#rates.reset(checkTheKey(key));
  }

  /** Returns a snapshot: the keys whose burst is not full, that are blocked, or for which calls wait. */
  inspect(): KeyedRateLimiterReport {
    this.checkThere();
    return reportRates(this.#rates, this.#locks);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    // Without `inspect`, which sweeps the table.
    const { permits, interval, burst } = this;
    return { permits, interval, burst };
  }

  /**
   * Frees the limiter's memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If calls wait, or it was already freed.
   */
  override free(): void {
    this.#entries.isEnding = true;
    try {
      this.#locks.free();
    } finally {
      this.#entries.isEnding = false;
    }
  }

  /** Returns the time that `weight` permits cost, in ticks. Throws `RangeError`, `TypeError`. */
  #costOf(key: string, weight: number): number {
    const { burst, cost } = this.#rates.rate;
    if (!Number.isInteger(weight) || weight < 1 || weight > burst)
      checkInteger(`${this.toString()}, key ${show(key)}: weight`, weight, 1, burst, CALLS);
    return weight * cost;
  }

  #pointsOf(key: string, permits: number): number {
    checkInteger(`${this.toString()}, key ${show(key)}: permits`, permits, 1, MAX_PERMITS);
    return permits * this.#rates.rate.cost;
  }
}

function checkTheKey(key: string): string {
  return checkKey('The key', key);
}

function nothing(): void {
  // The permits are taken.
}

/** Creates a keyed rate limiter as `KeyedRateLimiter.create` does, with another clock. */
export function createWithClock(options: KeyedRateLimiterOptions, clock: Clock): KeyedRateLimiter {
  return construct(createRates(options, clock));
}

/** Opens a keyed rate limiter as `KeyedRateLimiter.from` does, with another clock. */
export function openWithClock(handle: KeyedRateLimiterHandle, clock: Clock): KeyedRateLimiter {
  return construct(openRates(handle, clock));
}
