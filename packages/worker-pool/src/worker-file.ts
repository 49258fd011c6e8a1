// The file that the pool's workers run: beside this one, or at the option `workerUrl`.

import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { WorkerFileError } from './errors.ts';

/** Tells the user what to do if the file is missing. */
const ADVICE =
  "Bundlers do not copy this file by themselves. Make '@sluice/worker-pool/worker' an entry point named 'sluice-pool-worker' of the same build, or give its path as the option workerUrl.";

/**
 * Starts a worker on the file at `path`, or on the one beside this file. `Worker` also reads inherited options: it gets an object without
 * a prototype, so that `execArgv` on `Object.prototype` starts nothing. Throws what `Worker` throws.
 */
export function startThread(path: string | undefined, given: WorkerOptions): Worker {
  const options = Object.assign(Object.create(null) as WorkerOptions, given);
  if (path !== undefined) return startAt(path, options);
  // A build that makes CommonJS of this module leaves `import.meta` empty.
  if (typeof import.meta.url !== 'string') return startAt(besideOf(__filename), options);
  if (import.meta.url.endsWith('.mjs')) return startAt(besideOf(fileURLToPath(import.meta.url)), options);
  // In exactly this form webpack finds the file, bundles it and replaces the URL.
  return new Worker(new URL('./sluice-pool-worker.js', import.meta.url), options);
}

/** When Turbopack meets a `new Worker` of an unknown file, it includes the whole folder in the program. This form hides it. */
function startAt(path: string, options: WorkerOptions): Worker {
  return Reflect.construct<[string, WorkerOptions], Worker>(Worker, [path, options]);
}

/** The worker file's path, with the extension that this file has. */
function besideOf(path: string): string {
  return path.replace(/[^/\\]*(\.[cm]?js)$/, 'sluice-pool-worker$1');
}

/** The error if there is no file at the option `workerUrl`. */
export function noWorkerFile(path: string): WorkerFileError {
  return new WorkerFileError(`There is no file at '${path}', the value of the option workerUrl. Give the path of the built '@sluice/worker-pool/worker'.`);
}

/**
 * The failure of a worker that ended before it was ready: a `WorkerFileError` if its file, or an import of that, cannot be loaded. With
 * `execArgv` the file that cannot be loaded may be one named there (`--import`).
 */
export function startFailure(failure: unknown, { execArgv }: WorkerOptions): unknown {
  const { code, name, message } = (failure ?? {}) as Partial<NodeJS.ErrnoException>;
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
  // A bundler may copy the file to a place where it counts as CommonJS.
  if (execArgv !== undefined || (!isMissing && name !== 'SyntaxError')) return failure;
  return new WorkerFileError(`The pool's workers cannot start: ${String(message).replace(/\.?$/, '.')} ${ADVICE}`, { cause: failure });
}
