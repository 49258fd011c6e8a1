// The workers of a pool: starts them, replaces them when they die, ends them.
//
// A worker takes no task before its file is loaded. Workers beyond `minWorkers` start when there are more tasks than
// the workers can run, and end after an idle time.
//
// The pool gives up after several workers in a row that ended
//
//   before their file was loaded                              `#failedStarts`
//   without having begun a task, while tasks waited           `#unusedInNeed`
//
// So a task waits for a bounded number of workers. After several workers in a row that ended without having begun a
// task (`#unused`), whether or not tasks waited, the next start is delayed, longer each time.

import { clearTimeout, setTimeout } from '../platform/timers.ts';
import type { Worker } from 'node:worker_threads';
import type { SharedMemories } from '../clone/shared-memories.ts';
import { WorkerFileError } from '../api/errors.ts';
import { PooledWorker, type PooledWorkerEvents } from './pooled-worker.ts';
import type { Memory } from '../shared/memory.ts';
import type { ToWorker } from '../messages/messages.ts';
import type { Settings } from '../api/options.ts';
import { startFailure } from './worker-file.ts';

/** The pool gives up after `size` and this many more workers in a row. */
const MAX_FAILURES = 3;
/**
 * The delay before the third unused worker in a row is replaced, in ms. It doubles for each further one, up to
 * `LONGEST_PAUSE_MS`.
 */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

const STREAMS = ['stdout', 'stderr'] as const;

export interface WorkersEvents extends Omit<PooledWorkerEvents, 'onIdle' | 'onLeft'> {
  /** The number of tasks that have slots. */
  demand(): number;
  /** The number of tasks that no worker has begun. */
  unbegun(): number;
  /**
   * No more workers start. Called once then, and again at the end of each later worker. `failure`: that of the last
   * worker.
   */
  onGiveUp(failure: unknown): void;
}

export class Workers {
  readonly #settings: Settings;
  readonly #memory: Memory;
  readonly #memories: SharedMemories;
  readonly #events: WorkersEvents;
  readonly #workerEvents: PooledWorkerEvents;
  readonly #workers = new Map<number, PooledWorker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #numbers = 0;
  #failedStarts = 0;
  #unusedInNeed = 0;
  #unused = 0;
  /** The number of live workers that take no more tasks, or were asked to leave. */
  #leaving = 0;
  #isEnding = false;
  #hasGivenUp = false;
  /** Whether any worker has loaded its file. */
  #isFileThere = false;

