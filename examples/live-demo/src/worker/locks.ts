// The locks of the contests: those of Sluice, and two textbook locks to compare them with.

import { CapacitorLock, Mutex, Semaphore, TtsLock } from 'sluice';
import { PHASE } from '../shared/control.ts';
import type { LockSpec } from '../shared/messages.ts';

export interface Lockable {
  lock(): void;
  unlock(): void;
}

export function openLock(spec: LockSpec, control: Int32Array, phase: number): Lockable {
  switch (spec.kind) {
    case 'semaphore': {
      const semaphore = Semaphore.from(spec.handle);
      return { lock: () => semaphore.acquire(), unlock: () => semaphore.release() };
    }
    case 'mutex':
      return Mutex.from(spec.handle);
    case 'tts':
      return TtsLock.from(spec.handle);
    case 'capacitor':
      return CapacitorLock.from(spec.handle, TtsLock.from(spec.inner));
    case 'spin':
      return new SpinLock(control, spec.word, phase);
    case 'futex':
      return new FutexMutex(control, spec.word);
  }
}

/** Takes the lock whenever it is free, in no order. Gives up at the end of the phase: `unlock` then does nothing. */
class SpinLock implements Lockable {
  readonly #words: Int32Array;
  readonly #word: number;
  readonly #phase: number;
  #owned = false;

  constructor(words: Int32Array, word: number, phase: number) {
    this.#words = words;
    this.#word = word;
    this.#phase = phase;
  }

  lock(): void {
    while (Atomics.compareExchange(this.#words, this.#word, 0, 1) !== 0) {
      if (Atomics.load(this.#words, PHASE) !== this.#phase) return;
    }
    this.#owned = true;
  }

  unlock(): void {
    if (!this.#owned) return;
    this.#owned = false;
    Atomics.store(this.#words, this.#word, 0);
  }
}

/**
 * Drepper's second mutex: 0 is free, 1 locked, 2 locked with waiters. A woken waiter competes with every thread that
 * comes along.
 */
class FutexMutex implements Lockable {
  readonly #words: Int32Array;
  readonly #word: number;

  constructor(words: Int32Array, word: number) {
    this.#words = words;
    this.#word = word;
  }

  lock(): void {
    let state = Atomics.compareExchange(this.#words, this.#word, 0, 1);
    if (state === 0) return;
    if (state !== 2) state = Atomics.exchange(this.#words, this.#word, 2);
    while (state !== 0) {
      Atomics.wait(this.#words, this.#word, 2);
      state = Atomics.exchange(this.#words, this.#word, 2);
    }
  }

  unlock(): void {
    if (Atomics.exchange(this.#words, this.#word, 0) === 2) Atomics.notify(this.#words, this.#word, 1);
  }
}
