// The workers' side of a pool: takes tasks, runs them, reports their results.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode, type WaitOptions } from '@sluice/core';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { Ear } from './bell.ts';
import { Board } from './board.ts';
import { Carrier } from './clone/carry.ts';
import { SharedMemories } from './clone/shared.ts';
import { Context } from './context.ts';
import { Functions, type TaskFunction } from './functions.ts';
import { Inbox } from './inbox.ts';
import type { WorkerStart } from './messages.ts';
import { now, Outbox } from './outbox.ts';
import {
  ELSEWHERE,
  isWithdrawn,
  offerOf,
  SKIPPED,
  slotOf,
  taskHeadOf,
  taskValueOf,
  withdraw,
  type TaskHead,
} from './wire.ts';

/** How long a worker continues without a turn of its event loop, in ms: its timers have to run, too. */
const BUSY_MS = 5;
/**
 * A worker that runs tasks and may run more looks for them at least at this interval, in ms. The bell wakes one worker, which may be
 * computing, or may be ended before it looks.
 */
const BESIDE_MS = 20;
/** The interval at which it looks for tasks when the arena has no room for a wait, in ms. */
const LOOK_MS = 5;

/** An idle worker waits at least this long before it asks whether it may leave, in ms. A wait of 0 ms would keep its event loop from turning. */
const LEAST_IDLE_MS = 25;

/** A timer may end a little early, by at most this many ms. Then the worker asks without another wait. */
const EARLY_MS = 2;

class Work {
  readonly #start: WorkerStart;
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #out: Outbox;
  readonly #board: Board;
  readonly #functions = new Functions();
  /** The pool's own function; `undefined`: it cannot be loaded. */
  #function: TaskFunction | undefined;
  readonly #running = new Map<number, Context>();
  readonly #inbox: Inbox;
  /** The options of its waits for tasks. */
  readonly #wait: WaitOptions;
  readonly #stopWaiting = new AbortController();
  /** The number of tasks that it has begun and that have not ended. */
  #busy = 0;
  /** Called when one of them ends. */
  #onEnd: () => void = () => undefined;
  readonly #ear: Ear;
  #failure: { readonly reason: unknown } | undefined;
  /** When it last had a task. */
  #worked = performance.now();
  /** The number of tasks that it has run. */
  #count = 0;
  /** Whether it has stopped taking tasks. */
  #isLeaving = false;
  readonly #carrier: Carrier;
  #turned = performance.now();

