// @ts-check
// What a thread does at a primitive that lets in: it asks in one of many ways, checks that it is not one too many, and
// leaves.
import { hasCode } from '@sluice/core';
import { setImmediate as turn } from 'node:timers/promises';
import { nap } from './words.mjs';

/** @import { RecoveryGuard, WaitOptions } from '@sluice/core' */
/** @import { Random } from '@sluice/harness' */
/** @import { Count } from './words.mjs' */

/**
 * A primitive that lets in. `n`: permits.
 * @typedef {object} Admission
 * @property {(n: number) => boolean | void} enter blocks; false: it was not let in, and tells why by itself
 * @property {(n: number, timeoutMs: number) => boolean} tryEnter
 * @property {(n: number, options: WaitOptions) => Promise<unknown>} enterAsync
 * @property {(n: number) => void} leave
 * @property {() => RecoveryGuard | null} [takeOver] for a lock whose owner died
 * @property {() => Promise<RecoveryGuard | null>} [takeOverAsync]
 * @property {number} most permits of one call
 * @property {(n: number) => void} begin after it was let in: throws if it is one too many
 * @property {(n: number) => void} end before it leaves
 * @property {() => void} [look] checks once more that no other thread is inside
 * @property {() => void} [extra] another operation, while it is inside
 */

/** @typedef {'enter' | 'try' | 'poll' | 'again' | 'long' | 'async' | 'async for' | 'burst' | 'storm'} Way */
/** How often each way is taken, of all. @typedef {Readonly<Record<Way, number>>} Ways */

/** @type {Ways} */
export const MIXED = {
  enter: 24,
  try: 8,
  poll: 18,
  again: 10,
  long: 4,
  async: 10,
  'async for': 8,
  burst: 16,
  storm: 2,
};
/** Mostly waits that give up. @type {Ways} */
export const GIVING_UP = {
  enter: 8,
  try: 2,
  poll: 34,
  again: 8,
  long: 10,
  async: 2,
  'async for': 4,
  burst: 20,
  storm: 12,
};

/** @type {readonly Way[]} */
const ASYNC = ['async', 'async for', 'burst', 'storm'];

/**
 * @typedef {{ words: Int32Array, random: Random, count: (what: Count, n?: number) => void, mayBlock: boolean, ways:
 *   Ways }} Tools
 */

/** One draw among the ways. @param {Ways} ways @param {Random} random @param {boolean} mayBlock @returns {Way} */
export function drawWay(ways, random, mayBlock) {
  const fit = /** @type {[Way, number][]} */ (Object.entries(ways)).filter(
    ([way]) => mayBlock || way === 'try' || ASYNC.includes(way),
  );
  let dice = random.below(fit.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [way, weight] of fit) {
    dice -= weight;
    if (dice < 0) return way;
  }
  return 'try';
}

/** The most waits of a thread at a time. */
export const MAX_WAITS = 1000;
/** Percentage of the async waits of a burst that are not aborted. */
const PATIENT = 2;
/**
 * Percentage of locks of dead owners that are left unrepaired: the lock refuses all callers until one takes it over.
 */
const UNREPAIRED = 10;

export class Visitor {
  #admission;
  #tools;

  /** @param {Admission} admission @param {Tools} tools */
  constructor(admission, tools) {
    this.#admission = admission;
    this.#tools = tools;
  }

  /** One visit, which is over when it returns. */
  async visit() {
    const { random, ways, mayBlock } = this.#tools;
    const n = this.#admission.most === 1 ? 1 : random.between(1, this.#admission.most);
    switch (drawWay(ways, random, mayBlock)) {
      case 'enter':
        this.#block(n, () => this.#stay());
        return;
      case 'try':
        this.#try(n, 0);
        return;
      case 'poll':
        for (let left = random.between(1, 20); left > 0; left--)
          this.#try(n, random.chance(30) ? 1 : random.below(5) / 10);
        return;
      case 'again':
        // A thread that locks again and again, for longer than a turn.
        for (let left = random.between(2, 200); left > 0; left--) this.#block(n, () => undefined);
        return;
      case 'long':
        this.#block(n, () => nap(this.#tools.words, random.between(2, 30)));
        return;
      case 'async':
        return this.#await(n, {});
      case 'async for':
        return this.#await(n, { timeout: random.below(4) });
      case 'burst':
        return this.#burst(n, random.between(2, 40));
      case 'storm':
        for (let left = random.between(1, 5); left > 0; left--) await this.#burst(n, random.between(200, MAX_WAITS), 1);
        return;
    }
  }

