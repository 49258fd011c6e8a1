// The calls of one instance of a cache: computations in this thread, and values from bytes.

import { DeadlockError, hasCode, MisuseError, type WaitOptions } from '@sluice/core';
import { isThenable, packedBy, packedFor, reasonOf, reportRejection, type ValueCodec } from '@sluice/core/calls';
import { perLineState } from '@sluice/core/internal';
import type { EntryLock } from '@sluice/named/internal';
import type { Computations } from './computations.ts';
import { Copies } from './copies.ts';
import { DecodedValues } from './decoded-values.ts';
import { Flight } from './flight.ts';
import { unitsOf, type CacheKey } from './key.ts';
import type { Decoding } from './options.ts';
import type { CachedValue, ReadEffect } from './store.ts';

/** The prefix of the key of a computation that does not keep the process alive. No key of a program begins with it. */
const UNREFERENCED = '\0\u0002';
/** Keys of at most that many code units fit into every cache. */
const FEW_UNITS = 1024;

/**
 * The keys whose async functions have been called and have not returned yet. All instances of an agent share them: a
 * call within such a function asks for its own value, through whatever instance.
 */
const startingAt = perLineState(() => new Set<string>());

export class CacheCalls {
  readonly computations: Computations;
  readonly codec: ValueCodec<unknown>;
  readonly #isJson: boolean;
  /** The values that this instance keeps decoded. */
  readonly #decoded: DecodedValues | Copies | undefined;
  /** The computations of this instance's async calls, by key. */
  readonly #flights = new Map<string, Flight>();

  constructor(computations: Computations, { codec, keepDecoded }: Decoding) {
    this.computations = computations;
    this.codec = codec;
    this.#isJson = codec.name === 'json';
    this.#decoded = keepDecoded > 0 ? new DecodedValues(keepDecoded) : this.#isJson ? new Copies() : undefined;
  }

  /** Returns the title of the cache for messages. */
  toString(): string {
    return this.computations.keys.title;
  }

  /** Forgets the decoded value of a key, or of all keys. */
  forget(units?: string): void {
    if (units === undefined) this.#decoded?.forgetAll();
    else this.#decoded?.forget(units);
  }

  /**
   * Computes the value of a key in this call, or waits for another caller's computation. Returns `undefined` if the
   * wait timed out.
   */
  compute<K extends CacheKey>(
    units: string,
    key: K,
    compute: (key: K) => unknown,
    timeoutMs: number,
  ): Uint8Array | undefined {
    const taken = this.computations.take(units, timeoutMs);
    if (taken === undefined || 'bytes' in taken) return taken?.bytes;
    try {
      const attempt = this.computations.begin(units, taken);
      if ('bytes' in attempt) return attempt.bytes;
      const packed = this.#counted(() => this.pack(units, this.#callHere(units, key, compute)));
      this.computations.keep(units, attempt, packed);
      return packed;
    } finally {
      this.computations.release(units, taken);
    }
  }

  /** Computes the value that follows a stale one, unless another caller does. Returns the stale one if that fails. */
  next<K extends CacheKey>(units: string, key: K, compute: (key: K) => unknown, stale: CachedValue): unknown {
    const value = this.valueOf(units, stale);
    try {
      const bytes = this.compute(units, key, compute, 0);
      return bytes === undefined ? value : this.decode(bytes);
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

  /** Ignores a failure to count: the caller must get the error of its own function. */
  #noteFailed(): void {
    try {
      this.computations.noteFailed();
    } catch {
      // The arena was left, or the stack has no room.
    }
  }

  #callHere<K extends CacheKey>(units: string, key: K, compute: (key: K) => unknown): unknown {
    const value = compute(key);
    if (!isThenable(value)) return value;
    const title = this.computations.titleOf(units);
    reportRejection(value, `the computation of ${title}`);
    throw new MisuseError(
      `${title}: the function returned a promise, but this call does not wait for promises. Use getAsync. No value was kept. The promise is the cause of this error.`,
      { cause: value },
    );
  }

