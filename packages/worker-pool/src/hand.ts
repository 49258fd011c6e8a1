// One worker, from its start to its exit.

import type { Arena, Watch } from '@sluice/core';
import { MessageChannel, receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';
import type { WorkerIdentity } from './events.ts';
import { Arrival, type FromWorker, type ToWorker, type WorkerStart } from './messages.ts';
import type { Settings } from './options.ts';
import type { ResultHead } from './wire.ts';
import { startThread } from './worker-file.ts';

export interface HandEvents {
  /** Its file is loaded, or failed to load: it takes tasks now. */
  onReady(hand: Hand): void;
  /** It has taken a task whose value is sent as a message. */
  onFetch(hand: Hand, slot: number): void;
  /** It has had no task for a while, and waits for the answer `stay` or `leave`. */
  onIdle(hand: Hand): void;
  /** It takes no more tasks, because it was told so or decided so itself. */
  onLeaving(hand: Hand): void;
  /** It has no tasks left. */
  onLeft(hand: Hand): void;
  /** `read` throws if the value cannot be read. */
  onResult(head: ResultHead, read: () => unknown): void;
  /** The worker has reported ends of tasks whose output this thread has not read. */
  onLate(hand: Hand): void;
  /** This thread has read all output of the worker. */
  onRead(hand: Hand): void;
  /** A message that a task's file sent. */
  onForeign(message: unknown): void;
  /** It has ended, its agents are recovered, and all its messages were handled. */
  onExit(hand: Hand, exitCode: number): void;
}

export class Hand {
  readonly number: number;
  readonly thread: Worker;
  /** The error that it ended with. */
  failure: unknown;
  isReady = false;
  /** It takes no more tasks, or was told so. */
  isLeaving = false;
  /** It has received that message: its event loop turns. */
  hasHeard = false;
  /** The thread's id, kept because an ended thread has none. */
  readonly threadId: number;
  #isTerminated = false;
  readonly #prints: WorkerStart['prints'];
  readonly #port: MessagePort;
  readonly #arrival = new Arrival();
  readonly #events: HandEvents;

  /** Throws what `Worker` throws. */
  constructor({ arena, workerUrl, thread: options }: Settings, start: Omit<WorkerStart, 'port'>, events: HandEvents) {
    this.number = start.number;
    this.#prints = start.prints;
    this.#events = events;
    this.thread = startThread(workerUrl, options);
    this.threadId = this.thread.threadId;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    // The first of all listeners: when the others are told of the exit, the worker's agents have been recovered.
    const watch = watchOrEnd(arena, this.thread, port1);
    this.thread.on('message', (message: unknown) => events.onForeign(message));
    this.thread.on('error', (failure) => (this.failure = failure));
    this.thread.on('exit', (exitCode) => {
      watch.stop();
      this.#hearTheRest();
      events.onExit(this, exitCode);
    });
    port1.on('message', (message: FromWorker) => this.#hear(message));
    port1.on('messageerror', (failure) => this.#arrival.spoil(failure));
    this.thread.postMessage({ ...start, port: port2 }, [port2]);
    // After the listeners, because adding them refs the port.
    port1.unref();
    this.thread.unref();
  }

  /** As in `Printing`. */
  get isRead(): boolean {
    return this.#prints.every((name) => {
      const stream = this.thread[name];
      return stream.listenerCount('data') + stream.listenerCount('readable') > 0;
    });
  }

  get identity(): WorkerIdentity {
    return { workerId: this.number, threadId: this.threadId };
  }

  /** Does not wait for the exit. Calls `terminate` of the `Worker` only once, because each call adds a listener. */
  terminate(): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    void this.thread.terminate();
  }

  /** A message that is sent after the worker's end is lost. */
  tell(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  /** Sends a task that the worker asked for. Throws if the value cannot be sent. */
  send(slot: number, value: unknown, transferList: readonly object[]): void {
    this.#port.postMessage({ kind: 'value', value } satisfies ToWorker, transferList as []);
    this.tell({ kind: 'task', slot });
  }

  #hear(message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        this.isReady = true;
        this.#events.onReady(this);
        return;
      case 'fetch':
        this.#events.onFetch(this, message.slot);
        return;
      case 'idle':
        this.#events.onIdle(this);
        return;
      case 'leaving':
        this.hasHeard = true;
        this.#events.onLeaving(this);
        return;
      case 'left':
        this.#events.onLeft(this);
        return;
      case 'late':
        this.#events.onLate(this);
        return;
      case 'read':
        this.#events.onRead(this);
        return;
      case 'value':
        this.#arrival.come(message.value);
        return;
      case 'result':
        this.#events.onResult(message, this.#arrival.take());
    }
  }

  /** The exit of a thread may be reported before its last messages. */
  #hearTheRest(): void {
    for (;;) {
      try {
        const next = receiveMessageOnPort(this.#port);
        if (next === undefined) break;
        this.#hear(next.message as FromWorker);
      } catch (failure) {
        this.#arrival.spoil(failure);
      }
    }
    this.#port.close();
  }
}

/** Throws what `arena.watch` throws; then the thread is told to end. */
function watchOrEnd(arena: Arena, thread: Worker, port: MessagePort): Watch {
  try {
    return arena.watch(thread);
  } catch (failure) {
    port.close();
    void thread.terminate();
    throw failure;
  }
}
