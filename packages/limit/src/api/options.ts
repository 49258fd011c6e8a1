// The options of a limit, and their checks. For each check that p-limit has, the error message is p-limit's, word for
// word.

import type { Arena, WaitOptions } from '@sluice/core';
import { MAX_PERMITS, show, WAIT_OPTIONS } from '@sluice/core/calls';
import { SHEDDING_OPTIONS, type SheddingOptions } from './shedding-options.ts';

/** Options that each agent chooses for itself. */
export interface AttachOptions {
  /** Whether the calls that `clearQueue` drops reject with an `AbortError`. Default: `false`, they never settle. */
  readonly rejectOnClear?: boolean | undefined;
  /** Of an adaptive limit only: as for `createLimit`. */
  readonly isOverload?: ((error: unknown) => boolean) | undefined;
}

export interface LimitOptions extends Pick<AttachOptions, 'rejectOnClear'>, SheddingOptions {
  /** The maximum of functions that run at a time, over all agents: 1 or more, `Infinity` allowed. */
  readonly concurrency: number;
  /** The arena in which the limit lies. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** A name for reports and error messages, up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

/** Options of one call. `timeout` (in ms) and `signal` end the wait of a call. They do not end a running function. */
export interface RunOptions<Args extends unknown[] = []> extends WaitOptions {
  /** The arguments of the function. */
  readonly args?: Args;
  /**
   * Among the waiting calls of one agent, those with a higher number start first. Equal numbers start in the order of
   * the calls. Default: 0.
   */
  readonly priority?: number | undefined;
}

export const ATTACH_OPTIONS: readonly (keyof AttachOptions)[] = ['rejectOnClear'];
export const LIMIT_OPTIONS: readonly string[] = [
  'concurrency',
  'rejectOnClear',
  'arena',
  'name',
  ...SHEDDING_OPTIONS,
] satisfies (keyof LimitOptions)[];
export const RUN_OPTIONS: readonly string[] = [...WAIT_OPTIONS, 'args', 'priority'];

/**
 * Returns the concurrency as a number of permits. A number above the maximum of a semaphore counts as `Infinity`.
 * Throws `TypeError`.
 */
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
  if (typeof priority !== 'number' || Number.isNaN(priority))
    throw new TypeError(`priority must be a number: received ${show(priority)}`);
  return priority;
}
