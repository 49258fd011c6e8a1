// The options of a limit, and their checks. Messages equal p-limit's, word for word, for all checks that p-limit has.

import type { Arena, WaitOptions } from '@sluice/core';
import { MAX_PERMITS, show, WAIT_OPTIONS } from '@sluice/core/internal';

/** What each agent may choose for itself. */
export interface AttachOptions {
  /** Whether `clearQueue` rejects the calls that it drops, with an `AbortError`. Default `false`: they never settle. */
  readonly rejectOnClear?: boolean | undefined;
}

export interface LimitOptions extends AttachOptions {
  /** How many functions may run at a time, over all agents: 1 or more, `Infinity` allowed. */
  readonly concurrency: number;
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

/** Options of one call: how long it may wait, and what may cancel the wait. They do not end a running function. */
export interface RunOptions<Args extends unknown[] = []> extends WaitOptions {
  /** The arguments of the function. */
  readonly args?: Args;
  /** Among the waiting calls of one agent, a higher number starts first, and equal numbers start in the order of the calls. Default: 0. */
  readonly priority?: number | undefined;
}

export const ATTACH_OPTIONS: readonly (keyof AttachOptions)[] = ['rejectOnClear'];
export const LIMIT_OPTIONS: readonly string[] = ['concurrency', 'rejectOnClear', 'arena', 'name'] satisfies (keyof LimitOptions)[];
export const RUN_OPTIONS: readonly string[] = [...WAIT_OPTIONS, 'args', 'priority'];

/** As a number of permits. A number above the maximum of a semaphore counts as `Infinity`. */
export function checkConcurrency(concurrency: unknown): number {
  const whole = Number.isInteger(concurrency) || concurrency === Infinity;
  if (!whole || (concurrency as number) < 1) throw new TypeError('Expected `concurrency` to be a number from 1 and up');
  return Math.min(concurrency as number, MAX_PERMITS);
}

export function checkRejectOnClear(options: AttachOptions): boolean {
  const { rejectOnClear = false } = options;
  if (typeof rejectOnClear !== 'boolean') throw new TypeError('Expected `rejectOnClear` to be a boolean');
  return rejectOnClear;
}

export function checkArgs(args: unknown): void {
  if (!Array.isArray(args)) throw new TypeError(`args must be an array: received ${show(args)}`);
}

export function checkPriority(priority: unknown): number {
  if (typeof priority !== 'number' || Number.isNaN(priority)) throw new TypeError(`priority must be a number: received ${show(priority)}`);
  return priority;
}
