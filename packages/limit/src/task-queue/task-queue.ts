// The class of a queue of tasks, with p-queue's interface, as one agent sees it. The tasks are in tasks.ts.

import { checkFunction, consoleText, INSPECT, reasonOf, refusePosting, show } from '@sluice/core/calls';
import { MisuseError, type Arena } from '@sluice/core';
import { IntervalSlots } from '../interval/interval-slots.ts';
import { checkConcurrency, checkPriority } from '../api/options.ts';
import { Events, type TaskQueueEvent, type TaskQueueEvents } from './events.ts';
import type { TaskQueueHandle } from './handle.ts';
import { createTasks, openTasks } from './open.ts';
import {
  checkTaskTimeout,
  planOf,
  termsOf,
  timeoutOf,
  type AddOptions,
  type TaskQueueFromOptions,
  type TaskQueueOptions,
} from './options.ts';
import { RateState } from './rate-state.ts';
import type { RunningTask, TaskQueueReport } from './report.ts';
import { runTask, Task, type OwnCounts, type TaskFunction } from './task.ts';
import type { Tasks } from './tasks.ts';

/**
 * A queue of promise-returning functions over all agents of an arena, with the interface of p-queue: at most
 * `concurrency` of them run at a time, over all agents that share the queue.
 *
 * - The tasks of one agent start by priority, and in the order in which they were added. Agents with waiting tasks take
 *   turns, task by task.
 * - `pause` and `start`, the counts, `onEmpty`, `onIdle`, `onPendingZero` and `onSizeLessThan` are about the tasks of all
 *   agents. Events, `runningTasks`, `setPriority` and `clear` are about the tasks of this object.
 * - If an agent dies, its recovery releases the slots of its running functions, and its waiting tasks leave the queue.
 *
 * ```ts run
 * import { TaskQueue } from '@sluice/limit';
 *
 * const queue = TaskQueue.create({ concurrency: 2, autoStart: false });
 * const squares = queue.addAll([1, 2, 3].map((n) => async () => n * n));
 * console.log(queue.size, queue.pending); // 3 0
 * queue.start();
 * await queue.onIdle();
 * console.log(await squares); // [ 1, 4, 9 ]
 * ```
 */
export class TaskQueue {
  readonly #tasks: Tasks;
  readonly #counts: OwnCounts = { waiting: 0, running: 0 };
  readonly #running = new Map<Task, undefined>();
  readonly #events = new Events();
  /** `undefined`: the queue has no interval. */
  readonly #rate: RateState | undefined;
  #timeout: number | undefined;
  #added = 0;

