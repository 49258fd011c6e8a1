// One computation of a key in one thread, and the async calls of the thread that wait for its result.

import type { WaitOptions } from '@sluice/core';
import type { EntryLock } from '@sluice/named/internal';
import { offAbort, onAbort, reasonOf, setAlarm } from '@sluice/core/calls';

export class Flight {
  /** Set while this thread computes: the state of the cache at the beginning. */
  attempt: Attempt | undefined;
  /** Settles with the computation. Set when the computation has been started. */
  done: Promise<Uint8Array> | undefined;
  readonly #stop = new AbortController();
  #callers = 0;
  #hasEnded = false;
  /** Releases the lock of the key, from when it is taken until the computation begins. */
  #release: (() => void) | undefined;

  /** Aborted when no call waits any more, if the computation has not begun. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isAbandoned(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Whether a call that finds no value may wait for this computation. If it has ended, its value is gone by now. */
  get isOpen(): boolean {
    return !this.#hasEnded && !this.isAbandoned;
  }

  /** Notes that the lock of the key is taken. `release` releases it, if no call waits any more before `begin`. */
  tookLock(release: () => void): void {
    this.#release = release;
  }

  /** Begins the computation. Returns false, without the lock, if no call waits any more. */
  begin(): boolean {
    if (this.isAbandoned) this.#releaseLock();
    this.#release = undefined;
    return !this.isAbandoned;
  }

  /** Records that the computation has ended. Call it in the turn in which its value is kept. */
  end(): void {
    this.#hasEnded = true;
  }

  /**
   * Resolves with what the computation resolves with. Rejects with `timedOut` after the timeout, with the reason of the
   * signal, and with `TypeError` if the signal fails.
   */
  async join(
    { timeout = Infinity, signal, ref = true }: WaitOptions,
    timedOut: (timeoutMs: number) => Error,
  ): Promise<Uint8Array> {
    this.#callers += 1;
    let end: () => void = nothing;
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        const abort = (): void => reject(asReason(reasonOf(signal)));
        onAbort(signal, abort);
        const alarm = setAlarm(timeout, () => reject(timedOut(timeout)), ref);
        end = () => {
          alarm?.stop();
          offAbort(signal, abort);
        };
        this.done?.then(resolve, reject);
      });
    } finally {
      end();
      this.#leave();
    }
  }

  #leave(): void {
    this.#callers -= 1;
    if (this.#callers > 0 || this.attempt !== undefined) return;
    this.#stop.abort();
    // Now, and not in the turn of the event loop in which the computation would begin: a caller that gave up may block
    // for the same key in this turn.
    this.#releaseLock();
  }

  #releaseLock(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }
}

/** The state of the cache when a computation began. */
export interface Attempt {
  /** How often the cache had been cleared. */
  readonly clears: number;
  /** The lock of the key, which this agent owns. */
  readonly lock: EntryLock;
}

function nothing(): void {
  // The wait has not begun.
}

/** The reason of an abort passes through unchanged, so it need not be an Error. */
function asReason(reason: unknown): Error {
  return reason as Error;
}
