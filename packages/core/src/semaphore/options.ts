// What can be asked of a semaphore, and of a wait for it.

import type { Arena } from '../arena/arena.ts';
import { checkOptions, checkTimeout } from '../check.ts';
import type { WaitOptions } from '../lock.ts';
import type { WaitingPolicy } from '../policy.ts';

export interface SemaphoreOptions {
  /** The most permits that may be free at once; a release beyond it throws. Default: unbounded. */
  readonly max?: number | undefined;
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
  /** Whether it is written down who holds how many permits, so that a dead agent's can be given back. Default true. */
  readonly recovery?: boolean | undefined;
}

/** Throws for a wrong option, and the reason of an abort that was before the call. */
export function checkWait(options: WaitOptions): void {
  checkOptions(options);
  const { timeout, signal } = options;
  if (timeout !== undefined) checkTimeout(timeout);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('signal must be an AbortSignal');
  signal?.throwIfAborted();
}
