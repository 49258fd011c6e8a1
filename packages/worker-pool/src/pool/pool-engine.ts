// The core of a pool: tasks go into one bounded buffer, from which all workers take. Results come back through another
// buffer.
//
// The pool always knows which worker has a task. A worker that takes a task writes its number into the task's slot
// (slot-table.ts). The task is taken when the buffer's count `popped` has passed it. So a dead worker had begun exactly
// the tasks that have its number, are taken, and have no result. All of this is in shared memory, so it survives the
// worker.
//
// INVARIANTS
//
//   1. An accepted task is in one place: in line for a slot, or in a slot until its end is known (pool-queue.ts).
//   2. Each task that has a slot is in the buffer, or is taken by a live worker, or its result is on its way. When a
//      worker ends, the tasks that it had taken are retried or rejected. A task that is cancelled in the buffer leaves
//      its slot at once. The worker that reaches its entry skips it (claims.ts).
//   3. Each promise settles. The end of the pool settles the remaining ones, and so does a failure of the pool itself
//      (#fail).
//   4. A fault of one task, such as a value that cannot be read or a failure that cannot be rebuilt, fails that task
//      alone.

import type { Worker } from 'node:worker_threads';
import { KeepAlive, portsRead } from './keep-alive.ts';
import { TaskCodec } from '../clone/task-codec.ts';
import { SharedMemories } from '../clone/shared-memories.ts';
import { Workers } from '../workers/workers.ts';
import { diedUnder, PoolClosedError, WorkerFileError, workersEndUnused } from '../api/errors.ts';
import type { Emit } from '../api/events.ts';
import type { PooledWorker } from '../workers/pooled-worker.ts';
import { makeMemory } from '../shared/memory.ts';
import { WAKE } from '../messages/messages.ts';
import type { Settings } from '../api/options.ts';
import { Outcomes } from '../tasks/outcomes.ts';
import { PoolQueue } from '../tasks/pool-queue.ts';
import { Results } from '../tasks/results.ts';
import { readRunOptions, type RunOptions, type RunSettings } from '../api/run-options.ts';
import { Runaways } from '../workers/runaways.ts';
import { Stats, type PoolStats } from '../api/stats.ts';
import { PoolTask } from '../tasks/pool-task.ts';
import { SKIPPED, type ResultHead } from '../messages/wire.ts';

/** The time that workers have to end after the last task, in ms. */
const END_MS = 1000;

export class PoolEngine {
  readonly #settings: Settings;
  readonly #queue: PoolQueue;
  readonly #workers: Workers;
  readonly #results: Results;
  readonly #codec: TaskCodec;
  readonly #stats = new Stats();
  readonly #emit: Emit;
  readonly #outcomes: Outcomes;
  readonly #giveUpOf = (task: PoolTask, why: (where: string) => unknown): void => this.#giveUp(task, why);
  readonly #runaways: Runaways;
  readonly #keepAlive = new KeepAlive();
  /** The reason why no more tasks are accepted. */
  #ended: Error | undefined;
  /** The reason why no more workers start. */
  #failed: Error | undefined;
  readonly #onEnd = new Set<(reason: unknown) => void>();
  #isCleared = false;
  /** The workers were terminated. */
  #isTerminated = false;

