// Starts a worker that is watched from its beginning.

import { checkOptions, show } from '../api/check.ts';
import { contextOf, type Arena } from '../arena/arena.ts';
import { startWorker, type WorkerUrl } from './start-worker.ts';
import { checkWatch, type Watch, type WatchedWorker, type WatchOptions } from '../recovery/watch.ts';
import { chosenArena } from '../primitive/block.ts';

/** Options of `spawn`. */
export interface SpawnOptions extends WatchOptions {
  /** The arena in which the worker is watched. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /**
   * The data for the worker: its `workerData`, or the first message of a web worker. Primitives in it, also those in
   * arrays and in plain objects, are replaced by their handles.
   */
  readonly data?: unknown;
  /** The worker's name, for debuggers and process lists. Only for a worker that `spawn` starts. */
  readonly name?: string | undefined;
  /** Objects in `data` that are transferred and not copied, such as ports. */
  readonly transfer?: readonly object[] | undefined;
}

/** A worker that `spawn` has started, or that was passed to it. */
export interface SpawnedWorker<W = WatchedWorker> {
  /** The platform's worker, for messages. */
  readonly worker: W;
  /** The watch of the worker. */
  readonly watch: Watch;
  /**
   * Resolves with the exit code after the worker has ended. The watch has recovered what the worker held by then, unless
   * another agent is about to. Rejects with the worker's uncaught error. For a web worker it resolves only after
   * `terminate`, because a page does not learn of another end.
   */
  readonly ended: Promise<number | undefined>;
  /** Ends the worker. Resolves when `ended` has settled. */
  readonly terminate: () => Promise<void>;
}

const OPTIONS: readonly string[] = ['arena', 'data', 'name', 'transfer', 'onReclaim'];

/**
 * Starts a worker, watches it, and hands it the handles of the primitives in `data`. When the worker ends, for whatever
 * reason, its permits return and its locks go to the next waiters.
 *
 * `spawn(url, …)` stands for `new Worker(url, …)` and `arena.watch(worker)`. On Node, Bun and Deno it starts a thread of
 * `node:worker_threads`, in a page a web worker that is a module. A bundler finds a worker's module only at `new
 * Worker(new URL(…))`: create the worker there and pass it in place of the URL. Its `data` is then its first message.
 *
 * ```ts run
 * import { Semaphore, spawn } from '@sluice/core';
 * import { isMainThread, workerData } from 'node:worker_threads';
 *
 * if (isMainThread) {
 *   const lock = Semaphore.create(1);
 *   const { ended } = spawn(import.meta.url, { data: { lock } });
 *   console.log(await ended, lock.available); // 0 1
 * } else {
 *   Semaphore.from(workerData.lock).acquire(); // and ends without a release
 * }
 * ```
 *
 * @throws {TypeError} If `url` is neither a string, a `URL` nor a worker, or an option has the wrong type or is unknown.
 * @throws {MisuseError} If this thread has left the arena, or the worker that was passed has ended.
 * @throws {UnsupportedError} If the platform has no workers.
 * @throws The platform's `DataCloneError` for data that cannot be cloned. If the call throws, it leaves no worker that it
 *   started.
 */
export function spawn<W extends WatchedWorker = WatchedWorker>(
  url: WorkerUrl | W,
  options: SpawnOptions = {},
): SpawnedWorker<W> {
  checkOptions(options, OPTIONS);
  const { data, name, transfer, onReclaim } = options;
  const isUrl = isUrlOf(url);
  checkSpawn(url, isUrl, options);
  const arena = chosenArena(options.arena);
  // Check before the worker starts, so that no worker runs unwatched.
  contextOf(arena);
  const sent = handlesIn(data, new Map());
  const worker = (isUrl ? startWorker(url as WorkerUrl, { name, data: sent, transfer }) : url) as W;
  const watch = watchOrEnd(arena, worker, isUrl, onReclaim);
  if (!isUrl && sent !== undefined) post(worker, watch, sent, transfer);
  // The watch has its listener for the worker's end already, so the recovery comes before the end of `ended`.
  const { ended, end } = endOf(worker);
  const terminate = async (): Promise<void> => {
    await (worker as unknown as { terminate(): unknown }).terminate();
    end();
    await ended.catch(() => undefined);
  };
  return { worker, watch, ended, terminate };
}

