// The core of a pool: tasks go into one bounded buffer, from which all workers take. Results come back through another.
//
// It is always known which worker has a task. A worker writes its number beside the task at the moment it takes it (board.ts), and a task is
// taken when the buffer's count `popped` has passed it. So when a worker dies, the pool knows which tasks it had begun: those that have its
// number, are taken, and have no result. None of this is lost with the worker, because all of it is in shared memory.
//
// INVARIANTS
//
//   1. An accepted task is in one place: in line for a slot, or in a slot until its end is known (queue.ts).
//   2. Each task that has a slot is in the buffer, or is taken by a live worker, or its result is on its way. When a worker ends, the
//      tasks it had taken are retried or rejected. A task that is cancelled in the buffer leaves its slot at once, and the worker that
//      reaches its entry skips it (board.ts).
//   3. No promise stays pending: the end of the pool settles the remaining ones, and so does a failure of the pool itself (#fail).
//   4. A fault of one task (a value that cannot be read, a failure that cannot be rebuilt) fails that task alone.

import type { Worker } from 'node:worker_threads';
import { Alive, portsRead } from './alive.ts';
import { Carrier } from './clone/carry.ts';
import { SharedMemories } from './clone/shared.ts';
import { Crew } from './crew.ts';
import { diedUnder, PoolClosedError, WorkerFileError, workersEndUnused } from './errors.ts';
import type { Tell } from './events.ts';
import type { Hand } from './hand.ts';
import { makeMemory } from './memory.ts';
import type { Settings } from './options.ts';
import { Outcomes } from './outcomes.ts';
import { Queue } from './queue.ts';
import { Results } from './results.ts';
import { readRunOptions, type RunOptions, type RunSettings } from './run-options.ts';
import { Runaways } from './runaways.ts';
import { Stats, type PoolStats } from './stats.ts';
import { Task } from './task.ts';
import { SKIPPED, type ResultHead } from './wire.ts';

/** How long workers may take to end after the last task, in ms. */
const END_MS = 1000;

export class Engine {
  readonly #settings: Settings;
  readonly #queue: Queue;
  readonly #crew: Crew;
  readonly #results: Results;
  readonly #carrier: Carrier;
  readonly #stats = new Stats();
  readonly #tell: Tell;
  readonly #outcomes: Outcomes;
  readonly #giveUpOf = (task: Task, why: (where: string) => unknown): void => this.#giveUp(task, why);
  readonly #runaways: Runaways;
  readonly #alive = new Alive();
  /** Why no more tasks are accepted. */
  #ended: Error | undefined;
  /** Why no more workers start. */
  #failed: Error | undefined;
  readonly #onEnd = new Set<(reason: unknown) => void>();
  #isCleared = false;
  /** Its workers were terminated. */
  #isTerminated = false;

