// The options of a task queue, and their checks. For each check that p-queue has, the error message is p-queue's.

import type { Arena } from '@sluice/core';
import { checkFlag, checkOptions, checkSignal, show } from '@sluice/core/calls';
import { checkTerms } from '../api/interval-options.ts';
import type { IntervalTerms } from '../api/interval-terms.ts';
import { checkConcurrency, checkPriority } from '../api/options.ts';
import type { TaskTerms } from './task.ts';

/** Options that each agent chooses for itself. */
export interface TaskQueueFromOptions {
  /** The time in ms after which a task of this object rejects, if its function still runs. Default: none. */
  readonly timeout?: number | undefined;
}

export interface TaskQueueOptions extends TaskQueueFromOptions {
  /** The maximum of functions that run at a time, over all agents: 1 or more. Default: `Infinity`. */
  readonly concurrency?: number;
  /** The length of an interval in ms: 0 (default) for no interval, at most 366 days. */
  readonly interval?: number;
  /** The maximum of tasks that start in each interval, over all agents. Default: `Infinity`. */
  readonly intervalCap?: number;
  /** Whether the functions that run when an interval begins count as started in it. Without effect with `strict`. */
  readonly carryoverIntervalCount?: boolean | undefined;
  /** Whether `intervalCap` holds for every period of `interval` ms. Default: `false`. */
  readonly strict?: boolean | undefined;
  /** Whether tasks start before a call of `start`. Default: `true`. */
  readonly autoStart?: boolean | undefined;
  /** The arena in which the queue lies. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** A name for reports and error messages, up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

/** Options of one task. */
export interface AddOptions {
  /** Among the waiting tasks of one agent, those with a higher number start first. Default: 0. */
  readonly priority?: number | undefined;
  /** A name for `setPriority` and `runningTasks`. Default: the number of the task, counted by this object. */
  readonly id?: string | undefined;
  /**
   * The time in ms after which the task rejects with `TimeoutError`, if its function still runs. It begins with the
   * function. `undefined`: none. Default: that of the object.
   */
  readonly timeout?: number | undefined;
  /** Removes the task while it waits, and rejects it with `signal.reason`, also while its function runs. */
  readonly signal?: AbortSignal | undefined;
}

const FROM_OPTIONS: readonly string[] = ['timeout'] satisfies (keyof TaskQueueFromOptions)[];
const OPTIONS: readonly string[] = [
  'concurrency',
  'interval',
  'intervalCap',
  'carryoverIntervalCount',
  'strict',
  'autoStart',
  'timeout',
  'arena',
  'name',
] satisfies (keyof TaskQueueOptions)[];
const ADD_OPTIONS: readonly string[] = ['priority', 'id', 'timeout', 'signal'] satisfies (keyof AddOptions)[];

/** The options of a new task queue, checked. */
export interface TaskQueuePlan {
  readonly permits: number;
  /** `undefined`: no interval. */
  readonly terms: IntervalTerms | undefined;
  readonly isPaused: boolean;
  readonly timeout: number | undefined;
}

/** Throws `TypeError` and `RangeError`. An option that is present and `undefined` is an error where p-queue has one. */
export function planOf(options: TaskQueueOptions): TaskQueuePlan {
  checkOptions(options, OPTIONS);
  const { concurrency, interval, intervalCap, strict, carryoverIntervalCount, autoStart, timeout } = {
    concurrency: Infinity,
    interval: 0,
    intervalCap: Infinity,
    ...options,
  };
  if (!(typeof intervalCap === 'number' && intervalCap >= 1))
    throw new TypeError(`Expected \`intervalCap\` to be a number from 1 and up, got \`${show(intervalCap)}\``);
  if (!(Number.isFinite(interval) && interval >= 0))
    throw new TypeError(`Expected \`interval\` to be a finite number >= 0, got \`${show(interval)}\``);
  checkFlag('autoStart', autoStart);
  checkFlag('strict', strict);
  checkFlag('carryoverIntervalCount', carryoverIntervalCount);
  if (strict === true && interval === 0) throw new TypeError('The `strict` option requires a non-zero `interval`');
  if (strict === true && intervalCap === Infinity)
    throw new TypeError('The `strict` option requires a finite `intervalCap`');
  const hasInterval = interval > 0 && intervalCap !== Infinity;
  return {
    permits: checkConcurrency(concurrency),
    terms: hasInterval
      ? checkTerms({
          interval,
          intervalCap,
          strict,
          carryoverIntervalCount: strict === true ? undefined : carryoverIntervalCount,
        })
      : undefined,
    isPaused: autoStart === false,
    timeout: checkTaskTimeout(timeout),
  };
}

/** Returns the timeout of the tasks of an object. Throws `TypeError`. */
export function timeoutOf(options: TaskQueueFromOptions): number | undefined {
  checkOptions(options, FROM_OPTIONS);
  return checkTaskTimeout(options.timeout);
}

/** Throws `TypeError` for a timeout that is not a positive finite number. */
export function checkTaskTimeout(timeout: unknown): number | undefined {
  if (timeout !== undefined && !(Number.isFinite(timeout) && (timeout as number) > 0))
    throw new TypeError(`Expected \`timeout\` to be a positive finite number, got \`${show(timeout)}\``);
  return timeout as number | undefined;
}

/** Returns the options of a task. Throws `TypeError`, and the reason of an aborted signal. */
export function termsOf(options: AddOptions, nextId: () => string, timeout: number | undefined): TaskTerms {
  checkOptions(options, ADD_OPTIONS);
  const { priority = 0, signal } = options;
  const id = options.id ?? nextId();
  if (typeof id !== 'string') throw new TypeError(`id must be a string: received ${show(id)}`);
  checkPriority(priority);
  const own = checkTaskTimeout('timeout' in options ? options.timeout : timeout);
  if (signal !== undefined) checkSignal(signal);
  return { id, priority, timeout: own, signal };
}
