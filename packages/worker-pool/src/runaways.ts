// Tasks that were cancelled and continue to run. After `abortGrace` the pool ends their worker, as soon as that loses no other task.

import { setTimeout } from './timers.ts';
import type { Workers } from './workers.ts';
import type { PooledWorker } from './pooled-worker.ts';
import type { Settings } from './options.ts';
import type { Queue } from './queue.ts';
import type { Task } from './task.ts';

export class Runaways {
  readonly #settings: Settings;
  readonly #queue: Queue;
  readonly #workers: Workers;
  readonly #stuckMs: number;
  /** Workers that take no more tasks, and are ended when they run nothing else. */
  readonly #workers = new Set<PooledWorker>();

  /** `stuckMs`: after this many ms without a turn of its event loop, a worker counts as stuck. */
  constructor(settings: Settings, queue: Queue, workers: Workers, stuckMs: number) {
    this.#settings = settings;
    this.#queue = queue;
    this.#workers = workers;
    this.#stuckMs = stuckMs;
  }

  /** The worker runs the task, which was cancelled and told to stop. */
  watch(task: Task, worker: PooledWorker): void {
    const { abortGrace } = this.#settings;
    this.look();
    if (abortGrace !== Infinity) setTimeout(() => this.#endIfRunning(task, worker), abortGrace).unref();
  }

  /** Ends the workers that run nothing else: called after the end of a task, and when one was cancelled. */
  look(): void {
    for (const worker of this.#workers) this.lookAt(worker);
  }

  /** Acts only if `worker.isLeaveConfirmed`: before that the worker might still take another task. */
  lookAt(worker: PooledWorker): void {
    if (!this.#workers.has(worker) || !worker.isLeaveConfirmed) return;
    if (this.#queue.takenBy(worker.number).every(({ settled }) => settled)) worker.terminate();
  }

  /** The worker has ended. */
  forget(worker: PooledWorker): void {
    this.#workers.delete(worker);
  }

  #endIfRunning(task: Task, worker: PooledWorker): void {
    if (this.#workers.has(worker) || !this.#queue.isTakenBy(task, worker.number)) return;
    if (this.#settings.concurrentTasks === 1) {
      worker.terminate();
      return;
    }
    this.#workers.add(worker);
    this.#workers.retire(worker);
    setTimeout(() => this.#endIfStuck(worker), this.#stuckMs).unref();
    this.lookAt(worker);
  }

  /** Its other tasks cannot proceed, either. */
  #endIfStuck(worker: PooledWorker): void {
    if (this.#workers.has(worker) && !worker.isLeaveConfirmed) worker.terminate();
  }
}
