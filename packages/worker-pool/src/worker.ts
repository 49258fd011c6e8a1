// The workers' side of a pool: takes tasks, runs them, reports their results.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode, type WaitOptions } from '@sluice/core';
import { availableParallelism } from 'node:os';
import { clearTimeout, now, setImmediate, setTimeout, sleep } from './platform/timers.ts';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { TaskListener } from './shared/event-count.ts';
import { SlotTable } from './shared/slot-table.ts';
import { TaskCodec } from './clone/task-codec.ts';
import { SharedMemories } from './clone/shared-memories.ts';
import { Functions } from './worker/functions.ts';
import { Inbox } from './worker/inbox.ts';
import type { PoolWorkerStart } from './messages/messages.ts';
import { Outbox } from './worker/outbox.ts';
import { UnreadOutput } from './platform/unread-output.ts';
import { Runner } from './worker/runner.ts';
import { Spin } from './worker/spin.ts';
import { isWithdrawn, generationOf, slotOf, withdraw } from './messages/wire.ts';

/** The longest time that a worker runs tasks without a turn of its event loop, in ms. Its timers have to run, too. */
const BUSY_MS = 5;
/**
 * A worker that runs tasks and may run more looks for tasks at least at this interval, in ms. A notification wakes one
 * worker, and that worker may be computing, or may end before it looks.
 */
const BUSY_LOOK_MS = 20;
/** The interval at which a worker looks for tasks while the arena has no room for a wait, in ms. */
const LOOK_MS = 5;

/**
 * The shortest wait of an idle worker before it asks whether it may leave, in ms. A wait of 0 ms would keep its event
 * loop from turning.
 */
const MIN_IDLE_MS = 25;

/** A timer may end this many ms early. Then the worker asks without another wait. */
const EARLY_MS = 2;

class WorkerLoop {
  readonly #start: PoolWorkerStart;
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #slotTable: SlotTable;
  readonly #functions = new Functions(() => this.#updatePortRef());
  readonly #runner: Runner;
  readonly #inbox: Inbox;
  readonly #output: UnreadOutput;
  /** The options of waits for tasks. */
  readonly #wait: WaitOptions;
  readonly #stopWaiting = new AbortController();
  readonly #spin = new Spin(availableParallelism());
  /** The number of running tasks. */
  #busy = 0;
  /**
   * Ends the wait of the task loop: called at the end of a task, at a notification, at a wake-up, and when the worker
   * leaves.
   */
  #wake: () => void = () => undefined;
  readonly #listener: TaskListener;
  #failure: { readonly reason: unknown } | undefined;
  /** Whether the worker must resign as the leader when it takes a task or ends. */
  #mayBeLeader = false;
  /** When the last task ended. */
  #worked = now();
  /** The number of ended tasks. */
  #count = 0;
  /** Whether the worker has stopped taking tasks. */
  #isLeaving = false;
  #turned = now();

