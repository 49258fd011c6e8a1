// One worker of a pool, in the pool's thread, from its start to its exit.

import type { Arena, Watch } from '@sluice/core';
import { MessageChannel, receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';
import type { WorkerIdentity } from '../api/events.ts';
import { WAKE, PendingValue, type FromWorker, type ToWorker, type PoolWorkerStart } from '../messages/messages.ts';
import type { Settings } from '../api/options.ts';
import type { ResultHead } from '../messages/wire.ts';
import { startThread } from './worker-file.ts';

export interface PooledWorkerEvents {
  /** The worker's file is loaded, or failed to load. The worker takes tasks from now on. */
  onReady(worker: PooledWorker): void;
  /** The worker has put a result into the buffer. */
  onWake(): void;
  /** The worker has taken a task whose value is sent as a message. */
  onFetch(worker: PooledWorker, slot: number): void;
  /** The worker has had no task for a while, and waits for the answer `stay` or `leave`. */
  onIdle(worker: PooledWorker): void;
  /** The worker takes no more tasks, by its own decision or because it was asked to leave. */
  onLeaving(worker: PooledWorker): void;
  /** A leaving worker has no tasks left. */
  onLeft(worker: PooledWorker): void;
  /** `read` throws if the value cannot be read. */
  onResult(head: ResultHead, read: () => unknown): void;
  /** The worker has reported ends of tasks whose output this thread has not read. */
  onLate(worker: PooledWorker): void;
  /** This thread has read all output of the worker. */
  onRead(worker: PooledWorker): void;
  /** A task's file sent a message to its `parentPort`. */
  onForeign(message: unknown): void;
  /** The worker has ended, its agents are recovered, and all its messages were handled. */
  onExit(worker: PooledWorker, exitCode: number): void;
}

export class PooledWorker {
  readonly number: number;
  readonly thread: Worker;
  /** The uncaught error that ended the worker, if any. */
  failure: unknown;
  isReady = false;
  /** The worker takes no more tasks, or was asked to leave. */
  isLeaving = false;
  /** The worker has reported that it is leaving. So its event loop turns, and it takes no further task. */
  isLeaveConfirmed = false;
  /** The thread's id, kept because an ended thread has none. */
  readonly threadId: number;
  #isTerminated = false;
  readonly #outputStreams: PoolWorkerStart['outputStreams'];
  readonly #port: MessagePort;
  readonly #pendingValue = new PendingValue();
  readonly #events: PooledWorkerEvents;

  /** Starts the thread. Throws what `Worker` throws. */
  constructor(
    { arena, workerUrl, thread: options }: Settings,
    start: Omit<PoolWorkerStart, 'port'>,
    events: PooledWorkerEvents,
  ) {
    this.number = start.number;
    this.#outputStreams = start.outputStreams;
    this.#events = events;
    this.thread = startThread(workerUrl, options);
    this.threadId = this.thread.threadId;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    // Before all other listeners: the worker's agents are recovered when the others learn of the exit.
    const watch = watchOrEnd(arena, this.thread, port1);
    this.thread.on('message', (message: unknown) => events.onForeign(message));
    this.thread.on('error', (failure) => (this.failure = failure));
    this.thread.on('exit', (exitCode) => {
      watch.stop();
      this.#receiveRest();
      events.onExit(this, exitCode);
    });
    port1.on('message', (message: FromWorker) => this.#receive(message));
    port1.on('messageerror', (failure) => this.#pendingValue.fail(failure));
    this.thread.postMessage({ ...start, port: port2 }, [port2]);
    // After the listeners, because adding them refs the port.
    port1.unref();
    this.thread.unref();
  }

  /** As in `OutputSource`. */
  get isRead(): boolean {
    return this.#outputStreams.every((name) => {
      const stream = this.thread[name];
      return stream.listenerCount('data') + stream.listenerCount('readable') > 0;
    });
  }

  get identity(): WorkerIdentity {
    return { workerId: this.number, threadId: this.threadId };
  }

  /**
   * Terminates the thread without waiting for its exit. Later calls do nothing, because each `terminate` of a `Worker`
   * adds a listener.
   */
  terminate(): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    void this.thread.terminate();
  }

  /** Sends a message. After the worker's end it is lost. */
  post(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  /** Sends a task that the worker asked for. Throws if the value cannot be sent. */
  send(slot: number, value: unknown, transferList: readonly object[]): void {
    this.#port.postMessage({ kind: 'value', value } satisfies ToWorker, transferList as []);
    this.post({ kind: 'task', slot });
  }

  #receive(message: FromWorker): void {
    if (message === WAKE) {
      this.#events.onWake();
      return;
    }
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
        this.isLeaveConfirmed = true;
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
        this.#pendingValue.set(message.value);
        return;
      case 'result':
        this.#events.onResult(message, this.#pendingValue.take());
    }
  }

  /** The exit of a thread may be reported before its last messages. */
  #receiveRest(): void {
    for (;;) {
      try {
        const next = receiveMessageOnPort(this.#port);
        if (next === undefined) break;
        this.#receive(next.message as FromWorker);
      } catch (failure) {
        this.#pendingValue.fail(failure);
      }
    }
    this.#port.close();
  }
}

/** Watches the thread. If `arena.watch` throws, the thread is terminated and the error is thrown on. */
function watchOrEnd(arena: Arena, thread: Worker, port: MessagePort): Watch {
  try {
    return arena.watch(thread);
  } catch (failure) {
    port.close();
    void thread.terminate();
    throw failure;
  }
}
