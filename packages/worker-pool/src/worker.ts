// The workers' side of a pool: takes tasks, runs them, reports their results.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode, type WaitOptions } from '@sluice/core';
import { availableParallelism } from 'node:os';
import { clearTimeout, now, setImmediate, setTimeout, sleep } from './timers.ts';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { Ear } from './bell.ts';
import { Board } from './board.ts';
import { Carrier } from './clone/carry.ts';
import { SharedMemories } from './clone/shared.ts';
import { Functions } from './functions.ts';
import { Inbox } from './inbox.ts';
import type { WorkerStart } from './messages.ts';
import { Outbox } from './outbox.ts';
import { Runner } from './runner.ts';
import { Spin } from './spin.ts';
import { isWithdrawn, offerOf, slotOf, withdraw } from './wire.ts';

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
  readonly #board: Board;
  readonly #functions = new Functions();
  readonly #runner: Runner;
  readonly #inbox: Inbox;
  /** The options of its waits for tasks. */
  readonly #wait: WaitOptions;
  readonly #stopWaiting = new AbortController();
  readonly #spin = new Spin(availableParallelism());
  /** The number of tasks that it has begun and that have not ended. */
  #busy = 0;
  /** Called when one of them ends. */
  #onEnd: () => void = () => undefined;
  readonly #ear: Ear;
  #failure: { readonly reason: unknown } | undefined;
  /** Whether it must leave the post when it takes a task or ends. */
  #mayHavePost = false;
  /** When it last had a task. */
  #worked = now();
  /** The number of tasks that it has run. */
  #count = 0;
  /** Whether it has stopped taking tasks. */
  #isLeaving = false;
  #turned = now();

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
    const carrier = new Carrier(new SharedMemories(start.memories));
    this.#inbox = new Inbox(port, carrier.memories, {
      onAbort: (slot) => this.#runner.abort(slot),
      onLeave: () => this.#leave(),
    });
    const out = new Outbox(BoundedBuffer.from(start.results), carrier, this.#inbox, start.longest);
    this.#runner = new Runner({ start, board, functions: this.#functions, carrier, inbox: this.#inbox, out, onEnd: () => this.#comeBack() });
    // Only with an idle timeout: a timeout makes each wait more expensive.
    const timeout = idleTimeout === Infinity ? {} : { timeout: Math.max(idleTimeout, LEAST_IDLE_MS) };
    this.#wait = concurrentTasks === 1 ? timeout : { ...timeout, signal: this.#stopWaiting.signal };
  }

  /** Runs tasks until the pool closes its buffer. */
  async run(): Promise<void> {
    const { filename, name, port } = this.#start;
    // A file that waits for something that never comes ends its worker, as it would end a process.
    port.unref();
    this.#runner.own = await this.#functions.find(filename, name).catch(() => undefined); // what is wrong with it the tasks will say
    port.ref();
    this.#inbox.tell({ kind: 'ready' });
    await this.#goOn();
    this.#leavePost();
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
        if (bytes === undefined) continue;
        this.#leavePost();
        if (isWithdrawn(bytes)) continue;
        this.#busy += 1;
        const done = this.#runner.run(bytes);
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

  /** A task is about to end here. If there is no other, the worker takes the post before the pool hears of the end, and may put in the next task. */
  #comeBack(): void {
    if (this.#busy === 1 && this.#tasks.length === 0 && this.#board.post.take(this.#start.number)) this.#mayHavePost = true;
  }

  #leavePost(): void {
    if (!this.#mayHavePost) return;
    this.#mayHavePost = false;
    this.#board.post.leave(this.#start.number, this.#tasks);
  }

  #mayGoOn(): boolean {
    return !this.#isLeaving && this.#failure === undefined;
  }

  /** As `#next`, for a worker that runs tasks. Also returns `undefined` when one of them has ended. */
  async #nextBeside(): Promise<Uint8Array | undefined> {
    if (this.#isBusyTooLong()) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#turned = now();
      // A task has ended meanwhile: the worker may be leaving, or run none any more.
      if (!this.#mayGoOn() || this.#busy === 0) return undefined;
    }
    // Read before the look: the bell then reports a task that arrives after it.
    const { rings } = this.#board.bell;
    const bytes = this.#tasks.tryPop();
    if (bytes === undefined) await this.#sleepAtBell(rings, BESIDE_MS);
    this.#turned = now();
    return bytes;
  }

  /** Sleeps until the bell rings or this worker's tasks or its leave need it, at most that long. `rings`: as read before the last look for tasks. */
  async #sleepAtBell(rings: number, timeoutMs: number): Promise<void> {
    if (!this.#ear.listen(rings)) return;
    const timer = timeoutMs === Infinity ? undefined : setTimeout(() => this.#onEnd(), timeoutMs);
    await this.#untilAnEnd();
    clearTimeout(timer);
    this.#ear.ignore();
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
    if (idleTimeout !== Infinity) this.#worked = now();
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
    return now() - this.#turned > BUSY_MS;
  }

  /** `undefined`: no task was taken, and the caller has to check why. */
  async #next(): Promise<Uint8Array | undefined> {
    const isLate = this.#isBusyTooLong();
    // A worker that awaits its next task in line turns its event loop there, and keeps the post.
    if (isLate && (this.#start.atomics === 'sync' || this.#tasks.length > 0)) {
      // Timers and callbacks of the tasks may compute now.
      this.#leavePost();
      await new Promise((resolve) => setImmediate(resolve));
      this.#turned = now();
    }
    try {
      return await this.#pop(!isLate);
    } catch (failure) {
      if (!this.#mayGoOn()) return undefined;
      // Nothing was taken: a wait takes a little of the arena's memory, and other agents may free some.
      if (hasCode(failure, 'SLUICE_ARENA_FULL')) await sleep(LOOK_MS);
      else if (hasCode(failure, 'SLUICE_TIMEOUT')) await this.#offerToLeave();
      else throw failure;
      return undefined;
    }
  }

  /** The worker that has the post waits in the buffer's line, the others sleep at the bell. */
  async #pop(maySpin: boolean): Promise<Uint8Array | undefined> {
    const { atomics, idleTimeout, number } = this.#start;
    const { bell, post } = this.#board;
    const { rings } = bell;
    const bytes = this.#tasks.tryPop();
    if (bytes !== undefined) return bytes;
    const longest = idleTimeout === Infinity ? Infinity : Math.max(idleTimeout, LEAST_IDLE_MS);
    // Tasks that are there and cannot be taken are promised to the workers in line.
    if (post.take(number) || this.#tasks.length > 0) {
      this.#mayHavePost = true;
      const found = maySpin ? this.#spin.until(() => this.#tasks.tryPop()) : undefined;
      const taken = found ?? (await (atomics === 'async' ? this.#tasks.popAsync(this.#wait) : this.#popBlocking(longest)));
      // A worker that blocks turns its event loop only between tasks that follow one another.
      if (found === undefined || atomics === 'sync') this.#turned = now();
      return taken;
    }
    if (atomics === 'async') await this.#sleepAtBell(rings, longest);
    else bell.block(rings, longest);
    this.#turned = now();
    await this.#offerToLeave();
    return undefined;
  }

  async #popBlocking(longest: number): Promise<Uint8Array | undefined> {
    if (longest === Infinity) return this.#tasks.pop();
    const bytes = this.#tasks.tryPop(longest);
    if (bytes === undefined) await this.#offerToLeave();
    return bytes;
  }

  /** No task came for a while: offers to leave. */
  async #offerToLeave(): Promise<void> {
    const isIdle = this.#busy === 0 && now() - this.#worked >= this.#start.idleTimeout - EARLY_MS;
    if (isIdle) await this.#inbox.offerToLeave();
  }
}

parentPort?.once('message', (start: WorkerStart) => {
  void new Work(start).run();
});
