// The workers of a pool: started, heard, replaced when they die.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Board } from './board.ts';
import type { Settings } from './options.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker.ts';

/** So many workers in a row, beside the first of all, may end before they were ready; then the pool gives up. */
const MOST_STILLBORN = 3;

/** One worker. */
export interface Hand {
  readonly number: number;
  readonly thread: Worker;
  readonly port: MessagePort;
  /** What it ended with. */
  failure: unknown;
  ready: boolean;
}

export interface CrewEvents {
  onMessage(hand: Hand, message: FromWorker): void;
  /** A message that a task's file sent. */
  onForeign(message: unknown): void;
  /** It has ended, and its agents are recovered. */
  onExit(hand: Hand, exitCode: number): void;
  onStart(hand: Hand): void;
  /** Workers do not start: `failure`, of the last one. */
  onStillborn(failure: unknown): void;
}

export class Crew {
  readonly #settings: Settings;
  readonly #tasks: BoundedBuffer<Uint8Array>;
  readonly #results: BoundedBuffer<Uint8Array>;
  readonly #board: Board;
  readonly #events: CrewEvents;
  readonly #hands = new Map<number, Hand>();
  #numbers = 0;
  #stillborn = 0;
  #ending = false;

  constructor(settings: Settings, tasks: BoundedBuffer<Uint8Array>, results: BoundedBuffer<Uint8Array>, board: Board, events: CrewEvents) {
    this.#settings = settings;
    this.#tasks = tasks;
    this.#results = results;
    this.#board = board;
    this.#events = events;
  }

  get size(): number {
    return this.#hands.size;
  }

  get threads(): Worker[] {
    return [...this.#hands.values()].map(({ thread }) => thread);
  }

  start(count: number): void {
    for (let n = 0; n < count; n++) this.#add();
  }

  find(number: number): Hand | undefined {
    return this.#hands.get(number);
  }

  /** What is sent later than the worker ends is lost. */
  tell(hand: Hand, message: ToWorker, transferList: readonly object[] = []): void {
    hand.port.postMessage(message, transferList as []);
  }

  /** The tasks are closed: waits until all workers have come to their end; `graceMs` later they are terminated. */
  async end(graceMs: number): Promise<void> {
    this.#ending = true;
    // Not `once` of node:events: that rejects on the error that a worker may end with.
    const exits = this.threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)));
    const late = setTimeout(() => this.#terminate(), graceMs);
    for (const thread of this.threads) thread.ref();
    await Promise.all(exits);
    clearTimeout(late);
  }

  async terminate(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }

  #terminate(): void {
    for (const thread of this.threads) void thread.terminate();
  }

  #add(): void {
    const { thread: options, arena, filename, name, concurrentTasks, atomics, bufferBytes } = this.#settings;
    const { port1, port2 } = new MessageChannel();
    const thread = new Worker(new URL('./worker.js', import.meta.url), options);
    const hand: Hand = { number: (this.#numbers += 1), thread, port: port1, failure: undefined, ready: false };
    this.#hands.set(hand.number, hand);
    // First of all listeners: when the others hear of the end, what the worker left is in order.
    const watch = arena.watch(thread);
    thread.on('message', (message: unknown) => this.#hear(hand, message));
    thread.on('error', (failure) => (hand.failure = failure));
    // What it said is lost, and with it what became of a task.
    thread.on('messageerror', (failure) => {
      hand.failure = failure;
      void thread.terminate();
    });
    thread.on('exit', (exitCode) => {
      watch.stop();
      this.#lose(hand, exitCode);
    });
    const start: Omit<WorkerStart, 'port'> = {
      number: hand.number,
      tasks: this.#tasks.handle,
      results: this.#results.handle,
      board: this.#board.handle,
      filename,
      name,
      concurrentTasks,
      atomics,
      // Or one result would have the buffer for itself.
      longest: bufferBytes / 4,
    };
    thread.postMessage({ ...start, port: port2 }, [port2]);
    thread.unref();
    port1.unref();
  }

  #hear(hand: Hand, message: unknown): void {
    if (!isFromWorker(message)) {
      this.#events.onForeign(message);
      return;
    }
    if (message.kind === 'ready') {
      hand.ready = true;
      this.#stillborn = 0;
      this.#events.onStart(hand);
    }
    this.#events.onMessage(hand, message);
  }

  #lose(hand: Hand, exitCode: number): void {
    this.#hands.delete(hand.number);
    hand.port.close();
    if (!hand.ready) this.#stillborn += 1;
    this.#events.onExit(hand, exitCode);
    if (this.#ending) return;
    if (this.#stillborn >= MOST_STILLBORN + this.#settings.size) {
      this.#events.onStillborn(hand.failure ?? new Error(`A worker ended with exit code ${exitCode} before it was ready.`));
      return;
    }
    try {
      this.#add();
    } catch (failure) {
      this.#events.onStillborn(failure);
    }
  }
}

function isFromWorker(message: unknown): message is FromWorker {
  return typeof message === 'object' && message !== null && (message as Partial<FromWorker>).sluice === 'worker-pool';
}
