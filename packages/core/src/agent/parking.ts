// Parking and waking. In the core only this file and kernel/words.ts use the global Atomics.

import { ahead, noteEnd } from '../platform/clock.ts';
import { UnsupportedError } from '../api/errors.ts';
import type { AtomicWords } from '../kernel/words.ts';

/** Parks an agent on a word and wakes other agents. The model explorer has its own implementation. */
export interface Parking {
  /** Parks while the word at `address` is `expected`, for at most `timeoutMs` ms. Spurious wake-ups are possible. */
  wait(address: number, expected: number, timeoutMs: number): 'ok' | 'not-equal' | 'timed-out';
  /** Returns a promise that settles when the word is notified; `undefined` if the word is not `expected`. */
  waitAsync(address: number, expected: number): Promise<unknown> | undefined;
  /**
   * Wakes all agents parked on the word, or at most `count` of them. Returns the number of agents that it woke. On an
   * element's gate only the element's owner can be parked, apart from stale async waits of the same agent.
   */
  notify(address: number, count?: number): number;
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Milliseconds since 1970. */
  date(): number;
}

/** Returns the end of a timeout, in ms of `parking.now`. `Infinity` stays as it is. */
export function deadlineIn(parking: Parking, timeoutMs: number): number {
  return timeoutMs === Infinity ? Infinity : parking.now() + timeoutMs;
}

/** Returns the ms that are left until `deadline`, 0 if it has passed. */
export function leftUntil(parking: Parking, deadline: number): number {
  return deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
}

export class AtomicParking implements Parking {
  readonly #words: AtomicWords;
  /**
   * A view of the memory, and its number of bytes. Contended paths use them without a call. An address outside the
   * view renews both.
   */
  #view: Int32Array;
  #bytes: number;

  constructor(words: AtomicWords) {
    if (typeof Atomics.waitAsync !== 'function') {
      throw new UnsupportedError(
        'This runtime has no Atomics.waitAsync, which Sluice needs. Node.js 16, Chrome 87, Safari 16.4 and Firefox 145 were the first with it. Nothing was changed.',
      );
    }
    this.#words = words;
    this.#view = words.view32(0);
    this.#bytes = this.#view.byteLength;
  }

  wait(address: number, expected: number, timeoutMs: number): 'ok' | 'not-equal' | 'timed-out' {
    if (address >>> 0 >= this.#bytes) this.#refresh(address);
    if (timeoutMs === Infinity) return Atomics.wait(this.#view, address >> 2, expected);
    const end = this.now() + timeoutMs;
    const woke = Atomics.wait(this.#view, address >> 2, expected, timeoutMs);
    if (woke === 'timed-out') noteEnd(end);
    return woke;
  }

  waitAsync(address: number, expected: number): Promise<unknown> | undefined {
    const result = Atomics.waitAsync(this.#words.view32(address), address >> 2, expected);
    return result.async ? result.value : undefined;
  }

  notify(address: number, count?: number): number {
    if (address >>> 0 >= this.#bytes) this.#refresh(address);
    return Atomics.notify(this.#view, address >> 2, count);
  }

  #refresh(address: number): void {
    this.#view = this.#words.view32(address);
    this.#bytes = this.#view.byteLength;
  }

  now(): number {
    // `now` of clock.ts, inlined: the contended path saves a call.
    return performance.now() + ahead;
  }

  date(): number {
    // A test's clock may return fractions, but a kernel step takes whole numbers.
    return Math.trunc(Date.now());
  }
}

const { pause } = Atomics as { pause?: () => void };

/** Tells the processor that this is a spin loop. Does nothing if the engine lacks `Atomics.pause`. */
export const spinHint: () => void = pause?.bind(Atomics) ?? (() => undefined);

let blocking: boolean | undefined;

/** Returns whether this agent may block. A browser's main thread may not. */
export function mayBlock(): boolean {
  return (blocking ??= probe());
}

function probe(): boolean {
  try {
    // The word is 0, not 1, so the call returns at once where blocking is allowed.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}
