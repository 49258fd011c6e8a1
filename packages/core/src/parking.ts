// Sleeping and waking: the only file, with kernel/words.ts, that names the global Atomics.

import type { AtomicWords } from './kernel/words.ts';

/** How an agent sleeps on a word and wakes another. The model explorer brings its own. */
export interface Parking {
  /** Sleeps while the word at `address` is `expected`, at most `timeoutMs`. May wake for no reason. */
  wait(address: number, expected: number, timeoutMs: number): 'ok' | 'not-equal' | 'timed-out';
  /** Settles when the word is notified; `undefined`: it was not `expected`. */
  waitAsync(address: number, expected: number): Promise<unknown> | undefined;
  /**
   * Wakes all that sleep on the word, or so many of them; how many it were. On an element's gate that is one agent, by the
   * way elements are used, and stale async waits of its own.
   */
  notify(address: number, count?: number): number;
  /** ms on a clock that never goes back. */
  now(): number;
  /** ms since 1970. */
  date(): number;
}

export class AtomicParking implements Parking {
  readonly #words: AtomicWords;

  constructor(words: AtomicWords) {
    this.#words = words;
  }

  wait(address: number, expected: number, timeoutMs: number): 'ok' | 'not-equal' | 'timed-out' {
    return Atomics.wait(this.#words.view32(address), address >> 2, expected, timeoutMs);
  }

  waitAsync(address: number, expected: number): Promise<unknown> | undefined {
    const result = Atomics.waitAsync(this.#words.view32(address), address >> 2, expected);
    return result.async ? result.value : undefined;
  }

  notify(address: number, count?: number): number {
    return Atomics.notify(this.#words.view32(address), address >> 2, count);
  }

  now(): number {
    return performance.now();
  }

  date(): number {
    return Date.now();
  }
}

const { pause } = Atomics as { pause?: () => void };

/** Tells the processor that this is a spin loop, where the engine has a way to. */
export const spinHint: () => void = pause?.bind(Atomics) ?? (() => undefined);

let blocking: boolean | undefined;

/** Whether this agent may block: a browser's main thread may not. */
export function mayBlock(): boolean {
  return (blocking ??= probe());
}

function probe(): boolean {
  try {
    // The value differs, so where waiting is allowed this returns at once.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}
