// What a pool is made with, and what a task is run with.

import { Arena } from '@sluice/core';
import { checkInteger, checkOptions, checkTimeout, show } from '@sluice/core/internal';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { WorkerOptions } from 'node:worker_threads';
import { noWorkerFile } from './worker-file.ts';

/** The longest ring that a buffer has. */
export const MOST_BUFFER_BYTES = 2 ** 28;
/** The longest delay that timers take: 24.8 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** As of `node:worker_threads`, for each worker of the pool. */
type ThreadOptions = Pick<WorkerOptions, 'argv' | 'env' | 'execArgv' | 'resourceLimits' | 'stdin' | 'stdout' | 'stderr' | 'trackUnmanagedFds' | 'workerData'>;

export interface WorkerPoolOptions extends ThreadOptions {
  /** The file with the tasks' functions: a path or a file URL. */
  readonly filename: string | URL;
  /** The export that tasks run. Default: the default export. */
  readonly name?: string | undefined;
  /** How many workers, 1 to 512. Default: one for each core. */
  readonly size?: number | undefined;
  /** How many tasks a worker runs at a time, 1 to 1024: more than 1 only helps tasks that await. Default 1. */
  readonly concurrentTasksPerWorker?: number | undefined;
  /** How many tasks may wait beside those that run, 0 to 2^16; further calls of `run` wait in line. Default 1024. */
  readonly maxQueue?: number | undefined;
  /** How idle workers wait: `'async'` (default) with their event loop turning, `'sync'` blocked. */
  readonly atomics?: 'async' | 'sync' | undefined;
  /** How often a task is run again when its worker died. Default 0: a task runs at most once. */
  readonly retry?: number | undefined;
  /**
   * How long an aborted task may go on, in ms, before its worker is terminated; not where the worker runs others beside it. Default 100;
   * `Infinity`: for ever.
   */
  readonly abortGrace?: number | undefined;
  /** Bytes of shared memory for tasks and for results, each, 1024 to 2^28; what does not fit goes as a message. Default 256 KiB. */
  readonly bufferBytes?: number | undefined;
  /** Where they live. Primitives there are recovered when a worker dies. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /**
   * The built file of `@sluice/worker-pool/worker`, which the workers run: a path or a file URL. Default: the file beside the pool's own,
   * which a bundler may have left behind.
   */
  readonly workerUrl?: string | URL | undefined;
}

export interface RunOptions {
  /** Another export of the file. */
  readonly name?: string | undefined;
  /** Another file. */
  readonly filename?: string | URL | undefined;
  /** An abort rejects at once with `signal.reason`. A task that has not begun never does; one that runs is told (`TaskContext`). */
  readonly signal?: AbortSignal | undefined;
  /** ms, from the call to the result; then as an abort, with `TimeoutError`. Default: no limit. */
  readonly timeout?: number | undefined;
  /** What of the task is handed over instead of copied. */
  readonly transferList?: readonly object[] | undefined;
}

export interface Settings {
  readonly filename: string;
  readonly name: string;
  readonly size: number;
  readonly concurrentTasks: number;
  readonly maxQueue: number;
  readonly atomics: 'async' | 'sync';
  readonly retry: number;
  readonly abortGrace: number;
  readonly bufferBytes: number;
  readonly arena: Arena;
  readonly workerUrl: URL | undefined;
  readonly thread: ThreadOptions;
}