  constructor(start: PoolWorkerStart) {
    const { number, port, idleTimeout, concurrentTasks } = start;
    const slotTable = SlotTable.from(start.slotTable);
    this.#start = start;
    this.#slotTable = slotTable;
    const take = (bytes: Uint8Array): void => {
      if (!slotTable.take(slotOf(bytes), generationOf(bytes), number)) withdraw(bytes);
    };
    this.#tasks = BoundedBuffer.from(start.tasks, { onTake: (bytes) => take(bytes as Uint8Array) });
    this.#listener = new TaskListener(slotTable.eventCount, {
      onNotify: () => this.#wake(),
      hasTask: () => this.#tasks.length > 0,
    });
    const codec = new TaskCodec(new SharedMemories(start.memories));
    this.#inbox = new Inbox(port, codec.memories, {
      onWake: () => this.#wake(),
      onAbort: (slot) => this.#runner.abort(slot),
      onLeave: () => this.#leave(),
    });
    const out = new Outbox(BoundedBuffer.from(start.results), codec, this.#inbox, slotTable.wakeMessage, start.longest);
    const output = new UnreadOutput(start.outputStreams, {
      onLate: () => this.#inbox.post({ kind: 'late' }),
      onRead: () => this.#inbox.post({ kind: 'read' }),
    });
    this.#output = output;
    this.#runner = new Runner({
      start,
      slotTable,
      functions: this.#functions,
      codec,
      inbox: this.#inbox,
      out,
      output,
      onEnd: () => this.#becomeLeader(),
    });
    // No timeout without an idle timeout: each wait would cost more.
    const timeout = idleTimeout === Infinity ? {} : { timeout: Math.max(idleTimeout, MIN_IDLE_MS) };
    this.#wait = concurrentTasks === 1 ? timeout : { ...timeout, signal: this.#stopWaiting.signal };
  }

  /** Runs tasks until the pool closes its buffer. */
  async run(): Promise<void> {
    const { filename, name, port } = this.#start;
    // Each task that needs the module rejects with its error.
    this.#runner.own = await this.#functions.find(filename, name).catch(() => undefined);
    this.#inbox.post({ kind: 'ready' });
    await this.#runTasks();
    this.#resign();
    if (this.#isLeaving) this.#inbox.post({ kind: 'left' });
    port.close();
  }

  /**
   * Takes tasks and runs up to `concurrentTasks` at a time. The worker waits in the buffer's line only while it runs no
   * task. The buffer serves waiters in order, and a task that computes stops this event loop. A waiter of this worker
   * would then keep all tasks from the other workers.
   */
  async #runTasks(): Promise<void> {
    try {
      while (this.#mayTakeTasks()) {
        if (this.#busy === this.#start.concurrentTasks) {
          await this.#untilWoken();
          continue;
        }
        const bytes =
          (this.#isBusyTooLong() ? undefined : this.#tasks.tryPop()) ??
          (await (this.#busy === 0 ? this.#next() : this.#nextWhileBusy()));
        if (bytes === undefined) continue;
        this.#resign();
        if (isWithdrawn(bytes)) continue;
        this.#busy += 1;
        if (this.#functions.waiting > 0) this.#updatePortRef();
        const done = this.#runner.run(bytes);
        // Most tasks are done at this point. A promise would cost more than the task.
        if (done === undefined) this.#noteEnd();
        else
          done.then(
            () => this.#noteEnd(),
            (failure: unknown) => this.#noteFailure(failure),
          );
      }
      while (this.#busy > 0 && this.#failure === undefined) await this.#untilWoken();
      if (this.#failure !== undefined) throw this.#failure.reason;
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    }
  }

  /**
   * Becomes the leader before the pool learns that the last running task has ended. After that the pool may put in the
   * next task at once.
   */
  #becomeLeader(): void {
    if (this.#busy === 1 && this.#tasks.length === 0 && this.#slotTable.leadership.tryTake(this.#start.number))
      this.#mayBeLeader = true;
  }

  /**
   * Keeps the event loop alive, except while all running tasks wait for their files: a file may wait for something that
   * never comes.
   */
  #updatePortRef(): void {
    const { waiting } = this.#functions;
    if (waiting > 0 && waiting >= this.#busy) this.#start.port.unref();
    else this.#start.port.ref();
  }

  #resign(): void {
    if (!this.#mayBeLeader) return;
    this.#mayBeLeader = false;
    this.#slotTable.leadership.resign(this.#start.number, this.#tasks);
  }

  #mayTakeTasks(): boolean {
    return !this.#isLeaving && this.#failure === undefined;
  }

  /**
   * Takes the next task while others run. Returns `undefined` if no task was taken, for instance because a running one
   * has ended.
   */
  async #nextWhileBusy(): Promise<Uint8Array | undefined> {
    if (this.#isBusyTooLong()) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#turned = now();
      // A task may have ended during the wait. Then the worker may be leaving, or may be idle.
      if (!this.#mayTakeTasks() || this.#busy === 0) return undefined;
    }
    // Read before the look: a task that arrives after the look changes the number.
    const { notifications } = this.#slotTable.eventCount;
    const bytes = this.#tasks.tryPop();
    if (bytes === undefined) await this.#sleepUntilNotified(notifications, BUSY_LOOK_MS);
    this.#turned = now();
    return bytes;
  }

  /**
   * Sleeps until a notification or `#wake`, at most `timeoutMs`. `notifications`: as read before the last look for
   * tasks.
   */
  async #sleepUntilNotified(notifications: number, timeoutMs: number): Promise<void> {
    if (!this.#listener.listen(notifications)) return;
    await this.#untilWokenWithin(timeoutMs);
    this.#listener.stopListening();
  }

  async #untilWokenWithin(timeoutMs: number): Promise<void> {
    if (timeoutMs === Infinity) return this.#untilWoken();
    const timer = setTimeout(() => this.#wake(), timeoutMs).unref();
    await this.#untilWoken();
    clearTimeout(timer);
  }

  /** Resolves at the next `#wake`. */
  #untilWoken(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #noteEnd(): void {
    this.#busy -= 1;
    if (this.#functions.waiting > 0) this.#updatePortRef();
    this.#leaveAtLimit();
    this.#wake();
  }

  /** The end of a task could not be reported. */
  #noteFailure(reason: unknown): void {
    this.#failure ??= { reason };
    this.#stopWaiting.abort();
    this.#wake();
  }

  /** Leaves if the worker has run `maxTasks` tasks, or its heap is larger than `maxHeap`. */
  #leaveAtLimit(): void {
    const { maxTasks, maxHeap, idleTimeout } = this.#start;
    this.#count += 1;
    if (idleTimeout !== Infinity) this.#worked = now();
    if (this.#count >= maxTasks || (maxHeap !== Infinity && getHeapStatistics().used_heap_size > maxHeap))
      this.#leave();
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#inbox.post({ kind: 'leaving' });
    this.#stopWaiting.abort();
    this.#wake();
  }

  #isBusyTooLong(): boolean {
    return now() - this.#turned > BUSY_MS;
  }

  /**
   * Takes the next task while none runs. Returns `undefined` if no task was taken; then the caller checks whether to
   * continue.
   */
  async #next(): Promise<Uint8Array | undefined> {
    const isLate = this.#isBusyTooLong();
    // Without tasks an async worker stays the leader: its event loop turns while it waits.
    if (isLate && (this.#start.atomics === 'sync' || this.#tasks.length > 0)) {
      // Timers and callbacks of the tasks may compute now.
      this.#resign();
      await new Promise((resolve) => setImmediate(resolve));
      this.#turned = now();
    }
    try {
      return await this.#pop(!isLate);
    } catch (failure) {
      if (!this.#mayTakeTasks()) return undefined;
      // No task was taken. A wait needs a little of the arena's memory, and other agents may free some.
      if (hasCode(failure, 'SLUICE_ARENA_FULL')) await sleep(LOOK_MS);
      else if (hasCode(failure, 'SLUICE_TIMEOUT')) await this.#askToLeave();
      else throw failure;
      return undefined;
    }
  }

  /**
   * Waits for a task: the leader for a message, or in the buffer's line if it blocks its thread; the other workers on
   * the event count.
   */
  async #pop(maySpin: boolean): Promise<Uint8Array | undefined> {
    const { idleTimeout, number } = this.#start;
    const { eventCount, leadership } = this.#slotTable;
    // Output is sent only while the event loop turns.
    const isAsync = this.#start.atomics === 'async' || this.#output.isUnread;
    const { notifications } = eventCount;
    const bytes = this.#tasks.tryPop();
    if (bytes !== undefined) return bytes;
    const longest = idleTimeout === Infinity ? Infinity : Math.max(idleTimeout, MIN_IDLE_MS);
    const isLeader = leadership.tryTake(number);
    if (isLeader || this.#tasks.length > 0) {
      this.#mayBeLeader = true;
      const found = maySpin ? this.#spin.until(() => this.#look()) : undefined;
      if (found !== undefined) {
        // A blocking worker needs turns of its event loop only while one task follows another without a wait.
        if (this.#start.atomics === 'sync') this.#turned = now();
        return found;
      }
      if (isAsync && isLeader) {
        leadership.fallAsleep(number);
        // Another look, which also notices that the pool has closed the buffer.
        const late = this.#tasks.tryPop();
        if (late !== undefined) return late;
      }
      // If tasks are there and this worker could not take one, the tasks are promised to the workers in line.
      if (!isAsync || this.#tasks.length > 0) {
        const taken = await (isAsync ? this.#tasks.popAsync(this.#wait) : this.#popBlocking(longest));
        this.#turned = now();
        return taken;
      }
      // The tasks that it saw are gone. Nothing would wake it.
      if (!isLeader) return undefined;
      await this.#untilWokenWithin(longest);
      this.#turned = now();
      if (this.#tasks.length > 0) return this.#tasks.tryPop();
    } else if (isAsync) await this.#sleepUntilNotified(notifications, longest);
    else eventCount.wait(notifications, longest);
    this.#turned = now();
    await this.#askToLeave();
    return undefined;
  }

  /** Takes a task if there is one. The check comes first, because an attempt to take one needs the buffer's lock. */
  #look(): Uint8Array | undefined {
    return this.#tasks.length > 0 ? this.#tasks.tryPop() : undefined;
  }

  async #popBlocking(longest: number): Promise<Uint8Array | undefined> {
    if (longest === Infinity) return this.#tasks.pop();
    const bytes = this.#tasks.tryPop(longest);
    if (bytes === undefined) await this.#askToLeave();
    return bytes;
  }

  /**
   * Asks the pool whether to leave, if the worker has been idle for `idleTimeout`. A notification ends the wait for the
   * answer: the pool's thread may put a task in and then block until the task has begun.
   */
  async #askToLeave(): Promise<void> {
    const isIdle = this.#busy === 0 && now() - this.#worked >= this.#start.idleTimeout - EARLY_MS;
    if (!isIdle) return;
    const { notifications } = this.#slotTable.eventCount;
    // From here on the pool notifies this worker: it no longer is the leader, which is woken without a notification.
    this.#resign();
    if (this.#tasks.length > 0) return;
    void this.#inbox.askToLeave().then(() => this.#wake());
    await this.#sleepUntilNotified(notifications, Infinity);
  }
}

parentPort?.once('message', (start: PoolWorkerStart) => {
  void new WorkerLoop(start).run();
});
