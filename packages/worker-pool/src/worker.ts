// The workers' side of a pool: takes tasks, runs them, tells what came of them.

import { BoundedBuffer, type BoundedBufferHandle } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import { serialize } from 'node:v8';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { Board, type BoardHandle } from './board.ts';
import { Context, movedOf } from './context.ts';
import { packFailure } from './failure.ts';
import { Functions } from './functions.ts';
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
  readonly port: MessagePort;
}

export type ToWorker =
  | { readonly kind: 'abort'; readonly slot: number }
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
  readonly #running = new Map<number, Context>();
  readonly #awaited = new Map<number, (value: unknown) => void>();
  #turned = performance.now();

  constructor(start: WorkerStart) {
    const { number, port } = start;
    const board = Board.from(start.board);
    this.#start = start;
    this.#board = board;
    this.#tasks = BoundedBuffer.from(start.tasks, { onTake: (bytes) => board.take(slotOf(bytes as Uint8Array), number) });
    this.#results = BoundedBuffer.from(start.results);
    port.on('message', (message: ToWorker) => this.#hear(message));
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
      for (;;) await this.#runTask(unpackTask(await this.#next()));
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    }
  }

  async #next(): Promise<Uint8Array> {
    if (performance.now() - this.#turned > BUSY_MS) await this.#turn();
    const next = this.#tasks.tryPop();
    if (next !== undefined) return next;
    if (this.#start.atomics === 'sync') return this.#tasks.pop();
    const bytes = await this.#tasks.popAsync();
    this.#turned = performance.now();
    return bytes;
  }

  async #turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#turned = performance.now();
  }

  async #runTask(task: TaskMessage): Promise<void> {
    const { slot, flags } = task;
    const began = now();
    if (this.#board.isStopped(slot)) {
      await this.#send(slot, SKIPPED, undefined, began);
      return;
    }
    const context = new Context(this.#board, slot);
    this.#running.set(slot, context);
    try {
      const sent = task.value === undefined ? await this.#fetch(slot) : task.value.of;
      const [filename, name, value] =
        (flags & ELSEWHERE) !== 0 ? (sent as [string, string, unknown]) : [this.#start.filename, this.#start.name, sent];
      const run = await this.#functions.find(filename, name);
      const result = (await run(value as never, context)) as unknown;
      await this.#send(slot, 0, result, began);
    } catch (thrown) {
      await this.#sendFailure(slot, thrown, began);
    } finally {
      this.#running.delete(slot);
    }
  }

  #fetch(slot: number): Promise<unknown> {
    return new Promise((resolve) => {
      this.#awaited.set(slot, resolve);
      tell({ sluice: 'worker-pool', kind: 'fetch', slot });
    });
  }

  #hear(message: ToWorker): void {
    if (message.kind === 'abort') {
      this.#running.get(message.slot)?.abort();
      return;
    }
    this.#awaited.get(message.slot)?.(message.value);
    this.#awaited.delete(message.slot);
  }

  /** Throws when the result cannot be cloned; then nothing was sent. */
  async #send(slot: number, flags: number, result: unknown, began: number): Promise<void> {
    const moved = movedOf(result);
    const ended = now();
    const bytes = moved === undefined ? tryPack(slot, flags, result, began, ended) : undefined;
    if (bytes !== undefined && (await this.#put(bytes))) return;
    const { value, transferList } = moved ?? { value: result, transferList: [] };
    tell({ sluice: 'worker-pool', kind: 'result', slot, flags, value, began, ended }, transferList);
  }

  async #sendFailure(slot: number, thrown: unknown, began: number): Promise<void> {
    await this.#send(slot, FAILED, packFailure(thrown, serialize), began);
  }

  /** `false`: it is too long for the buffer. */
  async #put(bytes: Uint8Array): Promise<boolean> {
    try {
      if (!this.#results.tryPush(bytes)) await this.#results.pushAsync(bytes);
      return true;
    } catch (failure) {
      if (failure instanceof RangeError) return false;
      throw failure;
    }
  }
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
