// A pool of the built package, because its workers run a built file, and shared words by which tests and tasks
// communicate.

import { Arena } from '@sluice/core';
import { fileURLToPath } from 'node:url';
import { MessagePort, Worker } from 'node:worker_threads';
import { turn } from '../../../core/test/support/turn.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../dist/index.js';
import { BEGUN, ENDED, LOG, OPEN, STAGE_WORDS } from '../jobs/words.mjs';

export {
  move,
  PoolClosedError,
  PoolError,
  TaskFileError,
  WorkerDiedError,
  WorkerFileError,
  WorkerPool,
} from '../../dist/index.js';
export type { WorkerPoolOptions } from '../../dist/index.js';

export const TASKS = fileURLToPath(new URL('../jobs/tasks.mjs', import.meta.url));

/** The memory that tasks and tests share: `workerData` of the workers. */
export class Stage {
  readonly words = new Int32Array(new SharedArrayBuffer(4 * STAGE_WORDS));

  /** The number of tasks that wait for `open`, or have waited. */
  get begun(): number {
    return Atomics.load(this.words, BEGUN);
  }

  get ended(): number {
    return Atomics.load(this.words, ENDED);
  }

  /** The inputs of the tasks in the order in which they began. */
  get order(): number[] {
    return [...this.words.subarray(LOG, LOG + this.begun)];
  }

  /** Lets waiting tasks and all later ones continue. */
  open(): void {
    Atomics.store(this.words, OPEN, 1);
    Atomics.notify(this.words, OPEN);
  }
}

export type AnyPool = WorkerPool;

/** Runs a test with a pool, by default of one worker. The pool is destroyed at the end of the test. */
export async function withPool<T>(
  options: Partial<WorkerPoolOptions>,
  body: (pool: AnyPool, stage: Stage) => Promise<T>,
): Promise<T> {
  const stage = new Stage();
  const pool = new WorkerPool({ filename: TASKS, size: 1, workerData: stage.words, ...options } as WorkerPoolOptions);
  try {
    return await body(pool, stage);
  } finally {
    stage.open();
    await pool.destroy();
  }
}

/** The messages that the pools of this thread post to their workers, from `Posted.during` on. */
export class Posted {
  readonly messages: unknown[] = [];

  /** Records messages while `run` runs. */
  static async during<T>(run: (posted: Posted) => Promise<T>): Promise<T> {
    const posted = new Posted();
    const prototypes = [MessagePort.prototype, Worker.prototype] as {
      postMessage: (this: object, ...args: unknown[]) => void;
    }[];
    const restore = prototypes.map((prototype) => {
      const { postMessage } = prototype;
      prototype.postMessage = function (message: unknown, ...more: unknown[]) {
        posted.messages.push(message);
        postMessage.call(this, message, ...more);
      };
      return () => (prototype.postMessage = postMessage);
    });
    try {
      return await run(posted);
    } finally {
      for (const each of restore) each();
    }
  }

  /** Returns the number of messages of a kind. `stay`: an idle worker asked whether to end, and was told to stay. */
  count(kind: 'leave' | 'stay'): number {
    return this.messages.filter((message) => (message as { readonly kind?: unknown } | null)?.kind === kind).length;
  }
}

/** Turns the event loop until the condition holds. Otherwise the test's timeout ends it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

const MAX_LOOKS = 20_000;
const idle = new Int32Array(new SharedArrayBuffer(4));

/**
 * Blocks this thread until the condition holds. Checks once per ms and at most 20,000 times, because no timer of the
 * test can end it.
 */
export function blockUntil(holds: () => boolean): void {
  for (let look = 1; !holds(); look++) {
    if (look === MAX_LOOKS) throw new Error(`The condition was not true within ${MAX_LOOKS} checks.`);
    Atomics.wait(idle, 0, 0, 1);
  }
}

/** Resolves with the reason of a rejection. */
export async function failureOf(promise: Promise<unknown> | undefined): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (failure) {
    return failure;
  }
  throw new Error('It resolved.', { cause: value });
}

const OPEN_MS = 240_000;

/** Fails if the promise stays pending, so that the test can clean up. */
export async function settled<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The promise did not settle.')), OPEN_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates an arena. `used` returns the kinds of the blocks in use. */
export function ownArena(maxPages = 64): { readonly arena: Arena; readonly used: () => string[] } {
  const arena = Arena.create({ maxPages });
  const used = (): string[] => {
    const kinds = arena.inspect().blocks.map(({ kind }) => kind);
    return kinds.filter((kind) => kind !== 'pool' && kind !== 'free');
  };
  return { arena, used };
}
