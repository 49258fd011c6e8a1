// The file that the pool's workers run: the one beside this file, or the one at the option `workerUrl`.

import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { WorkerFileError } from '../api/errors.ts';

/** The advice in an error message if the file is missing. */
const ADVICE =
  "Bundlers do not copy this file by themselves. Make '@sluice/worker-pool/worker' an entry point named 'sluice-pool-worker' of the same build, or give its path as the option workerUrl.";

/**
 * Starts a worker on the file at `path`, or on the worker file beside this file. Throws what `Worker` throws.
 *
 * `Worker` also reads inherited options. So it gets an object without a prototype: a property of `Object.prototype`,
 * such as `execArgv`, then has no effect.
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

/** Hides the `new Worker` from Turbopack, which would include the whole folder in the program for an unknown file. */
function startAt(path: string, options: WorkerOptions): Worker {
  return Reflect.construct<[string, WorkerOptions], Worker>(Worker, [path, options]);
}

/** Returns the path of the worker file, with the extension of this file. */
function besideOf(path: string): string {
  return path.replace(/[^/\\]*(\.[cm]?js)$/, 'sluice-pool-worker$1');
}

/**
 * Returns the failure of a worker that ended before it was ready: a `WorkerFileError` if its file, or an import of that
 * file, cannot be loaded.
 *
 * With `execArgv` it returns the failure unchanged, because the missing file may be one that `execArgv` names
 * (`--import`).
 */
export function startFailure(failure: unknown, { execArgv }: WorkerOptions): unknown {
  const { code, name, message } = (failure ?? {}) as Partial<NodeJS.ErrnoException>;
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
  // A bundler may copy the file to a place where it counts as CommonJS.
  if (execArgv !== undefined || (!isMissing && name !== 'SyntaxError')) return failure;
  return new WorkerFileError(`The pool's workers cannot start: ${String(message).replace(/\.?$/, '.')} ${ADVICE}`, {
    cause: failure,
  });
}
