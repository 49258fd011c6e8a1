// Locks of third parties, as users may wrap them.

import type { WaitOptions } from '@sluice/core';
import type { InnerLock } from '../../src/index.ts';

/** No timer of a test can end a blocked thread. */
const MAX_BLOCKED_MS = 20_000;

/** A minimal lock for one thread: a call that would have to wait is an error. */
export function plainLock(): InnerLock & { readonly log: string[] } {
  const log: string[] = [];
  let held = false;
  return {
    log,
    lock() {
      if (held) throw new Error('the lock is held');
      held = true;
      log.push('lock');
    },
    unlock() {
      held = false;
      log.push('unlock');
    },
  };
}

/** A lock whose methods fail when they are called on another object. */
export class PrivateLock {
  #held = false;
  #waiting: (() => void)[] = [];

  lock(): void {
    if (!this.tryLock()) throw new Error('the lock is held');
  }

  tryLock(_timeoutMs?: number): boolean {
    if (this.#held) return false;
    this.#held = true;
    return true;
  }

  async lockAsync(_options?: WaitOptions): Promise<void> {
    while (!this.tryLock()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  unlock(): void {
    this.#held = false;
    this.#waiting.shift()?.();
  }

  get held(): boolean {
    return this.#held;
  }
}

/** A lock that does what a test tells it to. */
export class ScriptedLock {
  lock: () => void = nothing;
  tryLock: (timeoutMs?: number) => boolean = () => true;
  lockAsync: (options?: WaitOptions) => Promise<void> = () => Promise.resolve();
  unlock: () => void = nothing;
}

function nothing(): void {
  // The test decides the answer.
}

/**
 * A lock like that of the package "multithreading": a guard per holding, async by default, over a word of shared
 * memory.
 */
export class GuardMutex {
  readonly #word: Int32Array;

  constructor(word: Int32Array) {
    this.#word = word;
  }

  blockingLock(): { drop(): void } {
    while (Atomics.compareExchange(this.#word, 0, 0, 1) !== 0) {
      if (Atomics.wait(this.#word, 0, 1, MAX_BLOCKED_MS) === 'timed-out')
        throw new Error(`The word was locked for ${MAX_BLOCKED_MS} ms.`);
    }
    return this.#guard();
  }

  async lock(): Promise<{ drop(): void }> {
    while (Atomics.compareExchange(this.#word, 0, 0, 1) !== 0) await Atomics.waitAsync(this.#word, 0, 1).value;
    return this.#guard();
  }

  #guard(): { drop(): void } {
    return {
      drop: () => {
        Atomics.store(this.#word, 0, 0);
        Atomics.notify(this.#word, 0, 1);
      },
    };
  }
}

/** The adapter that a user writes to wrap such a lock. */
export function adaptGuards(mutex: GuardMutex): InnerLock {
  let guard: { drop(): void } | undefined;
  return {
    lock() {
      guard = mutex.blockingLock();
    },
    async lockAsync() {
      guard = await mutex.lock();
    },
    unlock() {
      guard?.drop();
    },
  };
}
