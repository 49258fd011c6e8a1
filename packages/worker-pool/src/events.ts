// The events of a pool.

import type { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { nextTick } from './timers.ts';

export interface PoolEvents {
  /** A worker takes tasks now: it has loaded its file, or failed to. */
  workerStart: [worker: Worker];
  /** A worker has ended. `failure`: the uncaught error that it ended with, if any. */
  workerExit: [worker: Worker, exitCode: number, failure: unknown];
  /** A task has settled, in whatever way: for progress bars. */
  settled: [stats: { readonly completed: number; readonly failed: number }];
  /** No task is left. */
  drain: [];
  /** A message that a task's file sent to its `parentPort`. */
  message: [message: unknown];
}

export type Tell = <Name extends keyof PoolEvents>(name: Name, ...values: PoolEvents[Name]) => void;

/** An error that a listener throws becomes an uncaught exception and does not disturb the pool. */
export function tellSafely(pool: EventEmitter<PoolEvents>): Tell {
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
