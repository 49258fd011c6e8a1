// A cache as its callers see it. The entries are in store.ts, the computation of a key in computations.ts.

import { DeadlockError, type NotPromise, type WaitOptions } from '@sluice/core';
import {
  checkAsyncBody,
  checkBody,
  checkTimeout,
  checkWait,
  NO_WAIT_OPTIONS,
  threadClock,
  type Clock,
} from '@sluice/core/calls';
import { checkOpened, chosenArena, Primitive } from '@sluice/core/internal';
import { KeyTable } from '@sluice/named/internal';
import { CacheCalls } from './calls.ts';
import { Computations } from './computations.ts';
import type { CacheKey } from './key.ts';
import {
  decodingOf,
  planOf,
  ttlOf,
  type CacheSetOptions,
  type Decoding,
  type SharedCacheFromOptions,
  type SharedCacheHandle,
  type SharedCacheOptions,
} from './options.ts';
import { createStore, KIND, TRAITS } from './store-block.ts';
import { reportCache, statisticsOf, type CacheStatistics, type SharedCacheReport } from './report.ts';

declare const refusal: unique symbol;

/**
 * The type that the compiler's error names if the function of a `get` returns a promise: call `getAsync` instead. No
 * value has this type.
 */
export interface UseAsyncGet {
  readonly [refusal]: 'getAsync';
}

/** Completes the message about a function that cannot compute. */
const USE = 'compute a value by';

let construct: <T>(keys: KeyTable, decoding: Decoding, clock: Clock) => SharedCache<T>;

/**
 * A cache in shared memory, for all threads of an arena. It computes each value once.
 *
 * - If a key has no value, one caller computes it, over all threads. The others wait, and get the value.
 * - If the thread that computes dies and is recovered, the longest waiter computes.
 * - If the function that computes fails, its callers get the error, and no value is kept. Waiters in other threads
 *   compute the value themselves, one after another.
 * - The entries take at most `maxBytes`. The values used least recently are evicted to make room.
 * - A call that begins after `set`, `delete` or `clear` never gets a value whose computation began before it.
 *
 * Each call returns a value of its own, which a codec decodes from the shared bytes, or a copy of a decoded one. With
 * `keepDecoded`, calls of an instance return the same object while the value is unchanged. Keys are strings or bytes.
 *
 * ```ts run
 * import { SharedCache } from '@sluice/cache';
 *
 * const users = SharedCache.create<{ name: string }>({ maxBytes: 1_000_000, ttl: 60_000, name: 'users' });
 * const load = async (id: string) => ({ name: `user ${id}` });
 * const both = await Promise.all([users.getAsync('17', load), users.getAsync('17', load)]);
 * console.log(both[1].name, users.statistics().computed); // user 17 1
 * console.log(users.peek('17')?.name, users.delete('17'), users.has('17')); // user 17 true false
 * ```
 */
export class SharedCache<T> extends Primitive {
  /** The handle to post to another thread. Pass it to `SharedCache.from` there. */
  readonly handle: SharedCacheHandle<T>;
  readonly #calls: CacheCalls;

  static {
    construct = (keys, decoding, clock) => new this(keys, decoding, clock);
  }

  private constructor(keys: KeyTable | undefined, decoding: Decoding, clock: Clock) {
    super(keys?.ref, TRAITS);
    checkOpened(keys, TRAITS.className);
    this.#calls = new CacheCalls(new Computations(keys, clock), decoding);
    this.handle = Object.freeze({ ...keys.handle(KIND), codec: decoding.codec.name });
  }

  /**
   * Creates an empty cache.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left for `maxBytes`.
   */
  static create(options: SharedCacheOptions<number> & { readonly codec: 'int32' | 'float64' }): SharedCache<number>;
  static create(options: SharedCacheOptions<Uint8Array> & { readonly codec: 'bytes' }): SharedCache<Uint8Array>;
  static create<T>(options: SharedCacheOptions<T>): SharedCache<T>;
  static create<T>(options: SharedCacheOptions<T>): SharedCache<T> {
    return createWithClock(options, threadClock());
  }

