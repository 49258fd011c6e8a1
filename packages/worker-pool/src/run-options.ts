// The options of a task.

import { checkOptions, checkSignal, checkTimeout, show } from '@sluice/core/internal';
import { checkFile, checkName } from './file-options.ts';

export interface RunOptions {
  /** Another export of the file. */
  readonly name?: string | undefined;
  /** Another file. */
  readonly filename?: string | URL | undefined;
  /** An abort rejects at once with `signal.reason`. A task that has not begun never begins; a running one is told (`TaskContext`). */
  readonly signal?: AbortSignal | undefined;
  /** In ms, from the call to the result. After that the task is cancelled as by an abort, with `TimeoutError`. Default: no limit. */
  readonly timeout?: number | undefined;
  /** Tasks with a higher number begin first, and equal ones in the order of the calls. Default: 0. */
  readonly priority?: number | undefined;
  /** Objects in the input that are transferred instead of copied. */
  readonly transferList?: readonly object[] | undefined;
}

const RUN_OPTIONS: readonly (keyof RunOptions)[] = ['name', 'filename', 'signal', 'timeout', 'priority', 'transferList'];

export interface RunSettings {
  /** `undefined`: the pool's own. */
  readonly file: readonly [filename: string, name: string] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly priority: number;
  readonly transferList: readonly object[];
}

const NO_TRANSFER: readonly object[] = [];
export const NO_OPTIONS: RunOptions = {};
const NO_SETTINGS: RunSettings = { file: undefined, signal: undefined, timeout: Infinity, priority: 0, transferList: NO_TRANSFER };

/** `filename`: the pool's. Throws `TypeError`, `RangeError`, and the reason of a signal that was aborted before the call. */
export function readRunOptions(options: RunOptions, poolFile: string): RunSettings {
  if (options === NO_OPTIONS) return NO_SETTINGS;
  checkOptions(options, RUN_OPTIONS);
  const { name, filename, signal, timeout = Infinity, priority = 0, transferList = NO_TRANSFER } = options;
  checkTimeout(timeout);
  if (typeof priority !== 'number' || Number.isNaN(priority)) throw new TypeError(`priority must be a number: received ${show(priority)}`);
  if (!Array.isArray(transferList)) throw new TypeError(`The transferList must be an array: received ${show(transferList)}`);
  if (signal !== undefined) checkSignal(signal);
  const file = name === undefined && filename === undefined ? undefined : ([filename === undefined ? poolFile : checkFile(filename), checkName(name ?? 'default')] as const);
  return { file, signal, timeout, priority, transferList };
}

export interface CloseOptions {
  /** Rejects tasks that have not begun with `PoolClosedError`, and waits for running ones. Default: waits for all. */
  readonly force?: boolean | undefined;
  /** In ms; after that the pool is ended as by `destroy`. Default: no limit. */
  readonly timeout?: number | undefined;
}

const CLOSE_OPTIONS: readonly (keyof CloseOptions)[] = ['force', 'timeout'];

/** Throws `TypeError`, `RangeError`. */
export function readCloseOptions(options: CloseOptions): { readonly force: boolean; readonly timeout: number } {
  checkOptions(options, CLOSE_OPTIONS);
  const { force = false, timeout = Infinity } = options;
  if (typeof force !== 'boolean') throw new TypeError(`force must be a boolean: received ${show(force)}`);
  return { force, timeout: checkTimeout(timeout) };
}