/** Throws `TypeError`, `RangeError`. */
export function readOptions(options: WorkerPoolOptions): Settings {
  checkOptions(options);
  const { filename, name, size, concurrentTasksPerWorker, maxQueue, atomics, retry, abortGrace, bufferBytes, arena, workerUrl, ...thread } = options;
  if (arena !== undefined && !(arena instanceof Arena)) throw new TypeError(`The arena must be an Arena: received ${show(arena)}`);
  if (!['async', 'sync', undefined].includes(atomics)) throw new TypeError(`atomics must be 'async' or 'sync': received ${show(atomics)}`);
  if (atomics === 'sync' && (concurrentTasksPerWorker ?? 1) !== 1) {
    throw new TypeError(`atomics 'sync' goes with one task per worker: received concurrentTasksPerWorker ${show(concurrentTasksPerWorker)}`);
  }
  return {
    filename: checkFile(filename),
    name: checkName(name ?? 'default'),
    size: checkInteger('size', size ?? availableParallelism(), 1, 512),
    concurrentTasks: checkInteger('concurrentTasksPerWorker', concurrentTasksPerWorker ?? 1, 1, 1024),
    maxQueue: checkInteger('maxQueue', maxQueue ?? 1024, 0, 2 ** 16),
    atomics: atomics ?? 'async',
    retry: checkInteger('retry', retry ?? 0, 0, 2 ** 16),
    abortGrace: longestDelay(checkTimeout(abortGrace ?? 100)),
    bufferBytes: checkInteger('bufferBytes', bufferBytes ?? 256 * 1024, 1024, MOST_BUFFER_BYTES),
    arena: arena ?? Arena.default(),
    workerUrl: checkWorkerUrl(workerUrl),
    thread,
  };
}

/** A timer takes a longer one for 1 ms. */
export function longestDelay(ms: number): number {
  return ms === Infinity ? ms : Math.min(ms, LONGEST_MS);
}

export interface RunSettings {
  /** `undefined`: the pool's own. */
  readonly file: readonly [filename: string, name: string] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly transferList: readonly object[];
}

const NO_TRANSFER: readonly object[] = [];
export const NO_OPTIONS: RunOptions = {};
const NO_SETTINGS: RunSettings = { file: undefined, signal: undefined, timeout: Infinity, transferList: NO_TRANSFER };

/** Throws `TypeError`, `RangeError`, and the reason of an abort that was before the call. */
export function readRunOptions(options: RunOptions, pool: Settings): RunSettings {
  if (options === NO_OPTIONS) return NO_SETTINGS;
  checkOptions(options);
  const { name, filename, signal, timeout = Infinity, transferList = NO_TRANSFER } = options;
  checkTimeout(timeout);
  if (!Array.isArray(transferList)) throw new TypeError(`The transferList must be an array: received ${show(transferList)}`);
  if (signal !== undefined) checkSignal(signal);
  const file = name === undefined && filename === undefined ? undefined : ([filename === undefined ? pool.filename : checkFile(filename), checkName(name ?? 'default')] as const);
  return { file, signal, timeout, transferList };
}

function checkSignal(signal: AbortSignal): void {
  if (typeof (signal as Partial<AbortSignal> | null)?.aborted !== 'boolean') throw new TypeError(`The signal must be an AbortSignal: received ${show(signal)}`);
  if (typeof (signal as Partial<AbortSignal>).addEventListener !== 'function') throw new TypeError('The signal must be an AbortSignal.');
  signal.throwIfAborted();
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError(`The name must be that of an export: received ${show(name)}`);
}

/** Throws `TypeError`, and `WorkerFileError` when there is no such file. */
function checkWorkerUrl(url: unknown): URL | undefined {
  if (url === undefined) return undefined;
  const isUrl = url instanceof URL || (typeof url === 'string' && url.startsWith('file:'));
  if (isUrl && new URL(url).protocol !== 'file:') throw new TypeError(`workerUrl must be a path or a file: URL: received ${show(String(url))}`);
  if (!isUrl && (typeof url !== 'string' || url === '')) throw new TypeError(`workerUrl must be a path or a file: URL: received ${show(url)}`);
  const path = isUrl ? fileURLToPath(url) : resolve(url);
  if (!isFile(path)) throw noWorkerFile(path);
  return pathToFileURL(path);
}

/** An absolute path, or a URL that is none of a file. Whether it can be loaded the first task says. */
function checkFile(filename: unknown): string {
  if (filename instanceof URL) return filename.protocol === 'file:' ? checkThere(fileURLToPath(filename)) : filename.href;
  if (typeof filename !== 'string' || filename === '') throw new TypeError(`The filename must be a path or a URL: received ${show(filename)}`);
  if (filename.startsWith('file:')) return checkThere(fileURLToPath(filename));
  if (/^[a-z][a-z+.-]+:/i.test(filename)) return filename;
  return checkThere(isAbsolute(filename) ? filename : resolve(filename));
}

function checkThere(path: string): string {
  if (isFile(path)) return path;
  throw new TypeError(`The filename must be that of a file: there is none at ${show(path)}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