  /**
   * Opens the cache that `handle` refers to. If the cache was created with a codec of your own, pass the same codec as
   * `codec`.
   *
   * @throws {HandleError} If the handle does not refer to a live cache.
   * @throws {TypeError} If it was created with another codec.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from<T>(handle: SharedCacheHandle<T>, options: SharedCacheFromOptions<T> = {}): SharedCache<T> {
    return openWithClock(handle, options, threadClock());
  }

  /**
   * Returns the value of a key. If there is none, calls `compute` and keeps its result, or blocks while another caller
   * computes the value.
   *
   * If the value is stale and no caller computes the next, this call computes it. If that fails, it returns the stale
   * value, and the failure is only counted.
   *
   * @param compute - Called with the key. It must not ask this cache for the same key.
   * @throws {TypeError} If the key or `compute` has the wrong type, or the codec cannot represent the value.
   * @throws {RangeError} If the key is too long, or the encoded value does not fit into the cache.
   * @throws {MisuseError} If `compute` is an async or generator function, or returns a promise; use `getAsync`. Also in
   *   a `compute` of the same key through any instance, and on a browser's main thread if the call would have to wait.
   * @throws {DeadlockError} If an async call of this thread computes the value or waits for it.
   * @throws {ArenaFullError} If the arena has no room for the key's lock or for the waiter.
   * @throws The errors of `compute` and of the codec. If `compute` or `encode` fails, no value is kept.
   */
  get<K extends CacheKey, R extends T>(key: K, compute: (key: K) => NotPromise<R, UseAsyncGet>): T {
    const units = this.#calls.unitsOf(key);
    checkBody(compute, this, USE, 'getAsync');
    const found = this.#calls.read(units, 'counts');
    if (found !== undefined && !found.isStale) return this.#calls.valueOf(units, found) as T;
    if (found === undefined && this.#calls.isInFlight(units))
      throw new DeadlockError(
        `${this.#calls.computations.titleOf(units)}: an async call of this thread computes the value or waits for it, and could not settle while this call blocks the thread. Use getAsync.`,
      );
    if (found !== undefined) return this.#calls.next(units, key, compute, found) as T;
    // Without a timeout, `compute` always returns bytes.
    return this.#calls.decode(this.#calls.compute(units, key, compute, Infinity) as Uint8Array) as T;
  }

  /**
   * Returns the value as `get` does, but waits at most `timeoutMs` for another caller's computation. Returns
   * `undefined` if there is no value by then.
   *
   * With 0, the default, the call does not wait. It still calls `compute` if no caller computes the value. The timeout
   * does not limit `compute` itself.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `get`.
   */
  tryGet<K extends CacheKey, R extends T>(
    key: K,
    compute: (key: K) => NotPromise<R, UseAsyncGet>,
    timeoutMs = 0,
  ): T | undefined {
    const units = this.#calls.unitsOf(key);
    checkBody(compute, this, USE, 'getAsync');
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const found = this.#calls.read(units, 'counts');
    if (found !== undefined && !found.isStale) return this.#calls.valueOf(units, found) as T;
    if (found !== undefined) return this.#calls.next(units, key, compute, found) as T;
    const bytes = this.#calls.compute(units, key, compute, timeoutMs);
    return bytes === undefined ? undefined : (this.#calls.decode(bytes) as T);
  }

  /**
   * Returns the value as `get` does, without blocking the thread. `compute` may return a promise.
   *
   * The async calls of one instance for one key share one computation, by the function of the first of them. So the
   * function must not depend on one caller, such as on its signal. A stale value is returned at once. If no caller
   * computes the next, the call does so in the background, and a failure is only counted.
   *
   * `timeout` and `signal` end the wait of this call. A computation that has begun goes on, and its value is kept.
   * Rejects with the errors of `get`, with `TimeoutError` or `signal.reason`. A `compute` that asks for the same key
   * before its first `await`, through any instance, gets `DeadlockError`. If it asks later, it waits for itself until the
   * timeout: give it one, or ask before.
   */
  async getAsync<K extends CacheKey>(
    key: K,
    compute: (key: K) => T | PromiseLike<T>,
    options: WaitOptions = NO_WAIT_OPTIONS,
  ): Promise<T> {
    const units = this.#calls.unitsOf(key);
    checkAsyncBody(compute, this, USE);
    const wait = checkWait(options);
    const found = this.#calls.read(units, 'counts');
    if (found === undefined) return this.#calls.decode(await this.#calls.join(units, key, compute, wait)) as T;
    const value = this.#calls.valueOf(units, found) as T;
    if (found.isStale) this.#calls.refresh(units, key, compute);
    const later = this.#calls.computations.keys.context.budget.spend();
    if (later !== undefined) await later;
    return value;
  }

  /**
   * Returns the value of a key, or `undefined` if there is none. Computes nothing, waits for no computation, does not
   * count as a use, and changes no statistics. A stale value is a value.
   *
   * @throws {TypeError} If the key has the wrong type.
   * @throws {RangeError} If the key is too long.
   */
  peek(key: CacheKey): T | undefined {
    const units = this.#calls.unitsOf(key);
    const found = this.#calls.read(units, 'looks');
    return found === undefined ? undefined : (this.#calls.valueOf(units, found) as T);
  }

  /** Whether a key has a value, as `peek` would return it. */
  has(key: CacheKey): boolean {
    return this.#calls.computations.has(this.#calls.unitsOf(key));
  }

  /**
   * Keeps a value for a key, in place of an older one. A computation of the key that runs at this moment does not
   * replace it.
   *
   * @throws {TypeError} If the codec cannot represent the value, or an argument has the wrong type.
   * @throws {RangeError} If the key is too long, the value does not fit into the cache, or an option is out of range.
   */
  set(key: CacheKey, value: T, options?: CacheSetOptions): void {
    const units = this.#calls.unitsOf(key);
    const ttl = ttlOf(options);
    this.#calls.computations.put(units, this.#calls.pack(units, value), ttl);
  }

  /**
   * Removes the value of a key. Returns whether there was one. The result of a computation of the key that runs at this
   * moment is not kept: only the callers that share it in its thread get it.
   *
   * @throws {TypeError} If the key has the wrong type.
   * @throws {RangeError} If the key is too long.
   */
  delete(key: CacheKey): boolean {
    const units = this.#calls.unitsOf(key);
    this.#calls.forget(units);
    return this.#calls.computations.delete(units);
  }

  /** Removes all values. The results of computations that run at this moment are not kept. The counters stay. */
  clear(): void {
    this.#calls.forget();
    this.#calls.computations.clear();
  }

  /** Returns the counters since the creation of the cache, over all threads, and the number and bytes of its values. */
  statistics(): CacheStatistics {
    return this.#calls.computations.keys.under(() => statisticsOf(this.#calls.computations.store));
  }

  /** Returns a snapshot: the statistics, the options, and the keys that are being computed. */
  inspect(): SharedCacheReport {
    const { keys, locks, store } = this.#calls.computations;
    return reportCache(keys, locks, store, this.#calls.codec.name);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    const { entries, bytes } = this.statistics();
    return { entries, bytes };
  }

  /**
   * Frees the cache's memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent computes a value or waits for one, or it was already freed.
   */
  override free(): void {
    this.#calls.computations.locks.free();
  }
}

/** Creates a cache as `SharedCache.create` does, with another clock. */
export function createWithClock<T>(options: SharedCacheOptions<T>, clock: Clock): SharedCache<T> {
  const plan = planOf(options as SharedCacheOptions<never>);
  return construct<T>(createStore(chosenArena(options.arena), options.name, plan), plan, clock);
}

/** Opens a cache as `SharedCache.from` does, with another clock. */
export function openWithClock<T>(
  handle: SharedCacheHandle<T>,
  options: SharedCacheFromOptions<T>,
  clock: Clock,
): SharedCache<T> {
  const keys = KeyTable.open(handle, KIND, TRAITS);
  return construct<T>(keys, decodingOf(handle, options as SharedCacheFromOptions<never>), clock);
}
