// A cache as its callers see it. The entries are in store.ts, the computation of a key in computing.ts.

import {
  DeadlockError,
  hasCode,
  HandleError,
  MisuseError,
  type Arena,
  type NotPromise,
  type WaitOptions,
} from '@sluice/core';
import {
  checkAsyncBody,
  checkBody,
  checkPlace,
  checkTimeout,
  checkWait,
  chosenArena,
  findPrimitive,
  handleTo,
  INSPECT,
  isThenable,
  oneLine,
  packedBy,
  packedFor,
  reasonOf,
  refusePosting,
  reportRejection,
  threadClock,
  type Clock,
  type ValueCodec,
} from '@sluice/core/internal';
import { MUTEX } from '@sluice/mutex/internal';
import { KeyTable, type EntryLock } from '@sluice/named/internal';
import { Computing } from './computing.ts';
import { Decoded } from './decoded.ts';
import { Flight } from './flight.ts';
import { unitsOf, type CacheKey } from './key.ts';
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
import { createStore, TRAITS } from './placed-store.ts';
import { reportCache, statisticsOf, type CacheStatistics, type SharedCacheReport } from './report.ts';
import type { Found, Reading } from './store.ts';

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
/** Before the key of a computation that does not keep the process alive. No key begins with it. */
const UNREFERENCED = '\0\u0002';
/** Keys of at most that many code units fit into every cache. */
const FEW_UNITS = 1024;
const NO_OPTIONS: WaitOptions = {};

let construct: <T>(keys: KeyTable, decoding: Decoding, clock: Clock) => SharedCache<T>;