  /** `graceMs`: how long a worker without tasks may take to end. */
  constructor(settings: Settings, memory: Memory, memories: SharedMemories, graceMs: number, events: WorkersEvents) {
    this.#settings = settings;
    this.#memory = memory;
    this.#memories = memories;
    this.#events = events;
    this.#workerEvents = {
      ...events,
      onReady: (worker) => this.#handleReady(worker),
      onIdle: (worker) => this.#answerIdle(worker),
      onLeaving: (worker) => this.#handleLeaving(worker),
      onLeft: (worker) => setTimeout(() => worker.terminate(), graceMs).unref(),
      onExit: (worker, exitCode) => this.#handleExit(worker, exitCode),
    };
  }

  get size(): number {
    return this.#workers.size;
  }

  get threads(): Worker[] {
    return [...this.#workers.values()].map(({ thread }) => thread);
  }

  /**
   * Starts `count` workers. If it throws what `Worker` throws, the caller must terminate the workers that have started.
   */
  start(count: number): void {
    for (let n = 0; n < count; n++) this.#add();
  }

  /** Starts one more worker if there are more tasks than the workers can run, and fewer than `size` workers. */
  grow(): void {
    if (this.#settings.minWorkers < this.#settings.size && this.#isWanted()) this.#tryAdd();
  }

  /** Asks the worker to take no more tasks and end. Another worker takes its place if one is needed. */
  retire(worker: PooledWorker): void {
    this.#markLeaving(worker);
    worker.post({ kind: 'leave' });
  }

  #markLeaving(worker: PooledWorker): void {
    if (worker.isLeaving) return;
    worker.isLeaving = true;
    this.#leaving += 1;
    if (this.#isWanted()) this.#tryAdd();
  }

  #handleLeaving(worker: PooledWorker): void {
    this.#markLeaving(worker);
    this.#events.onLeaving(worker);
  }

  /** Answers an idle worker. It may end if at least `minWorkers` others remain, and they are enough for the demand. */
  #answerIdle(worker: PooledWorker): void {
    const { minWorkers, concurrentTasks } = this.#settings;
    const others = this.#takingCount - 1;
    if (!this.#isEnding && others >= minWorkers && others * concurrentTasks >= this.#events.demand())
      this.retire(worker);
    else worker.post({ kind: 'stay' });
  }

  /** The number of workers that take tasks, or will. */
  get #takingCount(): number {
    return this.#workers.size - this.#leaving + this.#pauses.size;
  }

  #isWanted(): boolean {
    if (this.#isEnding || this.#hasGivenUp) return false;
    const { minWorkers, size, concurrentTasks } = this.#settings;
    const workers = this.#takingCount;
    return workers < minWorkers || (workers < size && workers * concurrentTasks < this.#events.demand());
  }

  find(number: number): PooledWorker | undefined {
    return this.#workers.get(number);
  }

  postToAll(message: ToWorker): void {
    for (const worker of this.#workers.values()) worker.post(message);
  }

  /** A task has ended. */
  noteWork(): void {
    this.#unusedInNeed = 0;
    this.#unused = 0;
  }

  /**
   * Waits until all workers have ended. After `graceMs` the remaining workers are terminated. Call it after the tasks
   * are closed.
   */
  async end(graceMs: number): Promise<void> {
    this.#stop();
    // Not `once` of node:events: it rejects if the worker ends with an error.
    const exits = this.threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)));
    const late = setTimeout(() => void this.terminate(), graceMs);
    for (const thread of this.threads) thread.ref();
    await Promise.all(exits);
    clearTimeout(late);
  }

  async terminate(): Promise<void> {
    this.#stop();
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }

  /** From here on no worker is replaced. */
  #stop(): void {
    this.#isEnding = true;
    this.#clearPauses();
  }

  #clearPauses(): void {
    for (const pause of this.#pauses) clearTimeout(pause);
    this.#pauses.clear();
  }

  #add(): void {
    const { filename, name, concurrentTasks, atomics, idleTimeout, maxTasks, maxHeap, bufferBytes, thread } =
      this.#settings;
    const { tasks, results, slotTable } = this.#memory;
    const start = {
      number: (this.#numbers += 1),
      tasks: tasks.handle,
      results: results.handle,
      slotTable: slotTable.handle,
      memories: this.#memories.all,
      filename,
      name,
      concurrentTasks,
      atomics,
      idleTimeout,
      maxTasks,
      maxHeap,
      // Otherwise a single result could fill the buffer.
      longest: bufferBytes / 4,
      // With the options `stdout` and `stderr`, the program reads these streams, or leaves them unread.
      outputStreams: STREAMS.filter((stream) => !thread[stream]),
    };
    const worker = new PooledWorker(this.#settings, start, this.#workerEvents);
    this.#workers.set(worker.number, worker);
  }

  #handleReady(worker: PooledWorker): void {
    this.#failedStarts = 0;
    this.#isFileThere = true;
    this.#events.onReady(worker);
  }

  #handleExit(worker: PooledWorker, exitCode: number): void {
    this.#workers.delete(worker.number);
    if (worker.isLeaving) this.#leaving -= 1;
    if (!worker.isReady) this.#failedStarts += 1;
    if (this.#memory.slotTable.hasTaken(worker.number)) this.noteWork();
    else if (!worker.isLeaving) this.#noteUnused();
    this.#events.onExit(worker, exitCode);
    if (this.#isEnding) return;
    const failure = worker.isReady ? worker.failure : startFailure(worker.failure, this.#settings.thread);
    // Waiting does not make a missing file appear.
    const isHopeless = failure instanceof WorkerFileError && !this.#isFileThere;
    const failures = Math.max(this.#failedStarts, this.#unusedInNeed);
    if (isHopeless || failures >= MAX_FAILURES + this.#settings.size || this.#hasGivenUp) {
      this.#giveUp(
        failure ??
          new Error(
            `A worker ended with exit code ${exitCode} before it ${worker.isReady ? 'had begun a task' : 'was ready'}.`,
          ),
      );
    } else this.#replace();
  }

  #noteUnused(): void {
    this.#unused += 1;
    if (this.#events.unbegun() > 0) this.#unusedInNeed += 1;
  }

  #giveUp(failure: unknown): void {
    this.#hasGivenUp = true;
    this.#clearPauses();
    this.#events.onGiveUp(failure);
  }

  #replace(): void {
    if (!this.#isWanted()) return;
    if (this.#unused <= 2) {
      this.#tryAdd();
      return;
    }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#unused - 3));
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      if (this.#isWanted()) this.#tryAdd();
    }, pauseMs);
    this.#pauses.add(pause.unref());
  }

  #tryAdd(): void {
    try {
      this.#add();
    } catch (failure) {
      this.#giveUp(failure);
    }
  }
}
