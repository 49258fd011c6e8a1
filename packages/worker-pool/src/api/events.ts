// The events of a pool.

import type { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { nextTick } from '../platform/timers.ts';

/** Names a worker. Also valid after the worker's end, when its `Worker` has no thread id any more. */
export interface WorkerIdentity {
  /** The number of the worker in its pool, from 1: `context.workerId` of its tasks. */
  readonly workerId: number;
  /** The id of its thread: `threadId` of `node:worker_threads` in the worker. */
  readonly threadId: number;
}

export interface PoolEvents {
  /** A worker takes tasks from now on. If its file failed to load, each task rejects. */
  workerStart: [worker: Worker, identity: WorkerIdentity];
  /** A worker has ended. `failure`: the uncaught error that ended it, if any. */
  workerExit: [worker: Worker, exitCode: number, failure: unknown, identity: WorkerIdentity];
  /** The promise of a task has settled. Useful for progress bars. */
  settled: [stats: { readonly completed: number; readonly failed: number }];
  /** No task is left. */
  drain: [];
  /** A message that a task's file sent to its `parentPort`. */
  message: [message: unknown];
}

export type Emit = <Name extends keyof PoolEvents>(name: Name, ...values: PoolEvents[Name]) => void;

/**
 * Returns a function that emits events. An error that a listener throws becomes an uncaught exception and does not
 * disturb the pool.
 */
export function emitSafely(pool: EventEmitter<PoolEvents>): Emit {
  return (name, ...values) => {
    if (pool.listenerCount(name) === 0) return;
    try {
      (pool as EventEmitter).emit(name, ...(values as unknown[]));
    } catch (failure) {
      nextTick(() => {
        throw failure;
      });
    }
  };
}
