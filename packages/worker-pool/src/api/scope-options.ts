// The options of `scope`.

import { checkFlag, checkOptions, checkSignal, checkTimeout } from '@sluice/core/calls';

export interface ScopeOptions {
  /**
   * The longest time from the call to the end of the callback, in ms. After that the scope is cancelled with
   * `TimeoutError`. Default: no limit.
   */
  readonly timeout?: number | undefined;
  /** An abort cancels the scope with `signal.reason`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether a task that rejects cancels the scope, with its error. If false, the error only rejects the task's promise.
   * Default: true.
   */
  readonly cancelOnFailure?: boolean | undefined;
}

const SCOPE_OPTIONS: readonly (keyof ScopeOptions)[] = ['timeout', 'signal', 'cancelOnFailure'];

export const NO_SCOPE_OPTIONS: ScopeOptions = {};

export interface ScopeSettings {
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly cancelOnFailure: boolean;
}

/** Checks the options of a scope. Throws `TypeError`, `RangeError`, and the reason of a signal that is aborted. */
export function readScopeOptions(options: ScopeOptions): ScopeSettings {
  checkOptions(options, SCOPE_OPTIONS);
  const { timeout = Infinity, signal, cancelOnFailure = true } = options;
  checkTimeout(timeout);
  checkFlag('cancelOnFailure', cancelOnFailure);
  if (signal !== undefined) checkSignal(signal);
  return { timeout, signal, cancelOnFailure };
}
