// A flight: the calls of one cache object for one key. They share one wait at the server, and one computation.
//
// 1. A call that came before the computation began gets its result, even if a `set`, `delete` or `clear` came meanwhile
//    and the server keeps nothing.
// 2. A call that came later gets the result only if the server kept it. In that case no such change came between the
//    grant and the keeping. Otherwise the call looks again.
// 3. A failure goes to all calls of the flight. Waiters of other processes compute, one at a time.

import { DeadlockError, TimeoutError, type WaitOptions } from '@sluice/core';
import { Grant } from '../session/grant.ts';
import { withBounds } from '../session/wait-bounds.ts';
import type { Timing } from '../engine/timing.ts';
import type { Namespace } from '../primitives/namespace.ts';
import type { RemoteCacheKey } from './cache-key.ts';
import type { StoredValues } from './stored-values.ts';
import type { FoundValue } from './value-line.ts';

export type Compute<K extends RemoteCacheKey> = (key: K) => unknown;

interface Landed {
  readonly text: string;
  /** Whether the server had the value. */
  readonly isHit: boolean;
  /** Whether calls that came during the computation may have the value. */
  readonly isForAll: boolean;
}

/** One look for a value, which may compute it. */
class Flight {
  /** Whether this object computes the value. */
  computes = false;
}

/**
 * The values whose functions have been called and have not returned yet, by their names on the server. All cache objects
 * of a space share them: a call within such a function asks for its own value, through whatever object.
 */
const startingIn = new WeakMap<Namespace, Set<string>>();

function startingOf(space: Namespace): Set<string> {
  const known = startingIn.get(space) ?? new Set<string>();
  startingIn.set(space, known);
  return known;
}

/** A flight that several calls wait for. */
class SharedFlight extends Flight {
  readonly stop = new AbortController();
  readonly landing: Promise<Landed>;
  #callers = 0;

  constructor(begin: (flight: SharedFlight) => Promise<Landed>) {
    super();
    this.landing = begin(this);
    // Each call that awaits the landing sees the failure.
    this.landing.catch(() => undefined);
  }

  enter(): void {
    this.#callers++;
  }

  /** Ends the wait at the server when no call waits any more, if the computation has not begun. */
  leave(): void {
    if (--this.#callers === 0 && !this.computes) this.stop.abort();
  }
}

export class Flights {
  /** What the calls did: `hits` and `misses` of calls, `computed` and `failed` of functions. */
  readonly counts = { hits: 0, misses: 0, computed: 0, failed: 0 };
  readonly #values: StoredValues;
  readonly #timing: Timing;
  readonly #flights = new Map<string, SharedFlight>();
  readonly #refreshes = new Set<string>();
  readonly #starting: Set<string>;

  constructor(values: StoredValues, timing: Timing) {
    this.#values = values;
    this.#starting = startingOf(values.space);
    this.#timing = timing;
  }