/**
 * A cache in shared memory, for all threads of an arena. It computes each value once.
 *
 * - If a key has no value, one caller computes it, over all threads. The others wait, and get the value.
 * - If the thread that computes dies and is recovered, the longest waiter computes.
 * - If the function that computes fails, its callers get the error, and no value is kept. Waiters in other threads
 *   compute themselves, one after another.
 * - The entries take at most `maxBytes`. The values used least recently are evicted to make room.
 * - A call that begins after `set`, `delete` or `clear` never gets a value whose computation began before it.
 *
 * Each call returns a value of its own, which a codec decodes from the shared bytes. With `keepDecoded`, calls of an
 * instance return the same object while the value is unchanged. Keys are strings or bytes.
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
export class SharedCache<T> {
  /** The handle to post to another thread. Pass it to `SharedCache.from` there. */
  readonly handle: SharedCacheHandle<T>;
  readonly #computing: Computing;
  readonly #codec: ValueCodec<unknown>;
  readonly #isJson: boolean;
  readonly #decoded: Decoded | undefined;
  /** The computations of this instance's async calls, by key. */
  readonly #flights = new Map<string, Flight>();

  static {
    construct = (keys, decoding, clock) => new this(keys, decoding, clock);
  }

  private constructor(keys: KeyTable, decoding: Decoding, clock: Clock) {
    refusePosting(this);
    checkPlace(keys, 'SharedCache');
    this.#computing = new Computing(keys, clock);
    const { codec, keepDecoded } = decoding;
    this.#codec = codec;
    this.#isJson = codec.name === 'json';
    this.#decoded = keepDecoded === 0 ? undefined : new Decoded(keepDecoded);
    this.handle = Object.freeze({
      ...handleTo('sluice.cache', keys.place),
      modules: keys.modules,
      codec: codec.name,
    }) as SharedCacheHandle<T>;
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

  /** Returns the title for messages, such as "SharedCache 'users'". */
  toString(): string {
    return this.#computing.keys.title;
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#computing.keys.checkThere();
    return this.#computing.keys.name;
  }

  /** The arena that contains the cache. */
  get arena(): Arena {
    return this.#computing.keys.arena;
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
   *   a `compute` of the same key, and on a browser's main thread if the call would have to wait.
   * @throws {DeadlockError} If an async call of this thread computes the value or waits for it.
   * @throws {ArenaFullError} If the arena has no room for the key's lock or for the waiter.
   * @throws The errors of `compute` and of the codec. If `compute` or `encode` fails, no value is kept.
   */
  get<K extends CacheKey, R extends T>(key: K, compute: (key: K) => NotPromise<R, UseAsyncGet>): T {
    const units = this.#unitsOf(key);
    checkBody(compute, this, USE, 'getAsync');
    const found = this.#look(units, 'counts');
    if (found !== undefined && !found.isStale) return this.#valueOf(units, found);
    if (found === undefined && this.#isInFlight(units))
      throw new DeadlockError(
        `${this.#computing.titleOf(units)}: an async call of this thread computes the value or waits for it, and could not settle while this call blocks the thread. Use getAsync.`,
      );
    if (found !== undefined) return this.#next(units, key, compute, found);
    // Without a limit of time there are bytes.
    return this.#decode(this.#compute(units, key, compute, Infinity) as Uint8Array);
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
    const units = this.#unitsOf(key);
    checkBody(compute, this, USE, 'getAsync');
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const found = this.#look(units, 'counts');
    if (found !== undefined && !found.isStale) return this.#valueOf(units, found);
    if (found !== undefined) return this.#next(units, key, compute, found);
    const bytes = this.#compute(units, key, compute, timeoutMs);
    return bytes === undefined ? undefined : this.#decode(bytes);
  }

  /**
   * Returns the value as `get` does, without blocking the thread. `compute` may return a promise.
   *
   * The async calls of one instance for one key share one computation, by the function of the first of them. So the
   * function must not depend on one caller, such as on its signal. A stale
   * value is returned at once. If no caller computes the next, the call does so in the background, and a failure is
   * only counted.
   *
   * `timeout` and `signal` end the wait of this call. A computation that has begun goes on, and its value is kept.
   * Rejects with the errors of `get`, with `TimeoutError` or `signal.reason`. A `compute` that asks for the same key
   * before its first `await` gets `DeadlockError`. If it asks later, it waits for itself until the timeout.
   */
  async getAsync<K extends CacheKey>(
    key: K,
    compute: (key: K) => T | PromiseLike<T>,
    options: WaitOptions = NO_OPTIONS,
  ): Promise<T> {
    const units = this.#unitsOf(key);
    checkAsyncBody(compute, this, USE);
    const wait = options === NO_OPTIONS ? options : checkWait(options);
    const found = this.#look(units, 'counts');
    if (found === undefined) return this.#decode(await this.#join(units, key, compute, wait));
    const value = this.#valueOf(units, found);
    if (found.isStale) this.#refresh(units, key, compute);
    const later = this.#computing.keys.context.budget.spend();
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
    const units = this.#unitsOf(key);
    const found = this.#look(units, 'looks');
    return found === undefined ? undefined : this.#valueOf(units, found);
  }

  /** Whether a key has a value, as `peek` would return it. */
  has(key: CacheKey): boolean {
    return this.#computing.has(this.#unitsOf(key));
  }

  /**
   * Keeps a value for a key, in place of an older one. A computation of the key that runs at this moment does not
   * replace it.
   *
   * @throws {TypeError} If the codec cannot represent the value, or an argument has the wrong type.
   * @throws {RangeError} If the key is too long, the value does not fit into the cache, or an option is out of range.
   */
  set(key: CacheKey, value: T, options?: CacheSetOptions): void {
    const units = this.#unitsOf(key);
    const ttl = ttlOf(options);
    this.#computing.put(units, this.#pack(units, value), ttl);
  }

  /**
   * Removes the value of a key. Returns whether there was one. The result of a computation of the key that runs at this
   * moment is not kept: only the callers that share it in its thread get it.
   *
   * @throws {TypeError} If the key has the wrong type.
   * @throws {RangeError} If the key is too long.
   */
  delete(key: CacheKey): boolean {
    const units = this.#unitsOf(key);
    this.#decoded?.forget(units);
    return this.#computing.delete(units);
  }

  /** Removes all values. The results of computations that run at this moment are not kept. The counters stay. */
  clear(): void {
    this.#decoded?.forgetAll();
    this.#computing.clear();
  }

  /** Returns the counters since the creation of the cache, over all threads, and the number and bytes of its values. */
  statistics(): CacheStatistics {
    return this.#computing.keys.under(() => statisticsOf(this.#computing.store));
  }

  /** Returns a snapshot: the statistics, the options, and the keys that are being computed. */
  inspect(): SharedCacheReport {
    const { keys, locks, store } = this.#computing;
    return reportCache(keys, locks, store, this.#codec.name);
  }

  [INSPECT](): string {
    return oneLine('SharedCache', () => {
      const { entries, bytes } = this.statistics();
      return { name: this.name, entries, bytes };
    });
  }

  /**
   * Frees the cache's memory, which another primitive may reuse. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent computes a value or waits for one, or it was already freed.
   */
  free(): void {
    this.#computing.locks.free();
  }

  /**
   * Computes the value of a key in this call, or waits for another caller's computation. Returns `undefined` if the
   * wait timed out.
   */
  #compute<K extends CacheKey>(
    units: string,
    key: K,
    compute: (key: K) => unknown,
    timeoutMs: number,
  ): Uint8Array | undefined {
    const taken = this.#computing.take(units, timeoutMs);
    if (taken === undefined || 'bytes' in taken) return taken?.bytes;
    try {
      const attempt = this.#computing.begin(units, taken);
      if ('bytes' in attempt) return attempt.bytes;
      const packed = this.#counted(() => this.#pack(units, this.#callHere(units, key, compute)));
      this.#computing.keep(units, attempt, packed);
      return packed;
    } finally {
      this.#computing.release(units, taken);
    }
  }

  /** Computes the value that follows a stale one, unless another caller does. Returns the stale one if that fails. */
  #next<K extends CacheKey>(units: string, key: K, compute: (key: K) => unknown, stale: Found): T {
    const value = this.#valueOf(units, stale);
    try {
      const bytes = this.#compute(units, key, compute, 0);
      return bytes === undefined ? value : this.#decode(bytes);
    } catch {
      return value;
    }
  }

  /** Returns the result of a computation, and counts a failure. */
  #counted<R>(compute: () => R): R {
    try {
      return compute();
    } catch (failure) {
      this.#noteFailed();
      throw failure;
    }
  }

  /** The error of the computation says more than a failure to count it. */
  #noteFailed(): void {
    try {
      this.#computing.noteFailed();
    } catch {
      // The arena was left, or the stack has no room.
    }
  }

  #callHere<K extends CacheKey>(units: string, key: K, compute: (key: K) => unknown): unknown {
    const value = compute(key);
    if (!isThenable(value)) return value;
    const title = this.#computing.titleOf(units);
    reportRejection(value, `the computation of ${title}`);
    throw new MisuseError(
      `${title}: the function returned a promise, but this call does not wait for promises. Use getAsync. No value was kept. The promise is the cause of this error.`,
      { cause: value },
    );
  }

  /** Waits for the computation of this thread, and begins it if there is none. */
  async #join<K extends CacheKey>(
    units: string,
    key: K,
    compute: (key: K) => unknown,
    wait: WaitOptions,
  ): Promise<Uint8Array> {
    const id = wait.ref === false ? UNREFERENCED + units : units;
    let flight = this.#flights.get(id);
    if ([units, UNREFERENCED + units].some((each) => this.#flights.get(each)?.isStarting === true))
      throw new DeadlockError(
        `${this.#computing.titleOf(units)}: the function that computes the value asks for it. It would wait for itself.`,
      );
    if (flight !== undefined && !this.#isOpen(flight)) flight = undefined;
    flight ??= this.#begin(id, (begun) => this.#fly(begun, units, key, compute, wait.ref));
    const bytes = await flight.join(wait, (timeoutMs) => this.#computing.late(units, timeoutMs));
    const later = this.#computing.keys.context.budget.spend();
    if (later !== undefined) await later;
    // The codec may keep or change the bytes.
    return bytes.slice();
  }

  /**
   * Whether a call that comes now may have the value of a computation. After a `set`, `delete` or `clear` since its
   * beginning it must not.
   */
  #isOpen({ isOpen, attempt }: Flight): boolean {
    return isOpen && (attempt === undefined || this.#computing.isCurrent(attempt));
  }

  /** Computes the next value of a key in the background, unless a caller computes it already. */
  #refresh<K extends CacheKey>(units: string, key: K, compute: (key: K) => unknown): void {
    const lock = this.#isInFlight(units) ? undefined : this.#takeIfFree(units);
    if (lock !== undefined) this.#begin(units, (begun) => this.#computeAsync(begun, units, key, compute, lock));
  }

  /**
   * Takes the lock of a key for a caller that has a value. If there is no room for it, a later call computes the next.
   */
  #takeIfFree(units: string): EntryLock | undefined {
    try {
      const taken = this.#computing.take(units, 0);
      return taken === undefined || 'bytes' in taken ? undefined : taken;
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
      return undefined;
    }
  }

  #isInFlight(units: string): boolean {
    return [units, UNREFERENCED + units].some((id) => this.#flights.get(id)?.isAbandoned === false);
  }

  #begin(id: string, fly: (flight: Flight) => Promise<Uint8Array>): Flight {
    const flight = new Flight();
    this.#flights.set(id, flight);
    const land = (): void => {
      if (this.#flights.get(id) === flight) this.#flights.delete(id);
    };
    flight.done = fly(flight);
    flight.done.then(land, land);
    return flight;
  }

  /** Takes the lock of the key, and computes. */
  async #fly<K extends CacheKey>(
    flight: Flight,
    units: string,
    key: K,
    compute: (key: K) => unknown,
    ref: boolean | undefined,
  ): Promise<Uint8Array> {
    const taken = await this.#computing.takeAsync(units, { signal: flight.signal, ref });
    if ('bytes' in taken) {
      flight.end();
      return taken.bytes;
    }
    if (flight.isAbandoned) {
      this.#computing.release(units, taken);
      throw reasonOf(flight.signal);
    }
    return this.#computeAsync(flight, units, key, compute, taken);
  }

  /** Computes, for the owner of the key's lock. */
  async #computeAsync<K extends CacheKey>(
    flight: Flight,
    units: string,
    key: K,
    compute: (key: K) => unknown,
    lock: EntryLock,
  ): Promise<Uint8Array> {
    try {
      const attempt = this.#computing.begin(units, lock);
      if ('bytes' in attempt) return attempt.bytes;
      flight.attempt = attempt;
      const value = await this.#start(flight, key, compute);
      const packed = this.#pack(units, value);
      this.#computing.keep(units, attempt, packed);
      return packed;
    } catch (failure) {
      this.#noteFailed();
      throw failure;
    } finally {
      flight.end();
      this.#computing.release(units, lock);
    }
  }

  #start<K extends CacheKey>(flight: Flight, key: K, compute: (key: K) => unknown): unknown {
    flight.isStarting = true;
    try {
      return compute(key);
    } finally {
      flight.isStarting = false;
    }
  }

  /** Encodes a value, in bytes that no one else has. */
  #pack(units: string, value: unknown): Uint8Array {
    const packed = packedFor(this, () => packedBy(this.#codec, this.#computing.store.mostFor(units), value));
    // The bytes of JSON are new. Others may be the caller's.
    return this.#isJson ? packed : new Uint8Array(packed);
  }

  /** Returns a key as the cache keeps it. Throws `TypeError` and `RangeError`. */
  #unitsOf(key: CacheKey): string {
    const units = unitsOf(key);
    const { store } = this.#computing;
    if (units.length > FEW_UNITS && store.mostFor(units) < 0)
      throw new RangeError(
        `${this.toString()}: the key alone takes more than its ${store.maxBytes} bytes, with ${units.length} code units. Nothing was changed.`,
      );
    return units;
  }

  #look(units: string, reading: Reading): Found | undefined {
    const found = this.#computing.look(units, reading, this.#decoded?.versionOf(units) ?? 0);
    if (found === undefined) this.#decoded?.forget(units);
    return found;
  }

  #valueOf(units: string, found: Found): T {
    if (this.#decoded === undefined) return this.#decode(found.bytes);
    return this.#decoded.valueOf(units, found, (bytes) => this.#decode(bytes)) as T;
  }

  #decode(bytes: Uint8Array): T {
    return this.#codec.decode(bytes) as T;
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
  const { arena, address } = findPrimitive(handle, 'sluice.cache', MUTEX.code);
  const keys = KeyTable.at(arena, address, TRAITS);
  if (keys === undefined)
    throw new HandleError(`Not a handle of kind sluice.cache: address ${address} holds another kind.`);
  return construct<T>(keys, decodingOf(handle, options as SharedCacheFromOptions<never>), clock);
}
