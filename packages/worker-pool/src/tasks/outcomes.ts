// Settles tasks: counts the task, settles its promise, and then emits `settled`. The order matters: when a listener
// runs, the task is counted and its promise is settled.

import type { Emit } from '../api/events.ts';
import { unpackFailure, type Failure } from '../messages/failure.ts';
import type { Stats } from '../api/stats.ts';
import type { PoolTask } from './pool-task.ts';
import { FAILED } from '../messages/wire.ts';

export class Outcomes {
  readonly #stats: Stats;
  readonly #emit: Emit;

  constructor(stats: Stats, emit: Emit) {
    this.#stats = stats;
    this.#emit = emit;
  }

  /**
   * Settles the task with the result that `read` returns. If `read` throws, the task rejects with that error. `flags`:
   * as in the result's head.
   */
  settle(task: PoolTask, flags: number, read: () => unknown): void {
    let value: unknown;
    try {
      value = flags === FAILED ? unpackFailure(read() as Failure) : read();
    } catch (failure) {
      this.reject(task, failure);
      return;
    }
    if (flags === FAILED) this.reject(task, value);
    else this.#resolve(task, value);
  }

  reject(task: PoolTask, reason: unknown): void {
    this.#stats.failed += 1;
    task.reject(reason);
    this.#emitSettled();
  }

  #resolve(task: PoolTask, value: unknown): void {
    this.#stats.completed += 1;
    task.resolve(value);
    this.#emitSettled();
  }

  #emitSettled(): void {
    const { completed, failed } = this.#stats;
    this.#emit('settled', { completed, failed });
  }
}
