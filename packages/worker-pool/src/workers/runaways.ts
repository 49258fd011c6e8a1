// Tasks that were cancelled and continue to run. After `abortGrace` the pool terminates their worker, as soon as no
// other task is lost by that.

import { setTimeout } from '../platform/timers.ts';
import type { Workers } from './workers.ts';
import type { PooledWorker } from './pooled-worker.ts';
import type { Settings } from '../api/options.ts';
import type { PoolQueue } from '../tasks/pool-queue.ts';
import type { PoolTask } from '../tasks/pool-task.ts';

export class Runaways {
  readonly #settings: Settings;
  readonly #queue: PoolQueue;
  readonly #workers: Workers;
  readonly #stuckMs: number;
  /**
   * Workers that are leaving because of a runaway task. They are terminated when all tasks that they run are cancelled
   * ones.
   */
  readonly #leaving = new Set<PooledWorker>();

  /** `stuckMs`: a worker counts as stuck if its event loop does not turn for this many ms. */
  constructor(settings: Settings, queue: PoolQueue, workers: Workers, stuckMs: number) {
    this.#settings = settings;
    this.#queue = queue;
    this.#workers = workers;
    this.#stuckMs = stuckMs;
  }

  /** Watches a cancelled task that the worker still runs. */
  watch(task: PoolTask, worker: PooledWorker): void {
    const { abortGrace } = this.#settings;
    this.look();
    if (abortGrace !== Infinity) setTimeout(() => this.#endIfRunning(task, worker), abortGrace).unref();
  }

  /** Checks all leaving workers. Call it after a task has ended or was cancelled. */
  look(): void {
    for (const worker of this.#leaving) this.lookAt(worker);
  }

  /**
   * Terminates the worker if it runs only cancelled tasks. Waits for `isLeaveConfirmed`: before that the worker may
   * take another task.
   */
  lookAt(worker: PooledWorker): void {
    if (!this.#leaving.has(worker) || !worker.isLeaveConfirmed) return;
    if (this.#queue.takenBy(worker.number).every(({ settled }) => settled)) worker.terminate();
  }

  /** The worker has ended. */
  forget(worker: PooledWorker): void {
    this.#leaving.delete(worker);
  }

  #endIfRunning(task: PoolTask, worker: PooledWorker): void {
    if (this.#leaving.has(worker) || !this.#queue.isTakenBy(task, worker.number)) return;
    if (this.#settings.concurrentTasks === 1) {
      worker.terminate();
      return;
    }
    this.#leaving.add(worker);
    this.#workers.retire(worker);
    setTimeout(() => this.#endIfStuck(worker), this.#stuckMs).unref();
    this.lookAt(worker);
  }

  /** Terminates a worker whose event loop is blocked. Its other tasks cannot proceed either. */
  #endIfStuck(worker: PooledWorker): void {
    if (this.#leaving.has(worker) && !worker.isLeaveConfirmed) worker.terminate();
  }
}