  constructor(start: WorkerStart) {
    const { number, port, idleTimeout, concurrentTasks } = start;
    const board = Board.from(start.board);
    this.#start = start;
    this.#board = board;
    const take = (bytes: Uint8Array): void => {
      if (!board.take(slotOf(bytes), offerOf(bytes), number)) withdraw(bytes);
    };
    this.#tasks = BoundedBuffer.from(start.tasks, { onTake: (bytes) => take(bytes as Uint8Array) });
    this.#ear = new Ear(board.bell, { onRing: () => this.#onEnd(), isTaskThere: () => this.#tasks.length > 0 });
    this.#carrier = new Carrier(new SharedMemories(start.memories));
    this.#inbox = new Inbox(port, this.#carrier.memories, {
      onAbort: (slot) => this.#abort(slot),
      onLeave: () => this.#leave(),
    });
    this.#out = new Outbox(BoundedBuffer.from(start.results), this.#carrier, this.#inbox, start.longest);
    // Only with an idle timeout: a timeout makes each wait more expensive.
    const timeout = idleTimeout === Infinity ? {} : { timeout: Math.max(idleTimeout, LEAST_IDLE_MS) };
    this.#wait = concurrentTasks === 1 ? timeout : { ...timeout, signal: this.#stopWaiting.signal };
  }

  /** Runs tasks until the pool closes its buffer. */
  async run(): Promise<void> {
    const { filename, name, port } = this.#start;
    // A file that waits for something that never comes ends its worker, as it would end a process.
    port.unref();
    this.#function = await this.#functions.find(filename, name).catch(() => undefined); // what is wrong with it the tasks will say
    port.ref();
    this.#inbox.tell({ kind: 'ready' });
    await this.#goOn();
    if (this.#isLeaving) this.#inbox.tell({ kind: 'left' });
    port.close();
  }

  /**
   * Takes tasks and begins them, as many at once as it may. It waits in the buffer's line only while it runs none. The buffer serves waits in
   * order, and a task that computes stops this event loop: a wait of this worker would then keep the tasks from all other workers.
   */
  async #goOn(): Promise<void> {
    try {
      while (this.#mayGoOn()) {
        if (this.#busy === this.#start.concurrentTasks) {
          await this.#untilAnEnd();
          continue;
        }
        const bytes = (this.#isBusyTooLong() ? undefined : this.#tasks.tryPop()) ?? (await (this.#busy === 0 ? this.#next() : this.#nextBeside()));
        if (bytes === undefined || isWithdrawn(bytes)) continue;
        this.#busy += 1;
        const done = this.#runTask(bytes);
        // Most tasks of most programs are done at this point. A promise would cost more than they do.
        if (done === undefined) this.#noteEnd();
        else done.then(() => this.#noteEnd(), (failure: unknown) => this.#noteFailure(failure));
      }
      while (this.#busy > 0 && this.#failure === undefined) await this.#untilAnEnd();
      if (this.#failure !== undefined) throw this.#failure.reason;
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    }
  }

  #mayGoOn(): boolean {
    return !this.#isLeaving && this.#failure === undefined;
  }

  /** As `#next`, for a worker that runs tasks. Also returns `undefined` when one of them has ended. */
  async #nextBeside(): Promise<Uint8Array | undefined> {
    if (this.#isBusyTooLong()) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#turned = performance.now();
      // A task has ended meanwhile: the worker may be leaving, or run none any more.
      if (!this.#mayGoOn() || this.#busy === 0) return undefined;
    }
    // Read before the look: the bell then reports a task that arrives after it.
    const { rings } = this.#board.bell;
    const bytes = this.#tasks.tryPop();
    if (bytes === undefined && this.#ear.listen(rings)) {
      const timer = setTimeout(() => this.#onEnd(), BESIDE_MS);
      await this.#untilAnEnd();
      clearTimeout(timer);
      this.#ear.ignore();
    }
    this.#turned = performance.now();
    return bytes;
  }

  /** Resolves when one of its tasks ends. */
  #untilAnEnd(): Promise<void> {
    return new Promise((resolve) => (this.#onEnd = resolve));
  }

  #noteEnd(): void {
    this.#busy -= 1;
    this.#leaveIfWorn();
    this.#onEnd();
  }

  /** The end of a task could not be reported. */
  #noteFailure(reason: unknown): void {
    this.#failure ??= { reason };
    this.#stopWaiting.abort();
    this.#onEnd();
  }

  /** Leaves if it has run as many tasks as it may, or if its heap has become too large. */
  #leaveIfWorn(): void {
    const { maxTasks, maxHeap, idleTimeout } = this.#start;
    this.#count += 1;
    if (idleTimeout !== Infinity) this.#worked = performance.now();
    if (this.#count >= maxTasks || (maxHeap !== Infinity && getHeapStatistics().used_heap_size > maxHeap)) this.#leave();
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#inbox.tell({ kind: 'leaving' });
    this.#stopWaiting.abort();
    this.#onEnd();
  }

  #isBusyTooLong(): boolean {
    return performance.now() - this.#turned > BUSY_MS;
  }

  /** `undefined`: no task was taken, and the caller has to check why. */
  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isBusyTooLong()) await new Promise((resolve) => setImmediate(resolve));
    this.#turned = performance.now();
    try {
      const bytes = await this.#pop();
      this.#turned = performance.now();
      return bytes;
    } catch (failure) {
      if (!this.#mayGoOn()) return undefined;
      // Nothing was taken: a wait takes a little of the arena's memory, and other agents may free some.
      if (hasCode(failure, 'SLUICE_ARENA_FULL')) await sleep(LOOK_MS);
      else if (hasCode(failure, 'SLUICE_TIMEOUT')) await this.#offerToLeave();
      else throw failure;
      return undefined;
    }
  }

  async #pop(): Promise<Uint8Array | undefined> {
    const { atomics, idleTimeout } = this.#start;
    if (atomics === 'async') return this.#tasks.popAsync(this.#wait);
    if (idleTimeout === Infinity) return this.#tasks.pop();
    const bytes = this.#tasks.tryPop(Math.max(idleTimeout, LEAST_IDLE_MS));
    if (bytes === undefined) await this.#offerToLeave();
    return bytes;
  }

  /** No task came for a while: offers to leave. */
  async #offerToLeave(): Promise<void> {
    const isIdle = this.#busy === 0 && performance.now() - this.#worked >= this.#start.idleTimeout - EARLY_MS;
    if (isIdle) await this.#inbox.offerToLeave();
  }

  /** Returns `undefined` if the task is done. */
  #runTask(bytes: Uint8Array): Promise<void> | undefined {
    const head = taskHeadOf(bytes);
    const { slot, flags, isMessage, arenas } = head;
    const began = now();
    if (this.#board.isStopped(slot)) return this.#out.send(slot, SKIPPED, undefined, began);
    const run = this.#function;
    if (run === undefined || isMessage || flags !== 0 || arenas > this.#carrier.memories.count) return this.#runSlowly(head, bytes, began);
    const context = new Context(this.#board, slot, this.#start.number);
    let result: unknown;
    try {
      result = run(taskValueOf(bytes, this.#carrier) as never, context);
      if (!isThenable(result)) return this.#out.send(slot, 0, result, began);
    } catch (thrown) {
      return this.#out.sendFailure(slot, thrown, began);
    }
    return this.#await(slot, context, result, began);
  }

  /** For a function other than the pool's own or one that cannot be loaded, and for a task that is sent as a message. */
  async #runSlowly({ slot, flags, isMessage, arenas }: TaskHead, bytes: Uint8Array, began: number): Promise<void> {
    const context = new Context(this.#board, slot, this.#start.number);
    try {
      await this.#inbox.arenas(arenas);
      const sent = isMessage ? await this.#inbox.fetch(slot) : taskValueOf(bytes, this.#carrier);
      const { filename, name } = this.#start;
      const [file, exported, input] = (flags & ELSEWHERE) !== 0 ? (sent as [string, string, unknown]) : [filename, name, sent];
      const run = await this.#functions.find(file, exported);
      if (context.aborted) {
        await this.#out.send(slot, SKIPPED, undefined, began);
        return;
      }
      await this.#await(slot, context, run(input as never, context), began);
    } catch (thrown) {
      await this.#out.sendFailure(slot, thrown, began);
    }
  }

  async #await(slot: number, context: Context, running: unknown, began: number): Promise<void> {
    this.#running.set(slot, context);
    try {
      const result = await running;
      // Before the result is sent: after that the slot may get its next task at once, even in this worker.
      this.#running.delete(slot);
      await this.#out.send(slot, 0, result, began);
    } catch (thrown) {
      if (this.#running.get(slot) === context) this.#running.delete(slot);
      await this.#out.sendFailure(slot, thrown, began);
    }
  }

  #abort(slot: number): void {
    // The slot may belong to another task by now.
    if (this.#board.isStopped(slot)) this.#running.get(slot)?.abort();
  }
}

/** Functions can be thenable, too. */
function isThenable(value: unknown): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return typeof (value as { readonly then?: unknown }).then === 'function';
}

parentPort?.once('message', (start: WorkerStart) => {
  void new Work(start).run();
});
