// The workers' side of a pool: takes tasks, runs them, tells what came of them.

import { BoundedBuffer, type BoundedBufferHandle } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import { serialize } from 'node:v8';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { Board, type BoardHandle } from './board.ts';
import { Context, movedOf } from './context.ts';
import { packFailure } from './failure.ts';
import { Functions, type TaskFunction } from './functions.ts';
import { ELSEWHERE, FAILED, packResult, SKIPPED, slotOf, unpackTask, type TaskMessage } from './wire.ts';

/** The first message, on the worker's own port. `port`: for what follows, so that the task's file has the other one for itself. */
export interface WorkerStart {
  readonly number: number;
  readonly tasks: BoundedBufferHandle;
  readonly results: BoundedBufferHandle;
  readonly board: BoardHandle;
  readonly filename: string;
  readonly name: string;
  readonly concurrentTasks: number;
  readonly atomics: 'async' | 'sync';
  /** The longest result that the buffer takes, in bytes. */
  readonly longest: number;
  readonly port: MessagePort;
}

export type ToWorker =
  | { readonly kind: 'abort' | 'refused'; readonly slot: number }
  | { readonly kind: 'task'; readonly slot: number; readonly value: unknown };

/** Branded: a task's file may send messages of its own. */
export type FromWorker = { readonly sluice: 'worker-pool' } & (
  | { readonly kind: 'ready' }
  | { readonly kind: 'fetch'; readonly slot: number }
  | {
      readonly kind: 'result';
      readonly slot: number;
      readonly flags: number;
      readonly value: unknown;
      readonly began: number;
      readonly ended: number;
    }
);

/** So long a worker goes on without a turn of its event loop, in ms: its timers have to run, too. */
const BUSY_MS = 5;

class Work {
  readonly #start: WorkerStart;
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #results: BoundedBuffer<Uint8Array>;
  readonly #board: Board;
  readonly #functions = new Functions();
  /** The pool's own, once it is loaded. */
  #function: TaskFunction | undefined;
  /** Longer results go as messages. */
  readonly #longest: number;
  readonly #running = new Map<number, Context>();
  readonly #awaited = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (reason: unknown) => void }>();
  #turned = performance.now();

