// The pool: tasks go into one bounded buffer, which all workers take from; results come back through another.
//
// Who has a task is never in doubt. A worker writes its number beside the task in the moment in which it takes it (board.ts), and a task
// is taken when the count `popped` of the buffer has passed it. So when a worker dies the pool knows which tasks it had begun: those
// that bear its number, are taken, and have no result. Nothing of that is lost with the worker, as it all lies in shared memory.
//
// INVARIANTS
//
//   1. A task that was accepted is in one place: in line for a slot (#waiting), or in a slot (#slots) until its end is known.
//   2. Each task that has a slot lies in the buffer, or is taken by a worker that lives, or its result is on its way. The end of a
//      worker moves those that it had taken: to their retry, or to their rejection.
//   3. No promise stays open: the end of the pool settles what is left.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode, Region } from '@sluice/core';
import { EventEmitter } from 'node:events';
import { nextTick } from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Board } from './board.ts';
import { Crew, type Hand } from './crew.ts';
import { PoolClosedError, WorkerDiedError } from './errors.ts';
import { unpackFailure, type Failure } from './failure.ts';
import { NO_OPTIONS, readOptions, readRunOptions, type RunOptions, type Settings, type WorkerPoolOptions } from './options.ts';
import { Line } from './line.ts';
import { Stats, type PoolStats } from './stats.ts';
import { Task } from './task.ts';
import { ELSEWHERE, FAILED, packTask, packTaskStub, SKIPPED, unpackResult } from './wire.ts';
import type { FromWorker } from './worker.ts';

export interface PoolEvents {
  /** A worker has started, or has ended. */
  workerStart: [worker: Worker];
  workerExit: [worker: Worker, exitCode: number];
  /** A task has come to its end, in whatever way: for progress bars. */
  settled: [stats: { readonly completed: number; readonly failed: number }];
  /** No task is left. */
  drain: [];
  /** A message that a task's file sent to its `parentPort`. */
  message: [message: unknown];
}

/** After the last task workers may take so long to come to their end, in ms. */
const END_MS = 1000;
/** So long results are handled without a turn of the event loop, in ms. */
const BUSY_MS = 5;
/** The smallest task in the buffer, with the word before it. */
const LEAST_TASK_BYTES = 12;

/**
 * Worker threads that run the functions of a file, fed through shared memory.
 *
 * Promises: tasks begin first come, first served. When the queue is full `run` waits, in line. Each task runs at most once, unless
 * `retry` says otherwise, and each promise settles: with the result, with what the task threw, with the reason of its abort, with
 * `WorkerDiedError` when its worker ended under it, with `PoolClosedError`. A worker that dies is recovered and replaced; the abort of
 * a task never ends a worker that runs others beside it.
 *
 * ```ts
 * const pool = new WorkerPool<number, number>({ filename: new URL('./square.mjs', import.meta.url) });
 * console.log(await pool.run(7)); // 49
 * await pool.close();
 * ```
 */
export class WorkerPool<Input = unknown, Output = unknown> extends EventEmitter<PoolEvents> {
  readonly #settings: Settings;
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #results: BoundedBuffer<Uint8Array>;
  readonly #board: Board;
  readonly #crew: Crew;
  readonly #stats = new Stats();
  /** By slot; `undefined`: free. */
  readonly #slots: (Task | undefined)[];
  readonly #free: number[];
  readonly #waiting = new Line();
  readonly #giveUpOf = (task: Task, reason: unknown): void => this.#giveUp(task, reason);
  #pushed = 0;
  /** Keeps the process alive while tasks are under way. */
  readonly #alive = setInterval(() => undefined, 2 ** 30).unref();
  #ended: PoolClosedError | undefined;
  #end: Promise<void> | undefined;
  #isCleared = false;
  #isDestroyed = false;
  /** Results that came through the buffer, modulo 2^32. */
  #received = 0;
  /** Calls of `map` that wait until nobody stands in line. */
  #roomers: (() => void)[] = [];
  #broken: Error | undefined;

