// The public class of a pool. Its core is pool-engine.ts.

import { refusePosting, setAlarm } from '@sluice/core/calls';
import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { PoolEngine } from './pool-engine.ts';
import { PoolClosedError } from '../api/errors.ts';
import { emitSafely, type PoolEvents } from '../api/events.ts';
import { checkInputs } from '../api/inputs.ts';
import { mapInputs } from '../calls/map.ts';
import { NamedTasks } from '../calls/named-tasks.ts';
import { readOptions, type WorkerPoolOptions } from '../api/options.ts';
import { rejected } from '../api/rejected.ts';
import { NO_RUN_OPTIONS, readCloseOptions, type CloseOptions, type RunOptions } from '../api/run-options.ts';
import { NO_SCOPE_OPTIONS, type ScopeOptions } from '../api/scope-options.ts';
import type { PoolStats } from '../api/stats.ts';
import { readStreamOptions, type StreamOptions } from '../api/stream-options.ts';
import { openScope, type TaskScope } from '../calls/task-scope.ts';
import { Outputs, type TaskStream } from '../calls/task-stream.ts';
import type { PoolTask } from '../tasks/pool-task.ts';

/** Its text is shown in the error of a structured clone. */
const NO_HANDLE = Symbol(
  'a worker pool cannot be posted to another thread: post the tasks to the thread that created it',
);

/**
 * A thread pool: worker threads that run the functions of a file, fed through shared memory.
 *
 * Workers take tasks in FIFO order. While the queue is full, calls of `run` wait in line. Each task runs at most once,
 * unless `retry` is set. A worker that dies is recovered and replaced.
 *
 * Each promise settles: with the result, with the error that the task threw, with the reason of its abort, with
 * `WorkerDiedError` if its worker died while it ran the task, or with `PoolClosedError`.
 *
 * ```ts
 * const pool = new WorkerPool<number, number>({ filename: new URL('./square.mjs', import.meta.url) });
 * console.log(await pool.run(7)); // 49
 * await pool.close();
 * ```
 */
export class WorkerPool<Input = unknown, Output = unknown> extends EventEmitter<PoolEvents> {
  readonly #engine: PoolEngine;
  #end: Promise<void> | undefined;

  /**
   * Starts the workers. If it throws, no worker keeps running. It also throws what `Worker` throws.
   *
   * @throws {TypeError} For options of a wrong type, and for a `filename` that does not exist.
   * @throws {RangeError} For a number out of range.
   * @throws {WorkerFileError} For a `workerUrl` that does not exist.
   * @throws {ArenaFullError} If the arena has no room for the pool's buffers.
   */
  constructor(options: WorkerPoolOptions) {
    super();
    refusePosting(this, NO_HANDLE);
    this.#engine = new PoolEngine(readOptions(options), emitSafely(this));
  }

  /** The live workers. */
  get threads(): readonly Worker[] {
    return this.#engine.threads;
  }

  /** The number of tasks that wait for a worker, including calls of `run` that wait in line. */
  get queueSize(): number {
    const { queued, waiting } = this.stats();
    return queued + waiting;
  }