  /** Waits for the computation of this thread, and begins it if there is none. */
  async join<K extends CacheKey>(
    units: string,
    key: K,
    compute: (key: K) => unknown,
    wait: WaitOptions,
  ): Promise<Uint8Array> {
    const id = wait.ref === false ? UNREFERENCED + units : units;
    let flight = this.#flights.get(id);
    if (startingAt(this.computations.keys.ref).has(units))
      throw new DeadlockError(
        `${this.computations.titleOf(units)}: the function that computes the value asks for it. It would wait for itself.`,
      );
    if (flight !== undefined && !this.#isOpen(flight)) flight = undefined;
    flight ??= this.#begin(id, (begun) => this.#fly(begun, units, key, compute, wait.ref));
    const bytes = await flight.join(wait, (timeoutMs) => this.computations.timedOut(units, timeoutMs));
    const later = this.computations.keys.context.budget.spend();
    if (later !== undefined) await later;
    // The codec may keep or change the bytes.
    return bytes.slice();
  }

  /**
   * Whether a call that comes now may have the value of a computation. It must not if a `set`, `delete` or `clear` came
   * after the computation began.
   */
  #isOpen({ isOpen, attempt }: Flight): boolean {
    return isOpen && (attempt === undefined || this.computations.isCurrent(attempt));
  }

  /** Computes the next value of a key in the background, unless a caller computes it already. */
  refresh<K extends CacheKey>(units: string, key: K, compute: (key: K) => unknown): void {
    const lock = this.isInFlight(units) ? undefined : this.#takeIfFree(units);
    if (lock !== undefined) this.#begin(units, (begun) => this.#computeAsync(begun, units, key, compute, lock));
  }

  /**
   * Takes the lock of a key for a caller that has a value. If the arena is full, returns `undefined`; a later call
   * computes the next value.
   */
  #takeIfFree(units: string): EntryLock | undefined {
    try {
      const taken = this.computations.take(units, 0);
      return taken === undefined || 'bytes' in taken ? undefined : taken;
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
      return undefined;
    }
  }

  isInFlight(units: string): boolean {
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
    const release = (lock: EntryLock): void => {
      try {
        this.computations.release(units, lock);
      } catch {
        // This agent has left the arena, and its locks with it.
      }
    };
    const taken = await this.computations.takeAsync(units, { signal: flight.signal, ref }, (lock) =>
      flight.tookLock(() => release(lock)),
    );
    if ('bytes' in taken) {
      flight.end();
      return taken.bytes;
    }
    if (!flight.begin()) throw reasonOf(flight.signal);
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
      const attempt = this.computations.begin(units, lock);
      if ('bytes' in attempt) return attempt.bytes;
      flight.attempt = attempt;
      const value = await this.#start(units, key, compute);
      const packed = this.pack(units, value);
      this.computations.keep(units, attempt, packed);
      return packed;
    } catch (failure) {
      this.#noteFailed();
      throw failure;
    } finally {
      flight.end();
      this.computations.release(units, lock);
    }
  }

  #start<K extends CacheKey>(units: string, key: K, compute: (key: K) => unknown): unknown {
    const starting = startingAt(this.computations.keys.ref);
    starting.add(units);
    try {
      return compute(key);
    } finally {
      starting.delete(units);
    }
  }

  /** Encodes a value. Returns bytes that the program cannot change. */
  pack(units: string, value: unknown): Uint8Array {
    const packed = packedFor(this, () => packedBy(this.codec, this.computations.store.mostFor(units), value));
    // The bytes of JSON are new. Others may be the caller's.
    return this.#isJson ? packed : new Uint8Array(packed);
  }

  /** Returns a key as the cache keeps it. Throws `TypeError` and `RangeError`. */
  unitsOf(key: CacheKey): string {
    const units = unitsOf(key);
    const { store } = this.computations;
    if (units.length > FEW_UNITS && store.mostFor(units) < 0)
      throw new RangeError(
        `${this.toString()}: the key alone takes more than its ${store.maxBytes} bytes, with ${units.length} code units. Nothing was changed.`,
      );
    return units;
  }

  read(units: string, reading: ReadEffect): CachedValue | undefined {
    const found = this.computations.read(units, reading, this.#decoded?.versionOf(units) ?? 0);
    if (found === undefined) this.#decoded?.forget(units);
    return found;
  }

  valueOf(units: string, found: CachedValue): unknown {
    if (this.#decoded === undefined) return this.decode(found.bytes);
    return this.#decoded.valueOf(units, found, (bytes) => this.decode(bytes));
  }

  decode(bytes: Uint8Array): unknown {
    return this.codec.decode(bytes);
  }
}