  /** @param {number} n @param {() => void} stay */
  #block(n, stay) {
    this.#tools.count('operations');
    try {
      if (this.#admission.enter(n) === false) {
        this.#tools.count('timeouts');
        return;
      }
    } catch (failure) {
      if (!this.#entersAfter(failure)) {
        this.#repair(failure);
        return;
      }
    }
    this.#inside(n, stay);
  }

  /** @param {number} n @param {number} timeoutMs */
  #try(n, timeoutMs) {
    this.#tools.count('operations');
    try {
      if (!this.#admission.tryEnter(n, timeoutMs)) {
        if (timeoutMs > 0) this.#tools.count('timeouts');
        return;
      }
    } catch (failure) {
      if (!this.#entersAfter(failure)) {
        if (this.#tools.mayBlock) this.#repair(failure);
        return;
      }
    }
    this.#inside(n, () => this.#stay());
  }

  /** @param {number} n @param {WaitOptions} options */
  async #await(n, options) {
    const { count, random } = this.#tools;
    count('operations');
    try {
      await this.#admission.enterAsync(n, options);
    } catch (failure) {
      if (failure === ABORT) {
        count('aborts');
        return;
      }
      if (hasCode(failure, 'SLUICE_TIMEOUT')) {
        count('timeouts');
        return;
      }
      if (!this.#entersAfter(failure)) return this.#repairAsync(failure);
    }
    this.#admission.begin(n);
    // Between two turns of the event loop this thread's other waits go on.
    if (random.chance(5)) await turn();
    this.#admission.end(n);
    this.#admission.leave(n);
  }

  /**
   * Many waits at once, nearly all of which are aborted in mid-line.
   * @param {number} n
   * @param {number} waits
   * @param {number} patient waits at most that are not
   */
  async #burst(n, waits, patient = waits) {
    const { random } = this.#tools;
    const controller = new AbortController();
    const { signal } = controller;
    let left = patient;
    const all = Array.from({ length: waits }, () =>
      this.#await(n, random.chance(PATIENT) && left-- > 0 ? {} : { signal }),
    );
    // What one of them throws ends the visit.
    const ended = Promise.all(all);
    ended.catch(() => undefined);
    if (random.chance(30)) await turn();
    controller.abort(ABORT);
    await ended;
  }

  /** @param {number} n @param {() => void} stay */
  #inside(n, stay) {
    this.#admission.begin(n);
    stay();
    this.#admission.look?.();
    if (this.#tools.random.chance(10)) this.#admission.extra?.();
    this.#admission.end(n);
    this.#admission.leave(n);
  }

  #stay() {
    const { random, words } = this.#tools;
    const dice = random.below(100);
    if (dice < 25) for (let spin = random.below(500); spin > 0; spin--) Atomics.load(words, 0);
    else if (dice < 33 && this.#tools.mayBlock) nap(words, random.below(4) / 10);
  }

  /**
   * Whether the thread was let in although the call failed: then it owns a lock whose owner died. Throws what no call
   * may end with.
   * @param {unknown} failure
   */
  #entersAfter(failure) {
    const { count, random } = this.#tools;
    if (hasCode(failure, 'SLUICE_CLOSED')) count('closed');
    else if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
    else if (failure.guard === undefined) count('refused');
    else if (random.chance(UNREPAIRED)) {
      count('inherited');
      failure.guard.release();
    } else {
      count('inherited');
      failure.guard.markConsistent();
      return true;
    }
    return false;
  }

  /** @param {unknown} failure */
  #repair(failure) {
    if (hasCode(failure, 'SLUICE_OWNER_DIED')) this.#finish(this.#admission.takeOver?.());
  }

  /** @param {unknown} failure */
  async #repairAsync(failure) {
    if (hasCode(failure, 'SLUICE_OWNER_DIED')) this.#finish(await this.#admission.takeOverAsync?.());
  }

  /** @param {RecoveryGuard | null | undefined} guard */
  #finish(guard) {
    guard?.markConsistent();
    guard?.release();
  }
}

/** The reason of all aborts. */
const ABORT = new Error('aborted by the soak');