  /**
   * Runs a task in a worker. Resolves with the result of its function. Waits in line while the queue is full.
   *
   * If the function throws, the task rejects with that error: its name, message, stack, cause and own properties. After
   * an abort the task rejects with `signal.reason`.
   *
   * @throws {TypeError} For options that are not valid.
   * @throws {TaskFileError} If the task's file cannot be loaded, or does not export the function.
   * @throws {WorkerDiedError} If the worker ended while it ran the task.
   * @throws {PoolClosedError} If the pool was closed or destroyed, or has failed.
   * @throws {WorkerFileError} If the file that the workers run cannot be found.
   * @throws {TimeoutError} If the task was not done within `timeout` ms.
   * @throws {DataCloneError} For an input or a result that cannot be sent.
   * @throws {RangeError} For an input or a result that is nested too deeply to be read, and for a negative `timeout`.
   */
  run(input: Input, options: RunOptions = NO_RUN_OPTIONS): Promise<Output> {
    try {
      return this.#begin(input, options);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /**
   * Runs a task as `run` does, unless the queue is full. Then it returns `undefined`, and no task was begun.
   *
   * Whether the queue is full or not, it throws for options that are not valid, for a signal that is already aborted,
   * and after the pool has ended.
   */
  tryRun(input: Input, options: RunOptions = NO_RUN_OPTIONS): Promise<Output> | undefined {
    const settings = this.#engine.check(options);
    return this.#engine.isFull ? undefined : (this.#engine.start(input, settings).promise as Promise<Output>);
  }

  /**
   * Runs a task for each input. Resolves with the results, in the order of the inputs.
   *
   * It reads an input only when the queue has room, so `inputs` may be endless and produced on demand. It rejects with
   * the first failure, with `signal.reason`, or with the pool's error if the pool ends before the inputs do. Then it
   * reads no further input, and tasks that have begun continue.
   */
  async map(inputs: Iterable<Input> | AsyncIterable<Input>, options: RunOptions = NO_RUN_OPTIONS): Promise<Output[]> {
    const { signal } = this.#engine.check(options);
    const host = {
      run: (input: Input) => this.run(input, options),
      room: () => this.#engine.room(),
      onEnd: (listener: (reason: unknown) => void) => this.#engine.onEnd(listener),
    };
    return mapInputs(inputs, host, signal);
  }

  /**
   * Runs a task for each input. Returns the outputs one by one, in the order of the inputs, for a `for await` loop:
   *
   * ```ts run
   * import { WorkerPool } from '@sluice/worker-pool';
   * import { isMainThread } from 'node:worker_threads';
   *
   * export default (n: number) => n * n;
   *
   * if (isMainThread) {
   *   const pool = new WorkerPool<number, number>({ filename: new URL(import.meta.url), size: 2 });
   *   for await (const square of pool.stream([1, 2, 3], { retry: 2 })) console.log(square); // 1, 4, 9
   *   await pool.close();
   * }
   * ```
   *
   * At most `concurrency` inputs are read whose outputs the loop has not taken. So `inputs` may be endless, and a slow
   * loop holds the inputs back. The first iteration begins.
   *
   * A failure of a task or of the inputs ends the loop with that error, after the outputs of all earlier inputs, as in
   * a loop that awaits `run` for each input. With `ordered: false` a task's failure ends it at once. An abort of
   * `signal` ends the loop with `signal.reason`. In each case, and if the loop is left, the remaining tasks are
   * cancelled and `return` of the inputs is called.
   *
   * @throws {TypeError} For options that are not valid, and for inputs that cannot be iterated.
   * @throws {RangeError} For a number out of range.
   * @throws {PoolClosedError} If the pool was closed or destroyed, or has failed.
   * @throws {WorkerFileError} If the file that the workers run cannot be found.
   */
  stream(inputs: Iterable<Input> | AsyncIterable<Input>, options: StreamOptions = {}): TaskStream<Output> {
    const { ordered, concurrency, run } = readStreamOptions(options, this.#engine.places);
    const { signal, ...settings } = this.#engine.check(run);
    checkInputs(inputs);
    // The stream has the signal, and cancels its tasks.
    const ofTask = { ...settings, signal: undefined };
    const host = {
      check: () => void this.#engine.check(NO_RUN_OPTIONS),
      start: (input: unknown) => this.#engine.start(input, ofTask),
      onEnd: (listener: (reason: unknown) => void) => this.#engine.onEnd(listener),
    };
    return new Outputs<Output>(inputs, host, { ordered, concurrency, signal });
  }

  /**
   * Calls `callback` with a scope, whose tasks end before the scope does. Resolves with what `callback` returns:
   *
   * ```ts run
   * import { WorkerPool } from '@sluice/worker-pool';
   * import { isMainThread } from 'node:worker_threads';
   *
   * export default (n: number) => n * n;
   *
   * if (isMainThread) {
   *   const pool = new WorkerPool<number, number>({ filename: new URL(import.meta.url), size: 2 });
   *   const both = await pool.scope((scope) => Promise.all([scope.run(3), scope.run(4)]), { timeout: 5000 });
   *   console.log(both); // [ 9, 16 ]
   *   await pool.close();
   * }
   * ```
   *
   * The first of these cancels the scope: a task that rejects, an error of `callback`, an abort of `signal`, and the
   * timeout. Then all its tasks are cancelled, later ones do not begin, and the scope rejects with that reason. When
   * `callback` has settled, the tasks that are left are cancelled.
   *
   * The promise settles when `callback` has settled and no worker runs a task of the scope. A task that ignores its
   * abort is ended after `abortGrace`. `callback` is not interrupted: pass `scope.signal` to what it awaits beside
   * tasks.
   *
   * @throws {TypeError} For options that are not valid, and for a callback that is not a function.
   * @throws {RangeError} For a negative `timeout`.
   * @throws {TimeoutError} If `callback` has not settled within `timeout` ms.
   * @throws {PoolClosedError} If the pool was closed or destroyed, or has failed.
   * @throws {WorkerFileError} If the file that the workers run cannot be found.
   */
  async scope<Result>(
    callback: (scope: TaskScope<Input, Output>) => Result | PromiseLike<Result>,
    options: ScopeOptions = NO_SCOPE_OPTIONS,
  ): Promise<Result> {
    this.#engine.check(NO_RUN_OPTIONS);
    const start = (input: unknown, ofTask: RunOptions): PoolTask =>
      this.#engine.start(input, this.#engine.check(ofTask));
    return openScope<Input, Output, Result>({ start }, callback, options).promise;
  }

  /** Returns a snapshot of the pool's counts and times. */
  stats(): PoolStats {
    return this.#engine.stats();
  }

  /**
   * Whether the queue is full: a new task would wait in line, and `tryRun` returns `undefined`. The event `drain` is
   * emitted when no task is left.
   */
  get needsDrain(): boolean {
    return this.#engine.isFull;
  }

  /**
   * Returns an object that runs the functions of a file by their names, with their types:
   *
   * ```ts
   * const tasks = pool.functions<typeof import('./tasks.js')>();
   * const small = await tasks.run('resize', image, { timeout: 500 }); // what `resize` returns
   * ```
   *
   * `options` apply to each `run`, beside its own options.
   */
  functions<Tasks>(options: Omit<RunOptions, 'name'> = NO_RUN_OPTIONS): NamedTasks<Tasks> {
    return new NamedTasks<Tasks>(this, options);
  }

  /**
   * Rejects all tasks that no worker has begun, with `reason` or an `AbortError`. They never begin. Running tasks
   * continue. Returns the number of rejected tasks.
   */
  cancelPending(
    reason: unknown = new DOMException('The task was cancelled before a worker had begun it.', 'AbortError'),
  ): number {
    return this.#engine.cancelPending(reason);
  }

  /**
   * Accepts no more tasks, waits until the accepted tasks are done, and ends the workers. May be called again with
   * other options.
   *
   * With `force`, the tasks that have not begun reject with `PoolClosedError`. After `timeout` ms the remaining tasks
   * are cut off, as by `destroy`.
   *
   * @throws {TypeError} For options that are not valid.
   * @throws {RangeError} For a negative `timeout`.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const { force, timeout } = readCloseOptions(options);
    this.#end ??= this.#engine.close();
    if (force)
      this.#engine.cancelPending(new PoolClosedError('The pool was closed before a worker had begun the task.'));
    const late = setAlarm(
      timeout,
      () =>
        void this.#engine.destroy(
          new PoolClosedError(`The timeout of close, ${timeout} ms, ran out before the task was done.`),
        ),
      true,
    );
    try {
      await this.#end;
    } finally {
      late?.stop();
    }
  }

  /** Terminates the workers at once. Unfinished tasks reject with `PoolClosedError`. */
  destroy(): Promise<void> {
    const ended = this.#engine.destroy();
    this.#end ??= ended;
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Returns one line for the console. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const { workers, queued, waiting, running, stopping } = this.stats();
    return `WorkerPool { workers: ${workers}, running: ${running}, stopping: ${stopping}, queued: ${queued}, waiting: ${waiting} }`;
  }

  #begin(input: Input, options: RunOptions): Promise<Output> {
    return this.#engine.start(input, this.#engine.check(options)).promise as Promise<Output>;
  }
}
