// A cache over all processes of a namespace. The steps of a value have the algorithm.

import { UnsupportedError, type WaitOptions } from '@sluice/core';
import { checkAsyncBody, checkTimeout, checkWait, INSPECT, NO_WAIT_OPTIONS, refusePosting } from '@sluice/core/calls';
import type { Request } from '../session/local-waiters.ts';
import type { Timing } from '../engine/timing.ts';
import { readKeys, type RemoteKeyReport } from '../report/key-report.ts';
import type { Namespace } from '../primitives/namespace.ts';
import { UNPOSTABLE } from '../primitives/unpostable.ts';
import { shownKey, wordOf, type RemoteCacheKey } from './cache-key.ts';
import { Flights } from './flights.ts';
import { planOf, ttlOf, type RemoteCacheOptions, type RemoteCacheSetOptions } from './options.ts';
import { StoredValues } from './stored-values.ts';

/** What the calls of this object did since its creation. */
export interface RemoteCacheStatistics {
  /** The number of calls that found a value on the server. */
  readonly hits: number;
  /** The number of calls that got the result of a computation. */
  readonly misses: number;
  /** The number of functions that returned a value, and of those that threw or whose value could not be encoded. */
  readonly computed: number;
  readonly failed: number;
}

export interface RemoteCacheReport {
  readonly kind: 'cache';
  readonly name: string;
  /**
   * The keys that are computed, over all processes. A key of bytes is shown as '0x' and hexadecimal digits. `waiting`: the
   * number of processes that wait for the value.
   */
  readonly computing: readonly RemoteKeyReport[];
  readonly statistics: RemoteCacheStatistics;
}

/**
 * A cache on the server, for all processes of a namespace. Each value is computed once: one caller computes it, and the
 * others, in any process, wait for it and get it. Made by `space.cache`.
 *
 * - While a caller computes the value of a key, all others wait for it. The server tells their processes when it is
 *   there: no process polls. The calls of one object share one wait and one computation.
 * - If the function throws, the calls that share it get the same error, and nothing is kept. Waiters in other processes
 *   then compute, one at a time.
 * - If the process that computes dies, the longest waiter computes when the lease ends.
 * - After a `set`, `delete` or `clear`, no call gets a value whose computation began before. The result of such a
 *   computation is not kept, and only calls that came before the computation began get it. The next waiter computes at
 *   once.
 * - A value is fresh for `ttl` ms, by the clock of the server, and stale for `staleFor` ms longer. A call returns a stale
 *   value at once, while one caller over all processes computes the next. If that fails, the stale value stays.
 * - A value leaves the server when its time is over. There is no other bound: see the README of the engine.
 *
 * Each call asks the server, and decodes a value of its own.
 */
export class RemoteCache<T> {
  readonly name: string;
  readonly #values: StoredValues;
  readonly #flights: Flights;

  /** @internal */
  constructor(space: Namespace, name: string, options: RemoteCacheOptions<T>, timing: Timing, request: Request) {
    refusePosting(this, UNPOSTABLE);
    const title = `Cache '${name}'`;
    this.#values = new StoredValues(space, name, title, planOf(title, options), request);
    this.#flights = new Flights(this.#values, timing);
    this.name = name;
  }

  toString(): string {
    return this.#values.title;
  }

  /**
   * Resolves with the value of a key. If there is none, calls `compute(key)` and keeps the result, or waits while another
   * caller computes.
   *
   * `timeout` and `signal` end the wait of this call. A computation that has begun goes on, and its value is kept. It
   * serves other callers, too, so it must not use the signal of one of them. Rejects with:
   *
   * - the error of `compute` or of the codec, `TypeError` if the codec cannot represent the value, and `RangeError` if it
   *   is larger than the capacity;
   * - `TypeError` or `RangeError` for a wrong key, and `DeadlockError` if `compute` asks for its own key before its first
   *   `await`, through any cache object of the space, and there is no stale value;
   * - `TimeoutError`, `signal.reason`, `ClosedError`, `LeaseLostError` or `EngineError`, in the cases of a semaphore's
   *   `acquireAsync`.
   */
  async getAsync<K extends RemoteCacheKey>(
    key: K,
    compute: (key: K) => T | PromiseLike<T>,
    options: WaitOptions = NO_WAIT_OPTIONS,
  ): Promise<T> {
    checkAsyncBody(compute, this, 'be computed by');
    const word = wordOf(key);
    return this.#unpacked(word, await this.#flights.get(word, key, compute, checkWait(options)));
  }

  /**
   * Gets the value as `getAsync` does, but waits for another caller for at most `timeoutMs`. Resolves with `undefined` if
   * there is no value by then. With 0, the default, the call does not wait, and still computes if no caller does. With
   * `Infinity` in a `compute` of the same key: as `getAsync`.
   */
  async tryGet<K extends RemoteCacheKey>(
    key: K,
    compute: (key: K) => T | PromiseLike<T>,
    timeoutMs = 0,
  ): Promise<T | undefined> {
    checkAsyncBody(compute, this, 'be computed by');
    const word = wordOf(key);
    const text = await this.#flights.tryGet(word, key, compute, checkTimeout(timeoutMs));
    return text === undefined ? undefined : this.#unpacked(word, text);
  }

  /** Resolves with the value, or `undefined`. Computes nothing, and does not wait for a computation. */
  async peek(key: RemoteCacheKey): Promise<T | undefined> {
    const word = wordOf(key);
    const found = await this.#values.peek(word);
    return found && this.#unpacked(word, found.text);
  }

  /** Whether there is a value. */
  async has(key: RemoteCacheKey): Promise<boolean> {
    return (await this.#values.peek(wordOf(key))) !== undefined;
  }

  /** Keeps a value, with a time of its own if `ttl` is given. A call that is sent again after a break sets it again. */
  async set(key: RemoteCacheKey, value: T, options: RemoteCacheSetOptions = {}): Promise<void> {
    const word = wordOf(key);
    const ttl = ttlOf(this.#values.title, this.#values.plan, options);
    await this.#values.set(word, this.#values.pack(word, value), ttl);
  }

  /** Removes a value. Resolves with whether there was one. */
  async delete(key: RemoteCacheKey): Promise<boolean> {
    return this.#values.delete(wordOf(key));
  }

  /** Removes all values. The server forgets them one by one, when their times are over. */
  async clear(): Promise<void> {
    await this.#values.clear();
  }

  statistics(): RemoteCacheStatistics {
    return { ...this.#flights.counts };
  }

  /** Resolves with a snapshot over all processes: the keys that are computed. */
  async inspect(): Promise<RemoteCacheReport> {
    const { prefix } = this.#values;
    const computing = readKeys(await this.#values.keys(), prefix)
      .filter(({ holder, waiting }) => holder !== undefined || waiting > 0)
      .map(({ key, ...rest }) => ({ ...rest, key: shownKey(key) }));
    return { kind: 'cache', name: this.name, computing, statistics: this.statistics() };
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  get(): never {
    throw new UnsupportedError(`${this.toString()} is on a server, so no thread can block on it: use getAsync.`);
  }

  [INSPECT](): string {
    return `RemoteCache { name: '${this.name}', codec: '${this.#values.plan.codec.name}' }`;
  }

  #unpacked(word: string, text: string): T {
    return this.#values.unpack(word, text) as T;
  }
}
