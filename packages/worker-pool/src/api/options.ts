// The options of a pool.

import { Arena } from '@sluice/core';
import { checkInteger, checkOptions, checkTimeout, show, wrongInstance } from '@sluice/core/calls';
import { availableParallelism } from 'node:os';
import type { WorkerOptions } from 'node:worker_threads';
import { checkFile, checkName, checkWorkerUrl } from './file-options.ts';
import { MAX_RETRIES } from './run-options.ts';

/** The maximum size of a buffer's ring. */
export const MAX_BUFFER_BYTES = 2 ** 28;
/** The longest delay that timers accept: 24.8 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Options of `node:worker_threads`, for each worker of the pool. */
type ThreadOptions = Pick<
  WorkerOptions,
  'argv' | 'env' | 'execArgv' | 'resourceLimits' | 'stdin' | 'stdout' | 'stderr' | 'trackUnmanagedFds' | 'workerData'
>;

interface CommonOptions extends ThreadOptions {
  /** The file with the functions that tasks run: a path or a file URL. */
  readonly filename: string | URL;
  /** The export that tasks run. Default: the default export. */
  readonly name?: string | undefined;
  /** A worker ends after this many tasks, and another takes its place. Default: no limit. */
  readonly maxTasksPerWorker?: number | undefined;
  /**
   * A worker ends if its heap, garbage included, is larger than this many MiB after a task, and another takes its
   * place. Default: no limit.
   */
  readonly maxHeapPerWorker?: number | undefined;
  /**
   * The maximum number of tasks that a worker runs at a time, 1 to 1024. More than 1 only helps tasks that await.
   * Default: 1.
   */
  readonly concurrentTasksPerWorker?: number | undefined;
  /**
   * The maximum number of tasks that are queued in addition to the running ones, 0 to 2^16. Further calls of `run` wait
   * in line. Default: 1024.
   */
  readonly maxQueue?: number | undefined;
  /** How idle workers wait: with their event loop turning (`'async'`), or blocked (`'sync'`). Default: `'async'`. */
  readonly atomics?: 'async' | 'sync' | undefined;
  /** How many times a task is run again if its worker dies. Default: 0, so a task runs at most once. */
  readonly retry?: number | undefined;
  /**
   * How long an aborted task may continue before its worker is terminated, in ms. `Infinity`: forever. Default: 100.
   *
   * A worker that also runs other tasks takes no more. It is terminated when those are done, or when its event loop
   * does not turn for a second.
   */
  readonly abortGrace?: number | undefined;
  /**
   * The size of the buffer for tasks, and of that for results, in bytes, 1024 to 2^28. Values that do not fit are sent
   * as messages. Default: 256 KiB.
   */
  readonly bufferBytes?: number | undefined;
  /**
   * The arena of these buffers. When a worker dies, the primitives in this arena are recovered. Default: the realm's
   * default arena.
   */
  readonly arena?: Arena | undefined;
  /**
   * The file that the workers run, a build of `@sluice/worker-pool/worker`: a path or a file URL. Default: the file
   * beside the pool's own. A bundler may not have copied that file.
   */
  readonly workerUrl?: string | URL | undefined;
}

/** Workers that all start at once. */
interface FixedWorkers {
  /**
   * The number of workers, 1 to 512. All start at once. Default: one for each core. Not together with `minThreads`,
   * `maxThreads`, `idleTimeout`.
   */
  readonly size?: number | undefined;
  readonly minThreads?: undefined;
  readonly maxThreads?: undefined;
  readonly idleTimeout?: undefined;
}

/** Workers that start and end with the demand. */
interface ChangingWorkers {
  readonly size?: undefined;
  /**
   * The number of workers that start at once and stay, 0 to 512. Default: 0, if `maxThreads` or `idleTimeout` is given.
   */
  readonly minThreads?: number | undefined;
  /**
   * The maximum number of workers, 1 to 512. Workers beyond `minThreads` start when tasks wait. Default: one for each
   * core.
   */
  readonly maxThreads?: number | undefined;
  /** A worker beyond `minThreads` ends after this many ms without a task. `Infinity`: it stays. Default: 10,000. */
  readonly idleTimeout?: number | undefined;
}

export type WorkerPoolOptions = CommonOptions & (FixedWorkers | ChangingWorkers);

export interface Settings {
  readonly filename: string;
  readonly name: string;
  /** The number of workers that stay. */
  readonly minWorkers: number;
  /** The maximum number of workers. */
  readonly size: number;
  readonly idleTimeout: number;
  readonly maxTasks: number;
  /** In bytes. */
  readonly maxHeap: number;
  readonly concurrentTasks: number;
  readonly maxQueue: number;
  readonly atomics: 'async' | 'sync';
  readonly retry: number;
  readonly abortGrace: number;
  readonly bufferBytes: number;
  readonly arena: Arena;
  readonly workerUrl: string | undefined;
  readonly thread: ThreadOptions;
}

