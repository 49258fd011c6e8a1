// The file that the workers of a pool run: beside this one, or where the option `workerUrl` says.

import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { WorkerFileError } from './errors.ts';

/** What to do when the file is missing. */
const ADVICE =
  "A bundler leaves this file behind: make '@sluice/worker-pool/worker' an entry point named 'sluice-pool-worker' of the same build, or give its place as the option workerUrl.";

/** Starts a worker on `url`, or on the file beside this one. Throws what `Worker` throws. */
export function startThread(url: URL | undefined, options: WorkerOptions): Worker {
  if (url !== undefined) return startAt(url, options);
  // A build that makes CommonJS of this module leaves `import.meta` empty.
  if (typeof import.meta.url !== 'string') return startAt(besideOf(pathToFileURL(__filename).href), options);
  if (import.meta.url.endsWith('.mjs')) return startAt(besideOf(import.meta.url), options);
  // In exactly this form webpack finds the file, bundles it and replaces the URL.
  return new Worker(new URL('./sluice-pool-worker.js', import.meta.url), options);
}

/** Turbopack takes the whole folder for a part of the program when it meets a `new Worker` of a file that it does not know. */
function startAt(url: URL, options: WorkerOptions): Worker {
  return Reflect.construct<[URL, WorkerOptions], Worker>(Worker, [url, options]);
}

/** With the extension that this file has. */
function besideOf(url: string): URL {
  return new URL(url.replace(/[^/]*(\.[cm]?js)$/, 'sluice-pool-worker$1'));
}

/** For the option `workerUrl`, when there is no such file. */
export function noWorkerFile(path: string): WorkerFileError {
  return new WorkerFileError(`The option workerUrl names no file: there is none at '${path}'. Give the path of the built '@sluice/worker-pool/worker'.`);
}

/**
 * What a worker ended with before it was ready: a `WorkerFileError` when its file, or an import of that, cannot be loaded. With
 * `execArgv` it may be a file named there (`--import`) that cannot.
 */
export function startFailure(failure: unknown, { execArgv }: WorkerOptions): unknown {
  if (execArgv !== undefined || !(failure instanceof Error)) return failure;
  const isMissing = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(String((failure as NodeJS.ErrnoException).code));
  // A bundler may copy the file to where it counts as CommonJS.
  if (!isMissing && failure.name !== 'SyntaxError') return failure;
  return new WorkerFileError(`The pool's workers cannot start: ${failure.message.replace(/\.?$/, '.')} ${ADVICE}`, { cause: failure });
}
