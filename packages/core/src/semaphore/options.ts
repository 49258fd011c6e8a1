// What can be asked of a semaphore, and of a wait for it.

import type { Arena } from '../arena/arena.ts';
import { checkFlag, checkOptions, checkTimeout, show } from '../check.ts';
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
  /**
   * Whether it is written down who holds how many permits: `inspect` shows it, and they come back when a holder dies. Default
   * true; `false` for signals, which nobody gives back.
   */
  readonly recovery?: boolean | undefined;
}

export const SEMAPHORE_OPTIONS: readonly (keyof SemaphoreOptions)[] = ['max', 'arena', 'name', 'policy', 'recovery'];

/** What every async wait takes. */
export const WAIT_OPTIONS: readonly string[] = ['timeout', 'signal', 'ref'];

/**
 * The options, each read once. Throws for a wrong or unknown one, and the reason of an abort that was before the call. `names`: all
 * that the call takes, if that is more than the wait's own.
 */
export function checkWait(options: WaitOptions, names = WAIT_OPTIONS): WaitOptions {
  checkOptions(options, names);
  const { timeout, signal, ref } = options;
  if (timeout !== undefined) checkTimeout(timeout);
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new TypeError(`The signal must be an AbortSignal: received ${show(signal)}`);
  }
  checkFlag('ref', ref);
  signal?.throwIfAborted();
  return { timeout, signal, ref };
}

/** By what it can do: the signal may come from another realm. */
function isAbortSignal(signal: unknown): boolean {
  const given = signal as { readonly aborted?: unknown; readonly addEventListener?: unknown } | null;
  return typeof given?.aborted === 'boolean' && typeof given.addEventListener === 'function';
}
