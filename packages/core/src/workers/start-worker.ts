// Starts workers of the platform: threads of `node:worker_threads` on Node, Bun and Deno, web workers in pages.

import { UnsupportedError } from '../api/errors.ts';

/** A path or a URL as text, or a `URL`. Described without DOM types, because not every platform declares them. */
export type WorkerUrl = string | { readonly href: string };

/** What a new worker gets. */
export interface WorkerStart {
  readonly name?: string | undefined;
  readonly data?: unknown;
  readonly transfer?: readonly object[] | undefined;
}

interface ThreadClass {
  new (url: WorkerUrl, options: { name?: string; workerData?: unknown; transferList?: readonly object[] }): object;
}

interface WebWorkerClass {
  new (
    url: WorkerUrl,
    options: { type: 'module'; name?: string },
  ): {
    postMessage(message: unknown, transfer: readonly object[]): void;
    terminate(): void;
  };
}

interface Platform {
  readonly process?: { getBuiltinModule?(id: string): { readonly Worker?: ThreadClass } | undefined };
  readonly Worker?: WebWorkerClass;
}

/**
 * Starts a worker and hands it the data: as `workerData`, or as the first message of a web worker. Throws
 * `UnsupportedError`, or the platform's `DataCloneError`; then no worker was started.
 */
export function startWorker(url: WorkerUrl, { name, data, transfer = [] }: WorkerStart): object {
  const { process, Worker: WebWorker } = globalThis as Platform;
  const named = name === undefined ? {} : { name };
  // No import: a page could not load the module.
  const Thread = process?.getBuiltinModule?.('node:worker_threads')?.Worker;
  if (Thread !== undefined) return new Thread(located(url), { ...named, workerData: data, transferList: transfer });
  if (typeof WebWorker !== 'function')
    throw new UnsupportedError(
      'This runtime has no Worker, or a thread of this kind cannot start one. Nothing was started.',
    );
  const worker = new WebWorker(url, { ...named, type: 'module' });
  try {
    if (data !== undefined) worker.postMessage(data, transfer);
  } catch (failure) {
    worker.terminate();
    throw failure;
  }
  return worker;
}

/** A thread takes a path, or a `URL`. A string such as `import.meta.url` is neither. */
function located(url: WorkerUrl): WorkerUrl {
  return typeof url === 'string' && /^(file|data):/.test(url) ? new URL(url) : url;
}