const POOL_OPTIONS: readonly (keyof CommonOptions | keyof ChangingWorkers)[] = [
  ...([
    'filename',
    'name',
    'size',
    'minThreads',
    'maxThreads',
    'idleTimeout',
    'maxTasksPerWorker',
    'maxHeapPerWorker',
  ] as const),
  ...([
    'concurrentTasksPerWorker',
    'maxQueue',
    'atomics',
    'retry',
    'abortGrace',
    'bufferBytes',
    'arena',
    'workerUrl',
  ] as const),
  ...([
    'argv',
    'env',
    'execArgv',
    'resourceLimits',
    'stdin',
    'stdout',
    'stderr',
    'trackUnmanagedFds',
    'workerData',
  ] as const),
];

const MAX_WORKERS = 512;
const DEFAULT_IDLE_MS = 10_000;
const MIB = 2 ** 20;

/**
 * Checks the options and fills in the defaults. Throws `TypeError`, `RangeError`, and `WorkerFileError` for a missing
 * `workerUrl`.
 */
export function readOptions(options: WorkerPoolOptions): Settings {
  checkOptions(options, POOL_OPTIONS);
  const { filename, name, size, minThreads, maxThreads, idleTimeout, maxTasksPerWorker, maxHeapPerWorker, ...others } =
    options;
  const { concurrentTasksPerWorker, maxQueue, atomics, retry, abortGrace, bufferBytes, arena, workerUrl, ...thread } =
    others;
  if (arena !== undefined && !(arena instanceof Arena))
    throw wrongInstance('The arena', 'Arena', 'sluice.arena', arena);
  if (!['async', 'sync', undefined].includes(atomics))
    throw new TypeError(`atomics must be 'async' or 'sync': received ${show(atomics)}`);
  if (atomics === 'sync' && (concurrentTasksPerWorker ?? 1) !== 1) {
    throw new TypeError(
      `atomics 'sync' goes with one task per worker: received concurrentTasksPerWorker ${show(concurrentTasksPerWorker)}`,
    );
  }
  return {
    filename: checkFile(filename),
    name: checkName(name ?? 'default'),
    ...checkWorkers({ size, minThreads, maxThreads, idleTimeout }),
    maxTasks:
      maxTasksPerWorker === undefined ? Infinity : checkInteger('maxTasksPerWorker', maxTasksPerWorker, 1, 2 ** 32),
    maxHeap:
      maxHeapPerWorker === undefined ? Infinity : checkInteger('maxHeapPerWorker', maxHeapPerWorker, 1, 2 ** 32) * MIB,
    concurrentTasks: checkInteger('concurrentTasksPerWorker', concurrentTasksPerWorker ?? 1, 1, 1024),
    maxQueue: checkInteger('maxQueue', maxQueue ?? 1024, 0, 2 ** 16),
    atomics: atomics ?? 'async',
    retry: checkInteger('retry', retry ?? 0, 0, MAX_RETRIES),
    abortGrace: longestDelay(checkTimeout(abortGrace ?? 100, 'abortGrace')),
    bufferBytes: checkInteger('bufferBytes', bufferBytes ?? 256 * 1024, 1024, MAX_BUFFER_BYTES),
    arena: arena ?? Arena.default(),
    workerUrl: checkWorkerUrl(workerUrl),
    thread,
  };
}

type WorkerCounts = Pick<FixedWorkers, 'size'> & Omit<ChangingWorkers, 'size'>;

function checkWorkers({
  size,
  minThreads,
  maxThreads,
  idleTimeout,
}: WorkerCounts): Pick<Settings, 'minWorkers' | 'size' | 'idleTimeout'> {
  const isLazy = minThreads !== undefined || maxThreads !== undefined || idleTimeout !== undefined;
  if (!isLazy) {
    const workers = checkInteger('size', size ?? availableParallelism(), 1, MAX_WORKERS);
    return { minWorkers: workers, size: workers, idleTimeout: Infinity };
  }
  if (size !== undefined) {
    throw new TypeError(
      'size is for workers that all start at once. Give minThreads and maxThreads instead, for workers that start when tasks wait.',
    );
  }
  const minWorkers = checkInteger('minThreads', minThreads ?? 0, 0, MAX_WORKERS);
  const most = checkInteger(
    'maxThreads',
    maxThreads ?? Math.max(minWorkers, availableParallelism()),
    Math.max(1, minWorkers),
    MAX_WORKERS,
  );
  return {
    minWorkers,
    size: most,
    idleTimeout: longestDelay(checkTimeout(idleTimeout ?? DEFAULT_IDLE_MS, 'idleTimeout')),
  };
}

/** Clips a delay, because a timer would treat a longer one as 1 ms. */
function longestDelay(ms: number): number {
  return ms === Infinity ? ms : Math.min(ms, LONGEST_MS);
}