  private constructor(tasks: Tasks, timeout: number | undefined) {
    refusePosting(this);
    this.#tasks = tasks;
    this.#timeout = timeout;
    const { slots } = tasks;
    if (slots instanceof IntervalSlots)
      this.#rate = new RateState(
        () => ({
          interval: slots.interval,
          waiting: this.#counts.waiting,
          isBlocked: this.isPaused || this.pending >= this.concurrency,
        }),
        (event) => this.#events.emit(event),
      );
  }

  /**
   * Creates a queue.
   *
   * @throws {TypeError} For options that are not valid.
   * @throws {RangeError} For a name of more than 60 bytes, or for 16,000 or more starts per ms.
   * @throws {ArenaFullError} If the arena has no room for the queue.
   */
  static create(options: TaskQueueOptions = {}): TaskQueue {
    const plan = planOf(options);
    return new TaskQueue(createTasks(plan, options.arena, options.name), plan.timeout);
  }

  /**
   * Returns the queue of a handle.
   *
   * @throws {HandleError} If the handle does not refer to a live task queue.
   * @throws {TypeError} For options that are not valid.
   */
  static from(handle: TaskQueueHandle, options: TaskQueueFromOptions = {}): TaskQueue {
    const timeout = timeoutOf(options);
    return new TaskQueue(openTasks(handle), timeout);
  }

  /** The handle to post to another thread. Pass it to `TaskQueue.from` there. */
  get handle(): TaskQueueHandle {
    const { slots, state } = this.#tasks;
    return Object.freeze({
      kind: 'sluice.task-queue',
      limit: slots.handle,
      bell: state.changes.handle,
      paused: state.region.handle,
    });
  }

  /** The arena in which the queue lies. */
  get arena(): Arena {
    return this.#tasks.slots.ref.arena;
  }

  /**
   * Runs a task: calls `fn({ signal })` when its turn comes. Settles as its result does.
   *
   * `fn` is called at once if a slot is free and no task waits. After a timeout, or when `signal` aborts while `fn` runs,
   * the task rejects and its slot is free, although `fn` may continue.
   *
   * @throws {TypeError} For a task that is not a function, and for options that are not valid.
   * @throws {TimeoutError} After `timeout` ms of `fn`.
   * @throws {ClosedError} If the queue is closed before `fn` was called.
   */
  async add<T>(fn: TaskFunction<T>, options: AddOptions = {}): Promise<T> {
    checkFunction(fn);
    const task = this.#taskOf(options);
    this.#events.emit('add');
    const wait = this.#tasks.start(task, (enter) => task.wait(enter, () => this.#abort(task)));
    this.#rate?.schedule();
    if (wait !== undefined) await wait;
    this.#begin(task);
    // Announce the change before the call, so that `onSizeLessThan` resolves before the function runs.
    if (wait !== undefined) this.#tasks.changed();
    try {
      const result = await runTask(task, fn, (late) => this.#timeoutMessage(late));
      this.#events.emit('completed', result);
      return result;
    } catch (failure) {
      this.#events.emit('error', failure);
      throw failure;
    } finally {
      this.#end(task);
      const later = wait === undefined ? this.#tasks.spend() : undefined;
      if (later !== undefined) await later;
    }
  }

  /** Adds all functions, with the same options. Settles as `Promise.all` of these tasks does. */
  async addAll<T>(functions: readonly TaskFunction<T>[], options?: AddOptions): Promise<T[]> {
    return Promise.all(Array.from(functions, (fn) => this.add(fn, options)));
  }

  /** Starts no further task, in any agent, until `start`. Running functions continue. */
  pause(): void {
    this.#tasks.pause();
  }

  /** Lets tasks start, in all agents. Returns this object. */
  start(): this {
    this.#tasks.resume();
    this.#rate?.schedule();
    return this;
  }

  /** Whether the queue is paused. */
  get isPaused(): boolean {
    return this.#tasks.state.isPaused;
  }

  /** The number of waiting tasks of all agents. Reads the ledgers of all agents. */
  get size(): number {
    return this.#tasks.size;
  }

  /** The number of running functions of all agents. */
  get pending(): number {
    return this.#tasks.pending;
  }

  /** The number of waiting tasks of this object that have this priority. */
  sizeBy({ priority }: Pick<AddOptions, 'priority'>): number {
    return this.#waiting().filter((task) => task.priority === priority).length;
  }

  /**
   * The maximum of functions that run at a time, over all agents. Any agent may set it, for all agents.
   *
   * @throws {TypeError} If it is set to a value that is not a number of 1 or more.
   * @throws {ClosedError} If it is set on a closed queue.
   */
  get concurrency(): number {
    return this.#tasks.slots.size;
  }

  set concurrency(concurrency: number) {
    this.#tasks.slots.resize(checkConcurrency(concurrency));
  }

  /**
   * The timeout of the tasks that are added from now on through this object, in ms.
   *
   * @throws {TypeError} If it is set to a value that is not a positive finite number or `undefined`.
   */
  get timeout(): number | undefined {
    return this.#timeout;
  }

  set timeout(timeout: number | undefined) {
    this.#timeout = checkTaskTimeout(timeout);
  }

  /** Whether tasks of this object wait for the interval. */
  get isRateLimited(): boolean {
    return this.#rate?.isLimited ?? false;
  }

  /** Whether tasks wait, and all slots are taken or the interval is full. */
  get isSaturated(): boolean {
    return this.size > 0 && (this.pending >= this.concurrency || this.isRateLimited);
  }

  /** The running tasks of this object, in the order in which they started. */
  get runningTasks(): readonly RunningTask[] {
    return Array.from(this.#running.keys(), ({ id, priority, startTime, timeout }) => ({
      id,
      priority,
      startTime,
      timeout,
      timeoutRemaining: timeout === undefined ? undefined : Math.max(0, startTime + timeout - Date.now()),
    }));
  }

  /**
   * Changes the priority of the first waiting task of this object with that id.
   *
   * @throws {ReferenceError} If no such task waits.
   * @throws {TypeError} If the priority is not a number.
   */
  setPriority(id: string, priority: number): void {
    checkPriority(priority);
    const task = this.#waiting().find((waiting) => waiting.id === id);
    if (task === undefined)
      throw new ReferenceError(`No promise function with the id ${JSON.stringify(id)} exists in the queue.`);
    this.#tasks.reorder(task, priority);
  }

  /** Drops the waiting tasks of this object. Their promises never settle. */
  clear(): void {
    const waiting = this.#waiting();
    for (const task of waiting) {
      this.#tasks.drop(task);
      task.forget();
    }
    this.#rate?.update();
    this.#tasks.changed();
    this.#events.emit('empty');
    if (this.#counts.running === 0) this.#events.emit('idle');
    this.#events.emit('next');
  }

  /** Resolves when no task waits, in any agent. */
  onEmpty(): Promise<void> {
    return this.#until(() => this.size === 0);
  }

  /** Resolves when no task waits and no function runs, in any agent. */
  onIdle(): Promise<void> {
    return this.#until(() => this.size === 0 && this.pending === 0);
  }

  /** Resolves when no function runs, in any agent. */
  onPendingZero(): Promise<void> {
    return this.#until(() => this.pending === 0);
  }

  /** Resolves when fewer than `limit` tasks wait, over all agents. */
  onSizeLessThan(limit: number): Promise<void> {
    return this.#until(() => this.size < limit);
  }

  /** Resolves when tasks of this object wait for the interval. */
  onRateLimit(): Promise<void> {
    return this.#event('rateLimit', this.isRateLimited);
  }

  /** Resolves when no task of this object waits for the interval. */
  onRateLimitCleared(): Promise<void> {
    return this.#event('rateLimitCleared', !this.isRateLimited);
  }

  /** Rejects with the reason of the next task of this object that fails. */
  onError(): Promise<never> {
    return new Promise<never>((_resolve, reject) => {
      const refuse: (reason: unknown) => void = reject;
      this.#events.add('error', refuse, true);
    });
  }

  /** Calls `listener` at each such event. */
  on<Event extends TaskQueueEvent>(event: Event, listener: (...values: TaskQueueEvents[Event]) => unknown): this {
    this.#events.add(event, listener, false);
    return this;
  }

  /** Calls `listener` at the next such event. */
  once<Event extends TaskQueueEvent>(event: Event, listener: (...values: TaskQueueEvents[Event]) => unknown): this {
    this.#events.add(event, listener, true);
    return this;
  }

  /** Removes a listener that `on` or `once` added. */
  off<Event extends TaskQueueEvent>(event: Event, listener: (...values: TaskQueueEvents[Event]) => unknown): this {
    this.#events.remove(event, listener);
    return this;
  }

  /** The number of listeners of that event. */
  listenerCount(event: TaskQueueEvent): number {
    return this.#events.count(event);
  }

  /** Returns a snapshot: the agents that run functions, and the agents that wait. It reads all waiters of the arena. */
  inspect(): TaskQueueReport {
    return { ...this.#tasks.slots.report(), kind: 'task-queue', isPaused: this.isPaused };
  }

  /** Closes the queue for all agents. Waiting and later tasks reject with `ClosedError`. Running functions continue. */
  close(): void {
    this.#tasks.slots.close();
    this.#tasks.state.close();
  }

  /**
   * Frees the queue's memory. No agent may be inside a call on it. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} While functions run or tasks wait, and if the queue was freed before.
   */
  free(): void {
    const { slots, state } = this.#tasks;
    if (this.size > 0) throw new MisuseError(`${this.toString()} cannot be freed: ${this.size} tasks wait.`);
    slots.free();
    state.free();
  }

  /** Returns the title, such as "TaskQueue 'downloads'". */
  toString(): string {
    return this.#tasks.slots.toString();
  }

  [INSPECT](): string {
    return consoleText('TaskQueue', () => {
      const { name, state } = this.#tasks.slots.report();
      return {
        name,
        concurrency: this.concurrency,
        pending: this.pending,
        size: this.size,
        paused: this.isPaused ? true : undefined,
        closed: state === 'closed' ? true : undefined,
      };
    });
  }

  #taskOf(options: AddOptions): Task {
    const terms = termsOf(options, () => `${(this.#added += 1)}`, this.#timeout);
    return new Task(this.#tasks, this.#counts, terms);
  }

  #begin(task: Task): void {
    task.startTime = Date.now();
    this.#running.set(task, undefined);
    this.#events.emit('active');
    this.#rate?.schedule();
  }

  #end(task: Task): void {
    const { waiting } = this.#counts;
    this.#running.delete(task);
    this.#counts.running -= 1;
    // This was the last running task. The next one starts only in `#tasks.end()`.
    if (this.#counts.running === 0) this.#events.emit('pendingZero');
    this.#tasks.end();
    this.#emitRest(waiting);
  }

  /** Ends the wait of a task whose signal has aborted. */
  #abort(task: Task): void {
    if (!task.isWaiting) return;
    this.#tasks.drop(task);
    task.reject(reasonOf(task.signal));
    this.#tasks.changed();
    this.#emitRest(this.#counts.waiting);
  }

  /** `waiting`: the number of tasks that waited before the slot of an ended task was handed on. */
  #emitRest(waiting: number): void {
    if (waiting === 0) {
      this.#events.emit('empty');
      if (this.#counts.running === 0) this.#events.emit('idle');
    }
    this.#events.emit('next');
    this.#rate?.schedule();
  }

  /** The waiting tasks of this object, in the order in which they start. */
  #waiting(): Task[] {
    return this.#tasks.waiting().filter(({ counts }) => counts === this.#counts);
  }

  async #until(holds: () => boolean): Promise<void> {
    if (!holds()) await this.#tasks.until(holds);
  }

  async #event(event: TaskQueueEvent, isThere: boolean): Promise<void> {
    if (!isThere) await new Promise<void>((resolve) => this.#events.add(event, resolve, true));
  }

  #timeoutMessage({ id, timeout }: Task): string {
    return (
      `${this.toString()}: task ${show(id)} timed out after ${timeout ?? 0} ms. Its function may continue. ` +
      `The queue has ${this.pending} running, ${this.size} waiting.`
    );
  }
}
