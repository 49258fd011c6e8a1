// What a pool tells whoever listens.

import type { EventEmitter } from 'node:events';
import { nextTick } from 'node:process';
import type { Worker } from 'node:worker_threads';

export interface PoolEvents {
  /** A worker has loaded its file, or cannot, and takes tasks. */
  workerStart: [worker: Worker];
  /** It has ended; `failure`: with what, if it was an error that nobody caught. */
  workerExit: [worker: Worker, exitCode: number, failure: unknown];
  /** A task has come to its end, in whatever way: for progress bars. */
  settled: [stats: { readonly completed: number; readonly failed: number }];
  /** No task is left. */
  drain: [];
  /** A message that a task's file sent to its `parentPort`. */
  message: [message: unknown];
}

export type Tell = <Name extends keyof PoolEvents>(name: Name, ...values: PoolEvents[Name]) => void;

/** What a listener throws is uncaught, and nothing of the pool's. */
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
