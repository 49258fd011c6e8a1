// @ts-check
// The once and the lazy: one initialiser runs at a time, nearly all of them throw, and what one of them made is what
// all threads find.
import { hasCode } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';
import { setImmediate as turn } from 'node:timers/promises';
import { Census } from '../census.mjs';
import { ownWords, unless } from './subject.mjs';

/** @import { Arena, WaitOptions } from '@sluice/core' */
/** @import { Place, Subject } from './subject.mjs' */

/** Of its own words: the number that the initialiser made that succeeded. */
const MADE = 0;
/** One attempt of so many succeeds. */
const ATTEMPTS = 1_000_000;
const FAILED = new Error('thrown by an initialiser');
const ABORT = new Error('aborted by the soak');

/**
 * The common part of a once and a lazy. An initialiser returns a number above 0.
 * @typedef {object} Initialised
 * @property {(make: () => number) => void} run
 * @property {(make: () => number, timeoutMs: number) => boolean} tryRun
 * @property {(make: () => Promise<number>, options: WaitOptions) => Promise<void>} runAsync
 * @property {(timeoutMs: number) => boolean} tryWait
 * @property {() => number} number what was made; 0: nothing
 */

class OnceVisitor {
  #once;
  #place;
  #census;
  #own;

  /** @param {Initialised} once @param {Place} place */
  constructor(once, place) {
    this.#once = once;
    this.#place = place;
    this.#census = new Census(place.words, place);
    this.#own = ownWords(place.words, place.subject);
  }

  async visit() {
    const { random } = this.#place;
    if (random.chance(70)) for (let left = random.between(1, 50); left > 0; left--) this.#call();
    else await this.#burst(random.between(1, 40));
  }

  #call() {
    const { random, count, mayBlock } = this.#place;
    count('operations');
    const timeoutMs = mayBlock ? random.below(5) / 10 : 0;
    const dice = random.below(10);
    try {
      let isDone = true;
      if (dice < 2) isDone = this.#once.tryWait(timeoutMs);
      else if (dice < 5 || !mayBlock) isDone = this.#once.tryRun(() => this.#attempt(), timeoutMs);
      else this.#once.run(() => this.#attempt());
      if (isDone) this.#check();
      else if (timeoutMs > 0) count('timeouts');
    } catch (failure) {
      this.#expect(failure);
    }
  }

  /** @param {number} calls */
  async #burst(calls) {
    const controller = new AbortController();
    const { signal } = controller;
    const all = Promise.all(Array.from({ length: calls }, () => this.#callLater(signal)));
    all.catch(() => undefined);
    if (this.#place.random.chance(50)) await turn();
    controller.abort(ABORT);
    await all;
  }

  /** @param {AbortSignal} signal */
  async #callLater(signal) {
    const { random, count } = this.#place;
    count('operations');
    try {
      await this.#once.runAsync(
        () => this.#attemptLater(),
        random.chance(50) ? { signal } : { timeout: random.below(4) },
      );
      this.#check();
    } catch (failure) {
      this.#expect(failure);
    }
  }

  #attempt() {
    this.#begin();
    return this.#end();
  }

  async #attemptLater() {
    this.#begin();
    if (this.#place.random.chance(30)) await turn();
    return this.#end();
  }

  #begin() {
    this.#census.add(1);
    this.#census.expect(this.#census.total, 1);
  }

  #end() {
    const { random } = this.#place;
    this.#census.expect(this.#census.total, 1);
    this.#census.remove(1);
    if (random.below(ATTEMPTS) > 0) throw FAILED;
    return random.between(1, 255);
  }

  /** All threads find the number that the first of them found. */
  #check() {
    const number = this.#once.number();
    const first = Atomics.compareExchange(this.#own, MADE, 0, number);
    if (number === 0 || (first !== 0 && first !== number))
      throw new Error(`${this.#place.name}: ${number} was made, and another thread found ${first}`);
  }

  /** @param {unknown} failure */
  #expect(failure) {
    const { count } = this.#place;
    if (failure === FAILED) return;
    if (failure === ABORT) count('aborts');
    else if (hasCode(failure, 'SLUICE_TIMEOUT')) count('timeouts');
    else if (hasCode(failure, 'SLUICE_CLOSED')) count('closed');
    else throw failure;
  }
}

/**
 * The number of a once is a word that its initialiser writes.
 * @param {Once} once
 * @param {Place} place
 * @returns {Initialised}
 */
function ofOnce(once, place) {
  const own = ownWords(place.words, place.subject);
  const WRITTEN = MADE + 1;
  const write = (/** @type {number} */ number) => void Atomics.store(own, WRITTEN, number);
  return {
    run: (make) => once.run(() => write(make())),
    tryRun: (make, timeoutMs) => once.tryRun(() => write(make()), timeoutMs),
    runAsync: (make, options) => once.runAsync(async () => write(await make()), options),
    tryWait: (timeoutMs) => once.tryWait(timeoutMs),
    number: () => Atomics.load(own, WRITTEN),
  };
}

/** The number of a lazy is in all bytes of its value. @param {Lazy<Uint8Array>} lazy @returns {Initialised} */
function ofLazy(lazy) {
  const bytes = (/** @type {number} */ number) => new Uint8Array(number).fill(number);
  return {
    run: (make) => {
      lazy.get(() => bytes(make()));
    },
    tryRun: (make, timeoutMs) => lazy.tryGet(() => bytes(make()), timeoutMs) !== undefined,
    runAsync: async (make, options) => {
      await lazy.getAsync(async () => bytes(await make()), options);
    },
    tryWait: (timeoutMs) => lazy.tryWait(timeoutMs) !== undefined,
    number: () => {
      const value = lazy.value ?? new Uint8Array(0);
      if (value.some((byte) => byte !== value.length)) throw new Error(`Lazy: its value is torn: ${value.join(' ')}`);
      return value.length;
    },
  };
}

/** @typedef {Pick<Once | Lazy<Uint8Array>, 'handle' | 'inspect' | 'close' | 'free'>} Placed */

/**
 * @param {string} name
 * @param {(options: { arena: Arena, name: string }) => Placed} create
 * @param {(handles: never, place: Place) => Initialised} open
 * @returns {Subject}
 */
function subject(name, create, open) {
  return {
    name,
    group: 'event',
    covers: [name],
    blocks: 1,
    create: (arena) => {
      const made = create({ arena, name });
      return {
        handles: made.handle,
        problems: () => {
          const { state, runner, waiters } = made.inspect();
          return unless(
            name,
            { state, runner, waiters },
            { state: state === 'done' ? 'done' : 'idle', runner: 0, waiters: [] },
          );
        },
        close: () => made.close(),
        free: () => made.free(),
      };
    },
    open: (handles, place) => new OnceVisitor(open(/** @type {never} */ (handles), place), place),
  };
}

/** @type {readonly Subject[]} */
export const ONCES = [
  subject(
    'Once',
    (options) => Once.create(options),
    (handle, place) => ofOnce(Once.from(handle), place),
  ),
  subject(
    'Lazy',
    (options) => Lazy.create({ ...options, codec: 'bytes', capacity: 255 }),
    (handle) => ofLazy(Lazy.from(handle)),
  ),
];
