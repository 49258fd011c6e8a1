// The options of a task.

import { checkInteger, checkOptions, checkSignal, checkTimeout, show } from '@sluice/core/calls';
import { checkFile, checkName } from './file-options.ts';

export interface RunOptions {
  /** The export that the task runs. Default: the pool's. */
  readonly name?: string | undefined;
  /** The file of the task. Default: the pool's. */
  readonly filename?: string | URL | undefined;
  /**
   * An abort rejects the task at once with `signal.reason`. A queued task then never begins. A running task is notified
   * through its `TaskContext`.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The longest time from the call to the result, in ms. After that the task is cancelled as by an abort, with
   * `TimeoutError`. Default: no limit.
   */
  readonly timeout?: number | undefined;
  /** Tasks with a higher number begin first. Tasks with equal numbers begin in the order of the calls. Default: 0. */
  readonly priority?: number | undefined;
  /**
   * How many times the task is run again if its worker dies, 0 to 2^16. A task with a `transferList` is not run again.
   * Default: the pool's `retry`.
   */
  readonly retry?: number | undefined;
  /** Objects in the input that are transferred instead of copied. */
  readonly transferList?: readonly object[] | undefined;
}

export const RUN_OPTIONS: readonly (keyof RunOptions)[] = [
  'name',
  'filename',
  'signal',
  'timeout',
  'priority',
  'retry',
  'transferList',
];

export interface RunSettings {
  /** `undefined`: the pool's own file and function. */
  readonly file: readonly [filename: string, name: string] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly priority: number;
  /** `undefined`: the pool's. */
  readonly retry: number | undefined;
  readonly transferList: readonly object[];
}

/** The maximum of `retry`. */
export const MAX_RETRIES = 2 ** 16;
const NO_TRANSFER: readonly object[] = [];
export const NO_RUN_OPTIONS: RunOptions = {};
const NO_SETTINGS: RunSettings = {
  file: undefined,
  signal: undefined,
  timeout: Infinity,
  priority: 0,
  retry: undefined,
  transferList: NO_TRANSFER,
};

/**
 * Checks the options of a task. `poolFile`: the pool's `filename`. Throws `TypeError`, `RangeError`, and the reason of
 * a signal that is already aborted.
 */
export function readRunOptions(options: RunOptions, poolFile: string): RunSettings {
  if (options === NO_RUN_OPTIONS) return NO_SETTINGS;
  checkOptions(options, RUN_OPTIONS);
  const { name, filename, signal, timeout = Infinity, priority = 0, retry, transferList = NO_TRANSFER } = options;
  checkTimeout(timeout);
  if (typeof priority !== 'number' || Number.isNaN(priority))
    throw new TypeError(`priority must be a number: received ${show(priority)}`);
  if (retry !== undefined) checkInteger('retry', retry, 0, MAX_RETRIES);
  if (!Array.isArray(transferList))
    throw new TypeError(`The transferList must be an array: received ${show(transferList)}`);
  if (signal !== undefined) checkSignal(signal);
  const file =
    name === undefined && filename === undefined
      ? undefined
      : ([filename === undefined ? poolFile : checkFile(filename), checkName(name ?? 'default')] as const);
  return { file, signal, timeout, priority, retry, transferList };
}

export interface CloseOptions {
  /**
   * Rejects the tasks that have not begun with `PoolClosedError`, and waits for the running ones. Default: false, it
   * waits for all.
   */
  readonly force?: boolean | undefined;
  /** The longest wait, in ms. After that the pool ends as by `destroy`. Default: no limit. */
  readonly timeout?: number | undefined;
}

const CLOSE_OPTIONS: readonly (keyof CloseOptions)[] = ['force', 'timeout'];

/** Checks the options of `close`. Throws `TypeError`, `RangeError`. */
export function readCloseOptions(options: CloseOptions): { readonly force: boolean; readonly timeout: number } {
  checkOptions(options, CLOSE_OPTIONS);
  const { force = false, timeout = Infinity } = options;
  if (typeof force !== 'boolean') throw new TypeError(`force must be a boolean: received ${show(force)}`);
  return { force, timeout: checkTimeout(timeout) };
}
