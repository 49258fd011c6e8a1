// The file that the workers of a pool run: beside this one, or where the option `workerUrl` says.

import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { WorkerFileError } from './errors.ts';

/** What to do when the file is missing. */
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

/** Turbopack takes the whole folder for a part of the program when it meets a `new Worker` of a file that it does not know. */
function startAt(path: string, options: WorkerOptions): Worker {
  return Reflect.construct<[string, WorkerOptions], Worker>(Worker, [path, options]);
}

/** With the extension that this file has. */
function besideOf(path: string): string {
  return path.replace(/[^/\\]*(\.[cm]?js)$/, 'sluice-pool-worker$1');
}

/** For the option `workerUrl`, when there is no such file. */
export function noWorkerFile(path: string): WorkerFileError {
  return new WorkerFileError(`There is no file at '${path}', the value of the option workerUrl. Give the path of the built '@sluice/worker-pool/worker'.`);
}

/**
 * What a worker ended with before it was ready: a `WorkerFileError` when its file, or an import of that, cannot be loaded. With
 * `execArgv` it may be a file named there (`--import`) that cannot.
 */
export function startFailure(failure: unknown, { execArgv }: WorkerOptions): unknown {
  const { code, name, message } = (failure ?? {}) as Partial<NodeJS.ErrnoException>;
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
  // A bundler may copy the file to where it counts as CommonJS.
  if (execArgv !== undefined || (!isMissing && name !== 'SyntaxError')) return failure;
  return new WorkerFileError(`The pool's workers cannot start: ${String(message).replace(/\.?$/, '.')} ${ADVICE}`, { cause: failure });
}
