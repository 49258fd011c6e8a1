// The options of an async wait.

import { checkFlag, checkOptions, checkTimeout } from './check.ts';
import { checkSignal } from './on-abort.ts';

/** Options of an async wait: its timeout, the signal that cancels it, and whether it keeps the process alive. */
export interface WaitOptions {
  /** Milliseconds after which the wait rejects with `TimeoutError`. Default: no limit. */
  readonly timeout?: number | undefined;
  /** Cancels the wait: an abort rejects it with `signal.reason`, unchanged, unless the grant came first. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a pending wait keeps the event loop alive. Default: `true`. */
  readonly ref?: boolean | undefined;
}

/**
 * The options of a loop's waits. They need no check: the signal is the loop's own, and the loop begins no wait after
 * the program has left it.
 */
export class LoopWait implements WaitOptions {
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }
}

/**
 * The options of a call without options. All such calls share this object, so a wait keeps none of its own. Never
 * written.
 */
export const NO_WAIT_OPTIONS: WaitOptions = {};

/** The names of the options that every async wait accepts. */
export const WAIT_OPTIONS: readonly string[] = ['timeout', 'signal', 'ref'];

/**
 * Returns the wait options, and reads each option once. Throws `TypeError` or `RangeError` for a wrong or unknown
 * option. Throws the signal's reason if the signal is already aborted. `names` lists the options that the call accepts,
 * if it accepts more than those of a wait.
 */
export function checkWait(options: WaitOptions, names = WAIT_OPTIONS): WaitOptions {
  if (options === NO_WAIT_OPTIONS || options instanceof LoopWait) return options;
  checkOptions(options, names);
  const { timeout, signal, ref } = options;
  if (timeout === undefined && signal === undefined && ref === undefined) return NO_WAIT_OPTIONS;
  if (timeout !== undefined) checkTimeout(timeout);
  checkFlag('ref', ref);
  if (signal !== undefined) checkSignal(signal);
  return { timeout, signal, ref };
}
