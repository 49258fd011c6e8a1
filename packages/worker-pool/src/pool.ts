// What users see of a pool. What moves it: engine.ts.

import { refusePosting, setAlarm } from '@sluice/core/internal';
import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { Engine } from './engine.ts';
import { PoolClosedError } from './errors.ts';
import { tellSafely, type PoolEvents } from './events.ts';
import { mapInputs } from './map.ts';
import { NamedTasks } from './named-tasks.ts';
import { readOptions, type WorkerPoolOptions } from './options.ts';
import { NO_OPTIONS, readCloseOptions, type CloseOptions, type RunOptions } from './run-options.ts';
import type { PoolStats } from './stats.ts';

/** In the error of a structured clone. */
const NO_HANDLE = Symbol('a worker pool cannot be posted to another thread: post the tasks to the thread that made it');

/**
 * Worker threads that run the functions of a file, fed through shared memory.
 *
 * Promises: workers take tasks first come, first served. When the queue is full `run` waits, in line. Each task runs at most once, unless
 * `retry` says otherwise, and each promise settles: with the result, with what the task threw, with the reason of its abort, with
 * `WorkerDiedError` when its worker ended under it, with `PoolClosedError`. A worker that dies is recovered and replaced.
 *
 * ```ts
 * const pool = new WorkerPool<number, number>({ filename: new URL('./square.mjs', import.meta.url) });
 * console.log(await pool.run(7)); // 49
 * await pool.close();
 * ```
 */
export class WorkerPool<Input = unknown, Output = unknown> extends EventEmitter<PoolEvents> {
  readonly #engine: Engine;
  #end: Promise<void> | undefined;

  /** Starts the workers. Throws `TypeError`, `RangeError`, `ArenaFullError`, and what `Worker` throws; then none goes on. */
  constructor(options: WorkerPoolOptions) {
    super();
    refusePosting(this, NO_HANDLE);
    this.#engine = new Engine(readOptions(options), tellSafely(this));
  }

  /** The workers that live. */
  get threads(): readonly Worker[] {
    return this.#engine.threads;
  }

  /** Tasks that wait for a worker, calls of `run` that wait for a place among them included. */
  get queueSize(): number {
    const { queued, waiting } = this.stats();
    return queued + waiting;
  }

  /**
   * Runs the task in a worker: resolves with what its function returns. Waits, in line, while the queue is full. Rejects with what the
   * function throws (name, message, stack, cause and own properties), `TaskFileError`, `WorkerDiedError`, `PoolClosedError`,
   * `TimeoutError`, `signal.reason`, `DataCloneError` for a task or a result that cannot be sent, `RangeError` for one that is nested
   * too deep to be read.
   */
  run(input: Input, options: RunOptions = NO_OPTIONS): Promise<Output> {
    try {
      return this.#begin(input, options);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /**
   * As `run`, or `undefined` when the queue is full: then nothing was begun. Throws, full or not, for options that are none, for a
   * signal that is aborted already, and after the end.
   */
  tryRun(input: Input, options: RunOptions = NO_OPTIONS): Promise<Output> | undefined {
    const settings = this.#engine.check(options);
    return this.#engine.isFull ? undefined : (this.#engine.begin(input, settings) as Promise<Output>);
  }

  /**
   * The results of all tasks, in their order. No more are begun than the queue takes, so `inputs` may be endless work that is made as
   * it goes. Rejects with the first failure, with `signal.reason`, or when the pool ends before the inputs do; the tasks that have
   * begun then go on, and no further ones begin.
   */
  async map(inputs: Iterable<Input> | AsyncIterable<Input>, options: RunOptions = NO_OPTIONS): Promise<Output[]> {
    const { signal } = this.#engine.check(options);
    const host = {
      run: (input: Input) => this.run(input, options),
      room: () => this.#engine.room(),
      onEnd: (told: (reason: unknown) => void) => this.#engine.onEnd(told),
    };
    return mapInputs(inputs, host, signal);
  }

  /** A snapshot. */
  stats(): PoolStats {
    return this.#engine.stats();
  }

  /** Whether a task submitted now has to wait in line: then `tryRun` returns `undefined`. The event `drain` comes when no task is left. */
  get needsDrain(): boolean {
    return this.#engine.isFull;
  }

  /**
   * The functions of a file by their names, with their types:
   *
   * ```ts
   * const tasks = pool.functions<typeof import('./tasks.js')>();
   * const small = await tasks.run('resize', image, { timeout: 500 }); // what `resize` returns
   * ```
   *
   * `options` are those of each `run`, beside its own.
   */
  functions<Tasks>(options: Omit<RunOptions, 'name'> = NO_OPTIONS): NamedTasks<Tasks> {
    return new NamedTasks<Tasks>(this, options);
  }

  /**
   * Rejects all tasks that no worker has begun, with `reason` or an `AbortError`, never begins them, and returns how many. What runs
   * goes on.
   */
  cancelPending(reason: unknown = new DOMException('The task was cancelled before a worker had begun it.', 'AbortError')): number {
    return this.#engine.cancelPending(reason);
  }

  /**
   * Takes no more tasks, waits until those that were accepted are done, and ends the workers. With `force` those that have not begun reject
   * with `PoolClosedError`. What is not done after `timeout` ms is cut off, as by `destroy`. May be called again with other options.
   */
  async close(options: CloseOptions = NO_OPTIONS): Promise<void> {
    const { force, timeout } = readCloseOptions(options);
    this.#end ??= this.#engine.close();
    if (force) this.#engine.cancelPending(new PoolClosedError('The pool was closed before a worker had begun the task.'));
    const late = setAlarm(timeout, () => void this.#engine.destroy(new PoolClosedError(`The timeout of close, ${timeout} ms, ran out before the task was done.`)), true);
    try {
      await this.#end;
    } finally {
      late?.stop();
    }
  }

  /** Ends the workers at once: tasks that are not done reject with `PoolClosedError`. */
  destroy(): Promise<void> {
    const ended = this.#engine.destroy();
    this.#end ??= ended;
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** One line. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const { workers, queued, waiting, running } = this.stats();
    return `WorkerPool { workers: ${workers}, running: ${running}, queued: ${queued}, waiting: ${waiting} }`;
  }

  #begin(input: Input, options: RunOptions): Promise<Output> {
    return this.#engine.begin(input, this.#engine.check(options)) as Promise<Output>;
  }
}

/** With whatever it is: the reason of an abort need be no Error. */
async function rejected(reason: unknown): Promise<never> {
  await Promise.resolve();
  throw reason;
}