  /** Starts the workers. Throws `TypeError`, `RangeError`, `ArenaFullError`; then none was started. */
  constructor(options: WorkerPoolOptions) {
    super();
    const settings = readOptions(options);
    const { size, concurrentTasks, maxQueue, bufferBytes, arena } = settings;
    const slots = size * concurrentTasks + maxQueue;
    this.#settings = settings;
    this.#slots = Array.from({ length: slots });
    this.#free = Array.from({ length: slots }, (_, slot) => slots - 1 - slot);
    this.#tasks = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: bufferBytes + slots * LEAST_TASK_BYTES, name: 'tasks' });
    this.#results = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: bufferBytes, name: 'results' });
    this.#board = new Board(Region.create(2 * 4 * slots, { arena, name: 'tasks taken' }), slots);
    this.#crew = new Crew(settings, this.#tasks, this.#results, this.#board, {
      onMessage: (hand, message) => this.#hear(hand, message),
      onForeign: (message) => this.#tell('message', message),
      onStart: ({ thread }) => this.#tell('workerStart', thread),
      onExit: (hand, exitCode) => void this.#lose(hand, exitCode),
      onStillborn: (failure) => this.#break(failure),
    });
    try {
      this.#crew.start(size);
    } catch (failure) {
      void this.#crew.terminate();
      this.#clear();
      this.#results.free();
      throw failure;
    }
    void this.#collect();
  }

  /** The workers that live. */
  get threads(): readonly Worker[] {
    return this.#crew.threads;
  }

  /** Tasks that wait for a worker, calls of `run` that wait for a place among them included. */
  get queueSize(): number {
    const { queued, waiting } = this.stats();
    return queued + waiting;
  }

  /**
   * Runs the task in a worker: resolves with what its function returns. Waits, in line, while the queue is full. Rejects with what the
   * function throws (name, message, stack, cause and own properties), `TaskFileError`, `WorkerDiedError`, `PoolClosedError`,
   * `TimeoutError`, `signal.reason`, `DataCloneError` for a task or a result that cannot be sent.
   */
  run(input: Input, options: RunOptions = NO_OPTIONS): Promise<Output> {
    try {
      return this.#begin(input, options);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /** As `run`, or `undefined` when the queue is full: then nothing was begun. Throws for options that are none, and after the end. */
  tryRun(input: Input, options: RunOptions = NO_OPTIONS): Promise<Output> | undefined {
    if (this.#free.length === 0 || this.#waiting.length > 0) return undefined;
    return this.#begin(input, options);
  }

  /**
   * The results of all tasks, in their order. No more are begun than the queue takes, so `inputs` may be endless work that is made as
   * it goes. Rejects with the first failure; the tasks that have begun then go on, and no further ones begin.
   */
  async map(inputs: Iterable<Input> | AsyncIterable<Input>, options: RunOptions = NO_OPTIONS): Promise<Output[]> {
    const results: Promise<Output>[] = [];
    const iterator = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
    let fail: (reason: unknown) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => (fail = reject));
    failed.catch(() => undefined);
    try {
      for (;;) {
        const step = await Promise.race([failed, iterator.next()]);
        if (step.done === true) return await Promise.all(results);
        const result = this.run(step.value, options);
        result.catch(fail);
        results.push(result);
        await Promise.race([failed, this.#room()]);
      }
    } catch (failure) {
      // Not waited for: it may be the one that never comes.
      void Promise.resolve(iterator.return?.()).catch(() => undefined);
      throw failure;
    }
  }

  /** A snapshot. */
  stats(): PoolStats {
    const { completed, failed, replaced, waitTime, runTime } = this.#stats;
    // Once the pool has ended there is no buffer any more.
    const queued = this.#isCleared ? 0 : this.#tasks.length;
    const running = this.#slots.length - this.#free.length - queued;
    const workers = this.#crew.size;
    const utilization = this.#stats.utilization(this.#settings.size);
    return { workers, queued, waiting: this.#waiting.length, running, completed, failed, replaced, utilization, waitTime, runTime };
  }

  /** Takes no more tasks, waits until those that were accepted are done, and ends the workers. */
  close(): Promise<void> {
    this.#end ??= this.#close();
    return this.#end;
  }

  /** Ends the workers at once: tasks that are not done reject with `PoolClosedError`. */
  destroy(): Promise<void> {
    const ended = this.#destroy();
    this.#end ??= ended;
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #begin(input: Input, options: RunOptions): Promise<Output> {
    const task = this.#accept(input, options);
    if (this.#waiting.length > 0 || !this.#dispatch(task)) this.#waiting.add(task);
    return task.promise as Promise<Output>;
  }

  #accept(input: Input, options: RunOptions): Task {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#broken !== undefined) throw this.#broken;
    const task = new Task(input, readRunOptions(options, this.#settings), this.#settings.retry);
    task.arm(this.#giveUpOf);
    this.#alive.ref();
    return task;
  }

  /** Puts a task into the buffer, if a slot is free. */
  #dispatch(task: Task): boolean {
    const slot = this.#free.pop();
    if (slot === undefined) return false;
    this.#board.clear(slot);
    task.slot = slot;
    this.#slots[slot] = task;
    this.#put(task);
    return true;
  }

  #put(task: Task): void {
    const flags = task.settings.file === undefined ? 0 : ELSEWHERE;
    const packed = task.settings.transferList.length === 0 ? tryPack(task.slot, flags, sentOf(task)) : undefined;
    // What only a message can carry the worker asks for: then the message is sent, and what cannot be sent rejects (#post).
    const sent = packed !== undefined && this.#tryPush(packed);
    if (!sent) this.#tasks.push(packTaskStub(task.slot, flags)); // never waits: there is room for it (#tryPush)
    task.order = this.#pushed;
    this.#pushed = (this.#pushed + 1) >>> 0;
  }

  /** `false`: it is too long for what is free, with room left for the shortest form of all others that may come, or come again. */
  #tryPush(packed: Uint8Array): boolean {
    const left = this.#tasks.room - (this.#slots.length - this.#tasks.length) * LEAST_TASK_BYTES;
    return packed.length <= left && this.#tasks.tryPush(packed);
  }

  #hear(hand: Hand, message: FromWorker): void {
    if (message.kind === 'fetch') this.#post(hand, message.slot);
    if (message.kind !== 'result') return;
    const { slot, flags, value, began, ended } = message;
    this.#finish(slot, flags, value, began, ended);
  }

  #post(hand: Hand, slot: number): void {
    const task = this.#slots[slot];
    if (task === undefined) return;
    try {
      this.#crew.tell(hand, { kind: 'task', slot, value: sentOf(task) }, task.settings.transferList);
    } catch (failure) {
      if (!task.settled) this.#reject(task, failure);
      this.#crew.tell(hand, { kind: 'refused', slot });
    }
  }

  /** Handles results as they come, until the end of the pool. */
  async #collect(): Promise<void> {
    let turned = performance.now();
    try {
      for (;;) {
        for (const bytes of await this.#results.popManyAsync(Infinity, { ref: false })) this.#receive(bytes);
        if (performance.now() - turned < BUSY_MS) continue;
        await turn();
        turned = performance.now();
      }
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      this.#results.free();
    }
  }

  #receive(bytes: Uint8Array): void {
    this.#received = (this.#received + 1) >>> 0;
    const { slot, flags, value, began, ended } = unpackResult(bytes);
    this.#finish(slot, flags, value, began, ended);
  }

  #finish(slot: number, flags: number, value: unknown, began: number, ended: number): void {
    const task = this.#slots[slot];
    if (task === undefined) return;
    if (flags !== SKIPPED) this.#stats.note(task.called, began, ended);
    if (!task.settled && flags === FAILED) this.#reject(task, unpackFailure(value as Failure));
    else if (!task.settled) {
      this.#stats.completed += 1;
      task.resolve(value);
      this.#tellSettled();
    }
    this.#release(task);
  }

  /** Its end is known: its slot is the next one's. */
  #release(task: Task): void {
    this.#slots[task.slot] = undefined;
    this.#free.push(task.slot);
    task.slot = -1;
    const next = this.#waiting.take();
    if (next !== undefined) this.#dispatch(next);
    if (this.#waiting.length === 0) for (const go of this.#roomers.splice(0)) go();
    this.#rest();
  }

  #rest(): void {
    if (this.#free.length < this.#slots.length || this.#waiting.length > 0) return;
    this.#alive.unref();
    this.#tell('drain');
  }

  #reject(task: Task, reason: unknown): void {
    this.#stats.failed += 1;
    task.reject(reason);
    this.#tellSettled();
  }

  #tellSettled(): void {
    if (this.listenerCount('settled') === 0) return;
    const { completed, failed } = this.#stats;
    this.#tell('settled', { completed, failed });
  }

  /** What a listener throws is uncaught, and nothing of the pool's. */
  #tell<Name extends keyof PoolEvents>(name: Name, ...values: PoolEvents[Name]): void {
    try {
      (this as EventEmitter).emit(name, ...(values as unknown[]));
    } catch (failure) {
      nextTick(() => {
        throw failure;
      });
    }
  }

  /** An abort, or a timeout. */
  #giveUp(task: Task, reason: unknown): void {
    if (task.settled) return;
    this.#reject(task, reason);
    const { slot } = task;
    if (slot < 0) {
      this.#waiting.forget();
      this.#rest();
      return;
    }
    this.#board.stop(slot);
    const hand = this.#crew.find(this.#board.takenBy(slot));
    // A worker that takes it from here on sees that nobody waits for it.
    if (hand === undefined) return;
    this.#crew.tell(hand, { kind: 'abort', slot });
    const { abortGrace, concurrentTasks } = this.#settings;
    if (concurrentTasks > 1 || abortGrace === Infinity) return;
    setTimeout(() => this.#endIfRunning(task, slot, hand), abortGrace).unref();
  }

  #endIfRunning(task: Task, slot: number, hand: Hand): void {
    if (this.#slots[slot] === task && this.#isTakenBy(task, hand)) void hand.thread.terminate();
  }

  #isTakenBy({ slot, order }: Task, { number }: Hand): boolean {
    // Whether the count has passed it, across its wrap.
    return this.#board.takenBy(slot) === number && ((this.#tasks.popped - order) | 0) > 0;
  }

  /** A worker has ended: its last results are waited for, then comes what it had begun. */
  async #lose(hand: Hand, exitCode: number): Promise<void> {
    if (!this.#isDestroyed && (this.#ended === undefined || exitCode !== 0)) this.#stats.replaced += 1;
    const { pushed } = this.#results;
    while (!this.#isCleared && ((pushed - this.#received) | 0) > 0) await turn();
    this.#tell('workerExit', hand.thread, exitCode);
    if (this.#isCleared) return;
    for (const task of [...this.#slots]) if (task !== undefined && this.#isTakenBy(task, hand)) this.#interrupted(task, hand, exitCode);
  }

  #interrupted(task: Task, hand: Hand, exitCode: number): void {
    if (!task.settled && task.retries > 0 && task.settings.transferList.length === 0) {
      task.retries -= 1;
      this.#board.clear(task.slot);
      this.#put(task);
      return;
    }
    if (!task.settled) this.#reject(task, diedUnder(hand, exitCode));
    // Last, as in `#finish`: at `drain` all are counted.
    this.#release(task);
  }

  /** Workers do not start any more. */
  #break(failure: unknown): void {
    this.#broken ??= new WorkerDiedError('Workers end before they are ready: the pool runs no more tasks.', 1, { cause: failure });
    if (this.#crew.size === 0) this.#rejectAll(this.#broken);
  }

  #rejectAll(reason: unknown): void {
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) this.#reject(next, reason);
    for (const task of [...this.#slots]) {
      if (task === undefined) continue;
      if (!task.settled) this.#reject(task, reason);
      this.#release(task);
    }
  }

  async #close(): Promise<void> {
    this.#ended ??= new PoolClosedError('The pool is closed and takes no more tasks.');
    while (this.#free.length < this.#slots.length || this.#waiting.length > 0) await new Promise((resolve) => this.once('drain', () => resolve(undefined)));
    this.#tasks.close();
    await this.#crew.end(END_MS);
    this.#clear();
  }

  async #destroy(): Promise<void> {
    this.#isDestroyed = true;
    this.#ended ??= new PoolClosedError('The pool was destroyed.');
    this.#rejectAll(new PoolClosedError('The pool was destroyed before the task was done.'));
    await this.#crew.terminate();
    this.#clear();
  }

  #clear(): void {
    clearInterval(this.#alive);
    if (this.#isCleared) return;
    this.#isCleared = true;
    this.#tasks.close();
    this.#results.close();
    this.#tasks.free();
    this.#board.free();
  }

  /** Resolves when a task could be accepted without waiting, or the pool has ended. */
  async #room(): Promise<void> {
    while (this.#waiting.length > 0 && this.#ended === undefined) await new Promise<void>((resolve) => this.#roomers.push(resolve));
  }
}

/** With whatever it is: the reason of an abort need be no Error. */
async function rejected(reason: unknown): Promise<never> {
  await Promise.resolve();
  throw reason;
}

function diedUnder({ failure }: Hand, exitCode: number): WorkerDiedError {
  const how = failure instanceof Error ? `: ${failure.message}` : '';
  const options = failure === undefined ? {} : { cause: failure };
  return new WorkerDiedError(`The worker ended with exit code ${exitCode} while it ran the task${how}.`, exitCode, options);
}

function sentOf({ value, settings: { file } }: Task): unknown {
  return file === undefined ? value : [...file, value];
}

function tryPack(slot: number, flags: number, value: unknown): Uint8Array | undefined {
  try {
    return packTask(slot, flags, value);
  } catch {
    return undefined;
  }
}
