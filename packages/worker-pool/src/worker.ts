// The workers' side of a pool: takes tasks, runs them, tells what came of them.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { Board } from './board.ts';
import { Carrier } from './clone/carry.ts';
import { SharedMemories } from './clone/shared.ts';
import { Context, movedOf } from './context.ts';
import { packFailure } from './failure.ts';
import { Functions, type TaskFunction } from './functions.ts';
import { Arrival, type FromWorker, type ToWorker, type WorkerStart } from './messages.ts';
import {
  ELSEWHERE,
  FAILED,
  isWithdrawn,
  offerOf,
  packResult,
  SKIPPED,
  slotOf,
  taskHeadOf,
  taskValueOf,
  withdraw,
  type ResultHead,
  type TaskHead,
} from './wire.ts';

/** So long a worker goes on without a turn of its event loop, in ms: its timers have to run, too. */
const BUSY_MS = 5;
/** Where the arena has no room for a wait, tasks are looked for so often, in ms. */
const LOOK_MS = 5;

class Work {
  readonly #start: WorkerStart;
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #results: BoundedBuffer<Uint8Array>;
  readonly #board: Board;
  readonly #functions = new Functions();
  /** The pool's own; `undefined`: it cannot be loaded. */
  #function: TaskFunction | undefined;
  /** Longer results go as messages. */
  readonly #longest: number;
  readonly #running = new Map<number, Context>();
  readonly #awaited = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (reason: unknown) => void }>();
  readonly #arrival = new Arrival();
  readonly #carrier: Carrier;
  /** Called when a further arena has been announced. */
  #onArena: (() => void)[] = [];
  #turned = performance.now();