  /** Resolves with the text of the value. The timeout and the signal of `options` end the wait of this call only. */
  async get<K extends RemoteCacheKey>(
    word: string,
    key: K,
    compute: Compute<K>,
    options: WaitOptions,
  ): Promise<string> {
    const { timeout = Infinity, ref = true } = options;
    const timedOut = (): Error =>
      new TimeoutError(`${this.#values.titleOf(word)}: timed out after ${timeout} ms. A computation goes on.`);
    if (timeout === 0) {
      const text = await this.tryGet(word, key, compute, 0);
      if (text === undefined) throw timedOut();
      return text;
    }
    if (this.#isStarting(word)) return withBounds(this.#getOwn(word, key, compute), this.#timing, options, timedOut);
    const ends = this.#timing.now() + timeout;
    for (;;) {
      const flight = this.#flightOf(word, key, compute, ref);
      const cameBefore = !flight.computes;
      flight.enter();
      try {
        const left = Math.max(1, ends - this.#timing.now());
        const landed = await withBounds(flight.landing, this.#timing, { ...options, timeout: left }, timedOut);
        if (cameBefore || landed.isForAll) return this.#counted(landed);
      } finally {
        flight.leave();
      }
    }
  }

  #counted({ text, isHit }: Landed): string {
    if (isHit) this.counts.hits++;
    else this.counts.misses++;
    return text;
  }

  /** Gets the value without sharing a flight. Waits for another caller for at most `timeout` ms. */
  async tryGet<K extends RemoteCacheKey>(
    word: string,
    key: K,
    compute: Compute<K>,
    timeout: number,
  ): Promise<string | undefined> {
    if (timeout === Infinity && this.#isStarting(word)) return this.#getOwn(word, key, compute);
    const landed = await this.#look(new Flight(), word, key, compute, { timeout });
    return landed && this.#counted(landed);
  }

  #isStarting(word: string): boolean {
    return this.#starting.has(this.#values.prefix + word);
  }

  /** Gets the value for the function that computes its successor. Without a value, the call would wait for itself. */
  async #getOwn<K extends RemoteCacheKey>(word: string, key: K, compute: Compute<K>): Promise<string> {
    const known = await this.#values.peek(word);
    if (known !== undefined) return this.#counted(this.#hit(word, key, compute, known));
    throw new DeadlockError(
      `${this.#values.titleOf(word)}: the function that computes the value asks for it. It would wait for itself.`,
    );
  }

  /**
   * Returns the flight that is under way, or a new one. Calls that keep the process alive and calls that do not have
   * different flights.
   */
  #flightOf<K extends RemoteCacheKey>(word: string, key: K, compute: Compute<K>, ref: boolean): SharedFlight {
    const id = `${ref ? 1 : 0}${word}`;
    const known = this.#flights.get(id);
    if (known !== undefined) return known;
    const land = (): void => {
      if (this.#flights.get(id) === flight) this.#flights.delete(id);
    };
    const flight: SharedFlight = new SharedFlight((begun) =>
      // Remove the flight in the turn in which it lands, so that a later call begins a new one.
      (this.#look(begun, word, key, compute, { signal: begun.stop.signal, ref }) as Promise<Landed>).finally(land),
    );
    flight.stop.signal.addEventListener('abort', land, { once: true });
    this.#flights.set(id, flight);
    return flight;
  }

  async #look<K extends RemoteCacheKey>(
    flight: Flight,
    word: string,
    key: K,
    compute: Compute<K>,
    options: WaitOptions,
  ): Promise<Landed | undefined> {
    const began = this.#timing.now();
    const timedOut = (): Error => new TimeoutError(this.#values.titleOf(word));
    let known: FoundValue | undefined;
    try {
      known = await withBounds(this.#values.peek(word), this.#timing, options, timedOut, began);
    } catch (failure) {
      if (failure instanceof TimeoutError) return undefined;
      throw failure;
    }
    if (known !== undefined) return this.#hit(word, key, compute, known);
    const got = await this.#values.fetch(word, true, options, began);
    if (got === undefined) return undefined;
    if (!(got instanceof Grant)) return this.#hit(word, key, compute, got);
    return this.#compute(flight, word, key, compute, got);
  }

  #hit<K extends RemoteCacheKey>(word: string, key: K, compute: Compute<K>, found: FoundValue): Landed {
    if (!found.isFresh) this.#refresh(word, key, compute);
    return { text: found.text, isHit: true, isForAll: true };
  }

  async #compute<K extends RemoteCacheKey>(
    flight: Flight,
    word: string,
    key: K,
    compute: Compute<K>,
    grant: Grant,
  ): Promise<Landed> {
    flight.computes = true;
    let text: string;
    try {
      text = this.#values.pack(word, await this.#start(word, key, compute));
      this.counts.computed++;
    } catch (failure) {
      this.counts.failed++;
      // The caller must see the failure of the function.
      await grant.release().catch(() => undefined);
      throw failure;
    }
    return { text, isHit: false, isForAll: await this.#values.keep(word, grant, text) };
  }

  #start<K extends RemoteCacheKey>(word: string, key: K, compute: Compute<K>): unknown {
    const id = this.#values.prefix + word;
    this.#starting.add(id);
    try {
      return compute(key);
    } finally {
      this.#starting.delete(id);
    }
  }

  /** Computes the next value in the background, unless a caller of any process does. A failure leaves the old value. */
  #refresh<K extends RemoteCacheKey>(word: string, key: K, compute: Compute<K>): void {
    if (this.#refreshes.has(word)) return;
    this.#refreshes.add(word);
    const done = (): void => {
      this.#refreshes.delete(word);
    };
    this.#values
      .fetch(word, false, { timeout: 0, ref: false })
      .then((got) => (got instanceof Grant ? this.#compute(new Flight(), word, key, compute, got) : undefined))
      .then(done, done);
  }
}