/** Watches the worker. If that fails, ends a worker that this call has started. */
function watchOrEnd(
  arena: Arena,
  worker: WatchedWorker,
  isStarted: boolean,
  onReclaim: WatchOptions['onReclaim'],
): Watch {
  try {
    return arena.watch(worker, { onReclaim });
  } catch (failure) {
    if (isStarted) void (worker as unknown as { terminate(): unknown }).terminate();
    throw failure;
  }
}

/** Sends the data to a worker that the caller has created. Data that cannot be sent leaves it unwatched, as before. */
function post(worker: WatchedWorker, watch: Watch, data: unknown, transfer: readonly object[] = []): void {
  try {
    (worker as unknown as Posting).postMessage(data, transfer);
  } catch (failure) {
    watch.stop();
    throw failure;
  }
}

interface Posting {
  postMessage(message: unknown, transfer: readonly object[]): void;
}

/** Also a `URL` of another realm. */
function isUrlOf(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && 'href' in value);
}

function checkSpawn(url: unknown, isUrl: boolean, { name, transfer, onReclaim }: SpawnOptions): void {
  if (!isUrl && (typeof url !== 'object' || url === null))
    throw new TypeError(
      `spawn expects the URL of a worker's module, or a worker: received ${show(url)}. No worker was started.`,
    );
  // A worker that is not there yet needs no check.
  checkWatch(isUrl ? { threadId: 0, on: nothing, off: nothing } : url, { onReclaim });
  if (name !== undefined && typeof name !== 'string')
    throw new TypeError(`name must be a string: received ${show(name)}. No worker was started.`);
  if (name !== undefined && !isUrl)
    throw new TypeError(
      `name is for a worker that spawn starts, and a worker was passed: received ${show(name)}. Nothing was changed.`,
    );
  if (transfer !== undefined && !Array.isArray(transfer))
    throw new TypeError(`transfer must be an array: received ${show(transfer)}. No worker was started.`);
}

function nothing(): void {
  // Stands for a method of a worker.
}

/** Returns a promise of the worker's end, and a function that ends it for a worker without an `exit` event. */
function endOf(worker: WatchedWorker): { readonly ended: Promise<number | undefined>; readonly end: () => void } {
  if (!('on' in worker)) {
    let end = nothing;
    const ended = new Promise<undefined>((resolve) => {
      end = () => resolve(undefined);
    });
    return { ended, end };
  }
  const events = worker as unknown as Events;
  const ended = new Promise<number | undefined>((resolve, reject) => {
    let failure: { readonly reason: unknown } | undefined;
    events.on('error', (reason) => (failure = { reason }));
    events.on('exit', (code) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      if (failure !== undefined) reject(failure.reason);
      else resolve(code as number);
    });
  });
  return { ended, end: nothing };
}

/** The events of a worker thread. */
interface Events {
  on(event: 'error' | 'exit', listener: (value: unknown) => void): unknown;
}

/** Returns the value with handles in place of primitives. Copies only arrays and plain objects. */
function handlesIn(value: unknown, copies: Map<unknown, unknown>): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    copies.set(value, copy);
    for (const element of value as unknown[]) copy.push(handlesIn(element, copies));
    return copy;
  }
  if (!isPlain(value)) {
    const { handle } = value as { readonly handle?: unknown };
    return isHandle(handle) ? handle : value;
  }
  if (isHandle(value)) return value;
  const copy: Record<string, unknown> = {};
  copies.set(value, copy);
  // Not an assignment: a field named `__proto__` would set the prototype.
  for (const [name, field] of Object.entries(value))
    Object.defineProperty(copy, name, {
      value: handlesIn(field, copies),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  return copy;
}

function isHandle(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind } = value as { readonly kind?: unknown };
  return typeof kind === 'string' && kind.startsWith('sluice.');
}

function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === null || Object.getPrototypeOf(proto) === null;
}