  constructor(start: WorkerStart) {
    const { number, port } = start;
    const board = Board.from(start.board);
    this.#start = start;
    this.#board = board;
    this.#tasks = BoundedBuffer.from(start.tasks, { onTake: (bytes) => board.take(slotOf(bytes as Uint8Array), number) });
    this.#results = BoundedBuffer.from(start.results);
    this.#longest = start.longest;
    port.on('message', (message: ToWorker) => this.#hear(message));
    port.on('messageerror', (failure) => this.#refuseAll(failure));
  }

  /** Until the pool closes its tasks. */
  async run(): Promise<void> {
    const { concurrentTasks, port } = this.#start;
    tell({ sluice: 'worker-pool', kind: 'ready' });
    // Loaded now, not with the first task; what is wrong with it the tasks will say.
    this.#functions.find(this.#start.filename, this.#start.name).catch(() => undefined);
    await Promise.all(Array.from({ length: concurrentTasks }, () => this.#goOn()));
    port.close();
  }

  async #goOn(): Promise<void> {
    try {
      for (;;) {
        const bytes = this.#isBusyTooLong() ? undefined : this.#tasks.tryPop();
        const done = this.#runTask(unpackTask(bytes ?? (await this.#next())));
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
    this.#turned = performance.now();
    if (this.#start.atomics === 'sync') return this.#tasks.pop();
    const bytes = await this.#tasks.popAsync();
    this.#turned = performance.now();
    return bytes;
  }

  /** `undefined`: it is done. */
  #runTask(task: TaskMessage): Promise<void> | undefined {
    const { slot, flags, elsewhere, value } = task;
    const began = now();
    if (this.#board.isStopped(slot)) return this.#send(slot, SKIPPED, undefined, began);
    const run = this.#function;
    if (run === undefined || elsewhere || flags !== 0) return this.#runSlowly(task, began);
    const context = new Context(this.#board, slot);
    let result: unknown;
    try {
      result = run(value as never, context);
      if (!isThenable(result)) return this.#send(slot, 0, result, began);
    } catch (thrown) {
      return this.#sendFailure(slot, thrown, began);
    }
    return this.#await(slot, context, result, began);
  }

  /** The function is not loaded yet, or is not the usual one, or the task comes as a message. */
  async #runSlowly({ slot, flags, elsewhere, value }: TaskMessage, began: number): Promise<void> {
    const context = new Context(this.#board, slot);
    try {
      const sent = elsewhere ? await this.#fetch(slot) : value;
      const { filename, name } = this.#start;
      const [file, exported, input] = (flags & ELSEWHERE) !== 0 ? (sent as [string, string, unknown]) : [filename, name, sent];
      const run = await this.#functions.find(file, exported);
      if (file === filename && exported === name) this.#function = run;
      if (context.aborted) {
        await this.#send(slot, SKIPPED, undefined, began);
        return;
      }
      await this.#await(slot, context, run(input as never, context), began);
    } catch (thrown) {
      await this.#sendFailure(slot, thrown, began);
    }
  }

  async #await(slot: number, context: Context, result: unknown, began: number): Promise<void> {
    this.#running.set(slot, context);
    try {
      await this.#send(slot, 0, await result, began);
    } catch (thrown) {
      await this.#sendFailure(slot, thrown, began);
    } finally {
      this.#running.delete(slot);
    }
  }

  #fetch(slot: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#awaited.set(slot, { resolve, reject });
      tell({ sluice: 'worker-pool', kind: 'fetch', slot });
    });
  }

  #hear(message: ToWorker): void {
    const { kind, slot } = message;
    if (kind === 'abort') {
      // The slot may be another task's by now.
      if (this.#board.isStopped(slot)) this.#running.get(slot)?.abort();
      return;
    }
    const awaited = this.#awaited.get(slot);
    this.#awaited.delete(slot);
    if (kind === 'task') awaited?.resolve(message.value);
    else awaited?.reject(new Error('The task cannot be sent.'));
  }

  /** A message cannot be read, and does not say whose it was. */
  #refuseAll(failure: unknown): void {
    for (const { reject } of this.#awaited.values()) reject(failure);
    this.#awaited.clear();
  }

  /** `undefined`: it is sent. Throws when the result cannot be cloned; then nothing was sent. */
  #send(slot: number, flags: number, result: unknown, began: number): Promise<void> | undefined {
    const moved = movedOf(result);
    const ended = now();
    const bytes = moved === undefined ? tryPack(slot, flags, result, began, ended) : undefined;
    if (bytes !== undefined && bytes.length <= this.#longest) return this.#results.tryPush(bytes) ? undefined : this.#results.pushAsync(bytes);
    const { value, transferList } = moved ?? { value: result, transferList: [] };
    tell({ sluice: 'worker-pool', kind: 'result', slot, flags, value, began, ended }, transferList);
    return undefined;
  }

  #sendFailure(slot: number, thrown: unknown, began: number): Promise<void> | undefined {
    return this.#send(slot, FAILED, packFailure(thrown, serialize), began);
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function';
}

function tryPack(slot: number, flags: number, value: unknown, began: number, ended: number): Uint8Array | undefined {
  try {
    return packResult(slot, flags, value, began, ended);
  } catch {
    // It may be something that a message can carry: shared memory, say.
    return undefined;
  }
}

function tell(message: FromWorker, transferList: readonly object[] = []): void {
  parentPort?.postMessage(message, transferList as []);
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

parentPort?.once('message', (start: WorkerStart) => {
  // Waits for tasks keep the thread alive, not the port.
  start.port.unref();
  void new Work(start).run();
});