  /** Starts the workers. Throws `ArenaFullError` and what `Worker` throws; then no memory and no worker stays in use. */
  constructor(settings: Settings, tell: Tell) {
    const { least, size, concurrentTasks, maxQueue } = settings;
    const slots = size * concurrentTasks + maxQueue;
    const memory = makeMemory(settings, slots);
    this.#settings = settings;
    this.#tell = tell;
    this.#outcomes = new Outcomes(this.#stats, tell);
    const memories = new SharedMemories([settings.arena.handle.memory], (learned) => this.#crew.tellAll({ kind: 'arena', memory: learned }));
    this.#carrier = new Carrier(memories);
    const refuse = (task: Task, failure: unknown): void => this.#outcomes.reject(task, failure);
    this.#queue = new Queue(memory, slots, size * concurrentTasks, this.#carrier, () => this.#rest(), refuse);
    this.#results = new Results(memory.results, this.#carrier, {
      onResult: (head, read) => this.#finish(head, read),
      onFailure: (failure) => this.#fail(failure),
    });
    this.#crew = new Crew(settings, memory, memories, END_MS, {
      demand: () => this.#queue.occupied,
      unbegun: () => this.#queue.unbegun,
      onLeaving: (hand) => this.#runaways.lookAt(hand),
      onReady: ({ thread, identity }) => tell('workerStart', thread, identity),
      onFetch: (hand, slot) => this.#send(hand, slot),
      onResult: (head, read) => this.#finish(head, read),
      onForeign: (message) => tell('message', message),
      onLate: (hand) => this.#alive.expectFrom(hand),
      onRead: (hand) => this.#alive.expectNoMoreFrom(hand),
      onExit: (hand, exitCode) => void this.#lose(hand, exitCode),
      onGiveUp: (failure) => this.#giveUpWorkers(failure),
    });
    this.#runaways = new Runaways(settings, this.#queue, this.#crew, END_MS);
    try {
      this.#crew.start(least);
    } catch (failure) {
      void this.destroy();
      // Workers that have started may be about to use the memory. Then it is freed when they have ended.
      if (this.#crew.size === 0) this.#clear();
      throw failure;
    }
    this.#results.start();
  }

  get threads(): readonly Worker[] {
    return this.#crew.threads;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** Throws if a task with these options cannot be accepted. */
  check(options: RunOptions): RunSettings {
    if (this.#ended !== undefined) throw this.#ended;
    return readRunOptions(options, this.#settings.filename);
  }

  begin(value: unknown, settings: RunSettings): Promise<unknown> {
    const task = new Task(value, settings, this.#settings.retry);
    task.arm(this.#giveUpOf);
    this.#alive.hold();
    try {
      this.#queue.add(task);
      this.#crew.grow();
    } catch (failure) {
      if (!task.settled) this.#outcomes.reject(task, failure);
    }
    if (task.settled) this.#queue.rest();
    return task.promise;
  }

  /** As in `MapHost`. */
  room(): Promise<void> {
    return this.#queue.room();
  }

  /** As in `MapHost`. */
  onEnd(told: (reason: unknown) => void): () => void {
    this.#onEnd.add(told);
    return () => void this.#onEnd.delete(told);
  }

  stats(): PoolStats {
    const { completed, failed, replaced, waitTime, runTime } = this.#stats;
    const utilization = this.#stats.utilization(this.#settings.size);
    return { workers: this.#crew.size, ...this.#queue.counts, completed, failed, replaced, utilization, waitTime, runTime };
  }

  async close(): Promise<void> {
    this.#shut(new PoolClosedError('The pool is closed and takes no more tasks.'));
    await this.#queue.idle();
    this.#queue.close();
    await this.#crew.end(END_MS);
    await portsRead();
    this.#clear();
  }

  /** Rejects the tasks that have not begun. Returns how many there were. */
  cancelPending(reason: unknown): number {
    if (this.#isCleared) return 0;
    const pending = this.#queue.takePending();
    for (const task of pending) this.#outcomes.reject(task, reason);
    this.#queue.rest();
    return pending.length;
  }

  /** `why`: the reason with which unfinished tasks reject. */
  async destroy(why = new PoolClosedError('The pool was destroyed before the task was done.')): Promise<void> {
    this.#isTerminated = true;
    this.#shut(new PoolClosedError('The pool was destroyed.'));
    this.#rejectAll(why);
    await this.#crew.terminate();
    this.#clear();
  }

  #shut(why: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#queue.shut();
    for (const told of this.#onEnd) told(why);
  }

  #clear(): void {
    this.#alive.stop();
    if (this.#isCleared) return;
    this.#isCleared = true;
    this.#queue.close();
    this.#results.close();
    this.#queue.free();
  }

  /** A worker has taken a task that is sent as a message. */
  #send(hand: Hand, slot: number): void {
    const task = this.#queue.at(slot);
    if (task === undefined) return;
    try {
      const { transferList } = task.settings;
      hand.send(slot, this.#carrier.toMessage(task.sent, transferList), transferList);
    } catch (failure) {
      if (!task.settled) this.#outcomes.reject(task, failure);
      hand.tell({ kind: 'refused', slot });
    }
  }

  #finish({ slot, flags, began, ended }: ResultHead, read: () => unknown): void {
    const task = this.#queue.at(slot);
    if (task === undefined) return;
    this.#crew.noteWork();
    if (flags !== SKIPPED) this.#stats.note(task.called, began, ended);
    task.hasEnded = true;
    this.#queue.release(task);
    if (!task.settled) this.#outcomes.settle(task, flags, read);
    this.#queue.rest();
    this.#runaways.look();
  }

  #rest(): void {
    this.#alive.rest();
    this.#tell('drain');
  }

  /** Cancels a task after an abort or a timeout. */
  #giveUp(task: Task, why: (where: string) => unknown): void {
    if (task.settled) return;
    const { slot } = task;
    const isOut = slot < 0 || this.#queue.withdraw(task);
    if (slot < 0) this.#queue.forget();
    if (isOut) {
      this.#outcomes.reject(task, why('no worker had begun it, and none will'));
      this.#queue.rest();
      return;
    }
    const hand = this.#crew.find(this.#queue.stop(task));
    this.#outcomes.reject(task, why(hand === undefined ? 'no worker will begin it' : `worker ${hand.number} (thread ${hand.threadId}) runs it and is told to stop`));
    if (hand === undefined) return;
    hand.tell({ kind: 'abort', slot });
    this.#runaways.watch(task, hand);
  }

  /** A worker has ended: waits for its last results, then handles the tasks it had begun. */
  async #lose(hand: Hand, exitCode: number): Promise<void> {
    this.#runaways.forget(hand);
    this.#alive.expectNoMoreFrom(hand);
    const isDead = exitCode !== 0 || (this.#ended === undefined && !hand.isLeaving);
    if (!this.#isTerminated && isDead) this.#stats.replaced += 1;
    try {
      await this.#results.caughtUp();
      this.#tell('workerExit', hand.thread, exitCode, hand.failure, hand.identity);
      for (const task of this.#queue.takenBy(hand.number)) this.#interrupted(task, hand, exitCode);
      this.#queue.wakeAnother(hand.number);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  #interrupted(task: Task, hand: Hand, exitCode: number): void {
    if (!task.settled && task.retries > 0 && task.settings.transferList.length === 0) {
      task.retries -= 1;
      this.#queue.addAgain(task);
      this.#crew.grow();
      return;
    }
    task.hasEnded = true;
    this.#queue.release(task);
    if (!task.settled) this.#outcomes.reject(task, diedUnder(`worker ${hand.number}, thread ${hand.threadId}`, exitCode, hand.failure, task.label));
    // Last, as in `#finish`: when `drain` is emitted, all tasks are counted.
    this.#queue.rest();
  }

  /** Workers no longer start. The live ones run the accepted tasks; then, or if there are none, the pool ends. */
  #giveUpWorkers(failure: unknown): void {
    this.#failed ??= failure instanceof WorkerFileError ? failure : workersEndUnused(failure);
    this.#shut(this.#failed);
    if (this.#crew.size === 0) void this.#rejectUnended(this.#failed);
  }

  /** The results of the last workers come first. */
  async #rejectUnended(reason: unknown): Promise<void> {
    await this.#results.caughtUp();
    this.#rejectAll(reason);
  }

  /** The pool cannot continue. */
  #fail(failure: unknown): void {
    if (this.#isCleared) return;
    this.#isTerminated = true;
    this.#shut(new PoolClosedError('The pool has failed and runs no more tasks.', { cause: failure }));
    this.#rejectAll(new PoolClosedError('The pool failed before the task was done.', { cause: failure }));
    void this.#crew.terminate();
  }

  #rejectAll(reason: unknown): void {
    this.#queue.clear((task) => this.#outcomes.reject(task, reason));
  }
}