  /**
   * Starts the workers. If it throws `ArenaFullError` or an error of `Worker`, no memory and no worker stays in use.
   */
  constructor(settings: Settings, emit: Emit) {
    const { minWorkers, size, concurrentTasks, maxQueue } = settings;
    const slots = size * concurrentTasks + maxQueue;
    const memory = makeMemory(settings, slots);
    this.#settings = settings;
    this.#emit = emit;
    this.#outcomes = new Outcomes(this.#stats, emit);
    const memories = new SharedMemories([settings.arena.handle.memory], (learned) =>
      this.#workers.postToAll({ kind: 'arena', memory: learned }),
    );
    this.#codec = new TaskCodec(memories);
    this.#queue = new PoolQueue(memory, slots, size * concurrentTasks, this.#codec, {
      onIdle: () => this.#rest(),
      onRefused: (task, failure) => this.#outcomes.reject(task, failure),
      // A worker that has ended gets no message. Its end wakes another one.
      onWakeLeader: (worker) => this.#workers.find(worker)?.post(WAKE),
    });
    this.#results = new Results(memory, this.#codec, {
      onResult: (head, read) => this.#finish(head, read),
      onFailure: (failure) => this.#fail(failure),
    });
    this.#workers = new Workers(settings, memory, memories, END_MS, {
      demand: () => this.#queue.occupied,
      unbegun: () => this.#queue.unbegun,
      onLeaving: (worker) => this.#runaways.lookAt(worker),
      onWake: () => this.#results.receive(),
      onReady: ({ thread, identity }) => emit('workerStart', thread, identity),
      onFetch: (worker, slot) => this.#send(worker, slot),
      onResult: (head, read) => this.#finish(head, read),
      onForeign: (message) => emit('message', message),
      onLate: (worker) => this.#keepAlive.expectFrom(worker),
      onRead: (worker) => this.#keepAlive.expectNoMoreFrom(worker),
      onExit: (worker, exitCode) => void this.#handleExit(worker, exitCode),
      onGiveUp: (failure) => this.#giveUpWorkers(failure),
    });
    this.#runaways = new Runaways(settings, this.#queue, this.#workers, END_MS);
    try {
      this.#workers.start(minWorkers);
    } catch (failure) {
      void this.destroy();
      // Workers that have started may be about to use the memory. `destroy` frees it when they have ended.
      if (this.#workers.size === 0) this.#clear();
      throw failure;
    }
    this.#results.start();
  }

  get threads(): readonly Worker[] {
    return this.#workers.threads;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** How many tasks the workers can run at a time. */
  get places(): number {
    return this.#settings.size * this.#settings.concurrentTasks;
  }

  /** Throws if a task with these options cannot be accepted. */
  check(options: RunOptions): RunSettings {
    if (this.#ended !== undefined) throw this.#ended;
    return readRunOptions(options, this.#settings.filename);
  }

  /** Starts a task. Throws if the pool accepts no more tasks. */
  start(value: unknown, settings: RunSettings): PoolTask {
    if (this.#ended !== undefined) throw this.#ended;
    const task = new PoolTask(value, settings, this.#settings.retry);
    task.arm(this.#giveUpOf);
    this.#keepAlive.hold();
    try {
      this.#results.expect(this.#queue.occupied + 1);
      this.#queue.add(task);
      this.#workers.grow();
    } catch (failure) {
      if (!task.settled) this.#outcomes.reject(task, failure);
    }
    if (task.settled) this.#queue.rest();
    return task;
  }

  /** See `MapHost`. */
  room(): Promise<void> {
    return this.#queue.room();
  }

  /** See `MapHost`. */
  onEnd(listener: (reason: unknown) => void): () => void {
    this.#onEnd.add(listener);
    return () => void this.#onEnd.delete(listener);
  }

  stats(): PoolStats {
    const { completed, failed, replaced, waitTime, runTime } = this.#stats;
    const utilization = this.#stats.utilization(this.#settings.size);
    return {
      workers: this.#workers.size,
      ...this.#queue.counts,
      completed,
      failed,
      replaced,
      utilization,
      waitTime,
      runTime,
    };
  }

  async close(): Promise<void> {
    this.#shut(new PoolClosedError('The pool is closed and takes no more tasks.'));
    await this.#queue.idle();
    this.#queue.close();
    await this.#workers.end(END_MS);
    await portsRead();
    this.#clear();
  }

  /** Rejects the tasks that have not begun. Returns their number. */
  cancelPending(reason: unknown): number {
    if (this.#isCleared) return 0;
    const pending = this.#queue.takePending();
    for (const task of pending) this.#outcomes.reject(task, reason);
    this.#queue.rest();
    return pending.length;
  }

  /** Terminates the workers. Unfinished tasks reject with `why`. */
  async destroy(why = new PoolClosedError('The pool was destroyed before the task was done.')): Promise<void> {
    this.#isTerminated = true;
    this.#shut(new PoolClosedError('The pool was destroyed.'));
    this.#rejectAll(why);
    await this.#workers.terminate();
    this.#clear();
  }

  #shut(why: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#queue.shut();
    for (const listener of this.#onEnd) listener(why);
  }

  #clear(): void {
    this.#keepAlive.stop();
    if (this.#isCleared) return;
    this.#isCleared = true;
    this.#queue.close();
    this.#results.close();
    this.#queue.free();
  }

  /** Sends the value of a task that a worker has taken, if it is sent as a message. */
  #send(worker: PooledWorker, slot: number): void {
    const task = this.#queue.at(slot);
    if (task === undefined) return;
    try {
      const { transferList } = task.settings;
      worker.send(slot, this.#codec.toMessage(task.sent, transferList), transferList);
    } catch (failure) {
      if (!task.settled) this.#outcomes.reject(task, failure);
      worker.post({ kind: 'refused', slot });
    }
  }

  #finish({ slot, flags, began, ended }: ResultHead, read: () => unknown): void {
    const task = this.#queue.at(slot);
    if (task === undefined) return;
    this.#workers.noteWork();
    if (flags !== SKIPPED) this.#stats.note(task.called, began, ended);
    task.hasEnded = true;
    this.#queue.release(task);
    if (!task.settled) this.#outcomes.settle(task, flags, read);
    this.#queue.rest();
    this.#runaways.look();
  }

  #rest(): void {
    this.#keepAlive.rest();
    this.#emit('drain');
  }

  /** Cancels a task after an abort or a timeout. */
  #giveUp(task: PoolTask, why: (where: string) => unknown): void {
    if (task.settled) return;
    const { slot } = task;
    const isOut = slot < 0 || this.#queue.withdraw(task);
    if (slot < 0) this.#queue.forget();
    if (isOut) {
      this.#outcomes.reject(task, why('no worker had begun it, and none will'));
      this.#queue.rest();
      return;
    }
    const worker = this.#workers.find(this.#queue.stop(task));
    this.#outcomes.reject(
      task,
      why(
        worker === undefined
          ? 'no worker will begin it'
          : `worker ${worker.number} (thread ${worker.threadId}) runs it and is told to stop`,
      ),
    );
    if (worker === undefined) return;
    worker.post({ kind: 'abort', slot });
    this.#runaways.watch(task, worker);
  }

  /** Handles the end of a worker: waits for its last results, then retries or rejects the tasks that it had begun. */
  async #handleExit(worker: PooledWorker, exitCode: number): Promise<void> {
    this.#runaways.forget(worker);
    this.#keepAlive.expectNoMoreFrom(worker);
    const isDead = exitCode !== 0 || (this.#ended === undefined && !worker.isLeaving);
    if (!this.#isTerminated && isDead) this.#stats.replaced += 1;
    try {
      await this.#results.caughtUp();
      this.#emit('workerExit', worker.thread, exitCode, worker.failure, worker.identity);
      for (const task of this.#queue.takenBy(worker.number)) this.#interrupted(task, worker, exitCode);
      this.#queue.wakeAnother(worker.number);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  #interrupted(task: PoolTask, worker: PooledWorker, exitCode: number): void {
    if (!task.settled && task.retries > 0 && task.settings.transferList.length === 0) {
      task.retries -= 1;
      this.#queue.addAgain(task);
      this.#workers.grow();
      return;
    }
    task.hasEnded = true;
    this.#queue.release(task);
    if (!task.settled)
      this.#outcomes.reject(
        task,
        diedUnder(`worker ${worker.number}, thread ${worker.threadId}`, exitCode, worker.failure, task.label),
      );
    // Last, as in `#finish`: all tasks are counted before `drain` is emitted.
    this.#queue.rest();
  }

  /**
   * Records that no more workers start. Live workers run the accepted tasks. When no worker is left, the remaining
   * tasks reject.
   */
  #giveUpWorkers(failure: unknown): void {
    this.#failed ??= failure instanceof WorkerFileError ? failure : workersEndUnused(failure);
    this.#shut(this.#failed);
    if (this.#workers.size === 0) void this.#rejectUnended(this.#failed);
  }

  /** Rejects the remaining tasks, after the last results have been handled. */
  async #rejectUnended(reason: unknown): Promise<void> {
    await this.#results.caughtUp();
    this.#rejectAll(reason);
  }

  /** Ends a pool that cannot continue. */
  #fail(failure: unknown): void {
    if (this.#isCleared) return;
    this.#isTerminated = true;
    this.#shut(new PoolClosedError('The pool has failed and runs no more tasks.', { cause: failure }));
    this.#rejectAll(new PoolClosedError('The pool failed before the task was done.', { cause: failure }));
    void this.#workers.terminate();
  }

  #rejectAll(reason: unknown): void {
    this.#queue.clear((task) => this.#outcomes.reject(task, reason));
  }
}
