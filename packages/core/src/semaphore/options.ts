// The options of a semaphore, and of an async wait.

import type { Arena } from '../arena/arena.ts';
import { checkFlag, checkOptions, checkTimeout } from '../check.ts';
import type { WaitOptions } from '../lock.ts';
import { checkSignal } from '../on-abort.ts';
import type { WaitingPolicy } from '../policy.ts';

export interface SemaphoreOptions {
  /** Maximum number of permits that may be free at once; a release beyond it throws. Default: unbounded. */
  readonly max?: number | undefined;
  /** The arena that contains it. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for it. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
  /**
   * Whether the semaphore records how many permits each agent holds. Then `inspect` shows the holders, and a dead holder's
   * permits are released. Default: `true`. Use `false` for signals, which the acquiring agent does not release.
   */
  readonly recovery?: boolean | undefined;
}

export const SEMAPHORE_OPTIONS: readonly (keyof SemaphoreOptions)[] = ['max', 'arena', 'name', 'policy', 'recovery'];

const PLAIN: WaitOptions = {};

/** The names of the options that every async wait accepts. */
export const WAIT_OPTIONS: readonly string[] = ['timeout', 'signal', 'ref'];

/**
 * Returns the wait options, each read once. Throws `TypeError` or `RangeError` for a wrong or unknown option, and the signal's
 * reason if it is already aborted. `names`: the options that the call accepts, if more than the wait's own.
 */
export function checkWait(options: WaitOptions, names = WAIT_OPTIONS): WaitOptions {
  checkOptions(options, names);
  const { timeout, signal, ref } = options;
  // One object for all waits without options: otherwise each would keep its own for as long as it waits.
  if (timeout === undefined && signal === undefined && ref === undefined) return PLAIN;
  if (timeout !== undefined) checkTimeout(timeout);
  checkFlag('ref', ref);
  if (signal !== undefined) checkSignal(signal);
  return { timeout, signal, ref };
}