  constructor(start: WorkerStart) {
    const { number, port } = start;
    const board = Board.from(start.board);
    this.#start = start;
    this.#board = board;
    const take = (bytes: Uint8Array): void => {
      if (!board.take(slotOf(bytes), offerOf(bytes), number)) withdraw(bytes);
    };
    this.#tasks = BoundedBuffer.from(start.tasks, { onTake: (bytes) => take(bytes as Uint8Array) });
    this.#results = BoundedBuffer.from(start.results);
    this.#longest = start.longest;
    this.#carrier = new Carrier(new SharedMemories(start.memories));
    port.on('message', (message: ToWorker) => this.#hear(message));
    port.on('messageerror', (failure) => this.#arrival.spoil(failure));
  }

  /** Until the pool closes its tasks. */
  async run(): Promise<void> {
    const { filename, name, concurrentTasks, port } = this.#start;
    // A file that waits for what never comes ends its worker, as it ends a process.
    port.unref();
    this.#function = await this.#functions.find(filename, name).catch(() => undefined); // what is wrong with it the tasks will say
    port.ref();
    this.#tell({ kind: 'ready' });
    await Promise.all(Array.from({ length: concurrentTasks }, () => this.#goOn()));
    port.close();
  }

  async #goOn(): Promise<void> {
    try {
      for (;;) {
        const bytes = this.#isBusyTooLong() ? undefined : this.#tasks.tryPop();
        const done = this.#runTask(bytes ?? (await this.#next()));
        // Most tasks of most programs are done here; an await would cost more than they do.
        if (done !== undefined) await done;
      }
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    }
  }

  #isBusyTooLong(): boolean {
    return performance.now() - this.#turned > BUSY_MS;
  }

  async #next(): Promise<Uint8Array> {
    if (this.#isBusyTooLong()) await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      this.#turned = performance.now();
      try {
        return await this.#pop();
      } catch (failure) {
        // Nothing was taken: a wait takes a little of the arena's memory, and others may give some back.
        if (!hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
        await sleep(LOOK_MS);
      }
    }
  }

  async #pop(): Promise<Uint8Array> {
    if (this.#start.atomics === 'sync') return this.#tasks.pop();
    const bytes = await this.#tasks.popAsync();
    this.#turned = performance.now();
    return bytes;
  }

  /** `undefined`: it is done. */
  #runTask(bytes: Uint8Array): Promise<void> | undefined {
    if (isWithdrawn(bytes)) return undefined;
    const head = taskHeadOf(bytes);
    const { slot, flags, isMessage, arenas } = head;
    const began = now();
    if (this.#board.isStopped(slot)) return this.#send(slot, SKIPPED, undefined, began);
    const run = this.#function;
    if (run === undefined || isMessage || flags !== 0 || arenas > this.#carrier.memories.count) return this.#runSlowly(head, bytes, began);
    const context = new Context(this.#board, slot);
    let result: unknown;
    try {
      result = run(taskValueOf(bytes, this.#carrier) as never, context);
      if (!isThenable(result)) return this.#send(slot, 0, result, began);
    } catch (thrown) {
      return this.#sendFailure(slot, thrown, began);
    }
    return this.#await(slot, context, result, began);
  }

  /** The function is not the usual one, or cannot be loaded, or the task comes as a message. */
  async #runSlowly({ slot, flags, isMessage, arenas }: TaskHead, bytes: Uint8Array, began: number): Promise<void> {
    const context = new Context(this.#board, slot);
    try {
      // It was announced before the task was put in the buffer, and this thread has only not heard of it.
      while (arenas > this.#carrier.memories.count) await new Promise<void>((resolve) => this.#onArena.push(resolve));
      const sent = isMessage ? await this.#fetch(slot) : taskValueOf(bytes, this.#carrier);
      const { filename, name } = this.#start;
      const [file, exported, input] = (flags & ELSEWHERE) !== 0 ? (sent as [string, string, unknown]) : [filename, name, sent];
      const run = await this.#functions.find(file, exported);
      if (context.aborted) {
        await this.#send(slot, SKIPPED, undefined, began);
        return;
      }
      await this.#await(slot, context, run(input as never, context), began);
    } catch (thrown) {
      await this.#sendFailure(slot, thrown, began);
    }
  }

  async #await(slot: number, context: Context, running: unknown, began: number): Promise<void> {
    this.#running.set(slot, context);
    try {
      const result = await running;
      // Before the result is sent: then the slot may have its next task at once, and in this worker.
      this.#running.delete(slot);
      await this.#send(slot, 0, result, began);
    } catch (thrown) {
      if (this.#running.get(slot) === context) this.#running.delete(slot);
      await this.#sendFailure(slot, thrown, began);
    }
  }

  #fetch(slot: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#awaited.set(slot, { resolve, reject });
      this.#tell({ kind: 'fetch', slot });
    });
  }

  #hear(message: ToWorker): void {
    switch (message.kind) {
      case 'value':
        this.#arrival.come(message.value);
        return;
      case 'arena':
        this.#carrier.memories.add(message.memory);
        for (const go of this.#onArena.splice(0)) go();
        return;
      case 'abort':
        // The slot may be another task's by now.
        if (this.#board.isStopped(message.slot)) this.#running.get(message.slot)?.abort();
        return;
      default:
        this.#hearOf(message);
    }
  }

  /** What it asked for. */
  #hearOf({ kind, slot }: { readonly kind: 'task' | 'refused'; readonly slot: number }): void {
    const read = this.#arrival.take();
    const awaited = this.#awaited.get(slot);
    this.#awaited.delete(slot);
    try {
      if (kind === 'refused') throw new Error('The task cannot be sent.');
      awaited?.resolve(read());
    } catch (failure) {
      awaited?.reject(failure);
    }
  }

  /** `undefined`: it is sent. Throws when the result cannot be cloned; then nothing was sent. */
  #send(slot: number, flags: number, result: unknown, began: number): Promise<void> | undefined {
    const ended = now();
    const head = { slot, flags, began, ended };
    const bytes = movedOf(result) === undefined ? packResult(head, result, this.#carrier, this.#longest) : undefined;
    if (bytes === undefined || bytes.length > this.#longest) this.#post(head, result);
    // Where the buffer cannot take it, a message can.
    else if (!this.#results.tryPush(bytes)) return this.#results.pushAsync(bytes).catch(() => this.#post(head, result));
    return undefined;
  }

  #post(head: ResultHead, result: unknown): void {
    const { value, transferList } = movedOf(result) ?? { value: result, transferList: [] };
    this.#tell({ kind: 'value', value: this.#carrier.toMessage(value) }, transferList);
    this.#tell({ kind: 'result', ...head });
  }

  #sendFailure(slot: number, thrown: unknown, began: number): Promise<void> | undefined {
    const check = (value: unknown): void => this.#carrier.check(value);
    try {
      return this.#send(slot, FAILED, packFailure(thrown, check), began);
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      return this.#send(slot, FAILED, packFailure(new Error('The task failed with something that cannot be sent.'), check), began);
    }
  }

  #tell(message: FromWorker, transferList: readonly object[] = []): void {
    this.#start.port.postMessage(message, transferList as []);
  }
}

/** Functions, too, have methods. */
function isThenable(value: unknown): boolean {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return typeof (value as { readonly then?: unknown }).then === 'function';
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

parentPort?.once('message', (start: WorkerStart) => {
  void new Work(start).run();
});
