// The worker's end of its message port: the messages to and from the pool, beside the tasks and results in the buffers.

import type { MessagePort } from 'node:worker_threads';
import type { SharedMemories } from '../clone/shared-memories.ts';
import { WAKE, PendingValue, type FromWorker, type ToWorker } from '../messages/messages.ts';

export interface InboxEvents {
  /** The pool has put a task in, or has closed the buffer. */
  onWake(): void;
  /** A task in this slot was aborted. */
  onAbort(slot: number): void;
  /** The worker is to take no more tasks, and to end when its running tasks have ended. */
  onLeave(): void;
}

interface Awaited {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export class Inbox {
  readonly #port: MessagePort;
  readonly #memories: SharedMemories;
  readonly #events: InboxEvents;
  readonly #pendingValue = new PendingValue();
  /** By slot: the tasks that wait for a value sent as a message. */
  readonly #awaited = new Map<number, Awaited>();
  /** Called when the pool has announced a further arena. */
  #onArena: (() => void)[] = [];
  #asked: Promise<void> | undefined;
  #answer: () => void = () => undefined;

  constructor(port: MessagePort, memories: SharedMemories, events: InboxEvents) {
    this.#port = port;
    this.#memories = memories;
    this.#events = events;
    port.on('message', (message: ToWorker) => this.#receive(message));
    port.on('messageerror', (failure) => this.#pendingValue.fail(failure));
  }

  post(message: FromWorker, transferList: readonly object[] = []): void {
    this.#port.postMessage(message, transferList as []);
  }

  /** Asks the pool for the value of a task. Rejects if the value cannot be sent, or cannot be read. */
  fetch(slot: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#awaited.set(slot, { resolve, reject });
      this.post({ kind: 'fetch', slot });
    });
  }

  /**
   * Resolves when this many arenas are known. The pool announces an arena before it queues a task that needs it, so
   * this ends.
   */
  async arenas(count: number): Promise<void> {
    while (count > this.#memories.count) await new Promise<void>((resolve) => this.#onArena.push(resolve));
  }

  /**
   * Tells the pool that the worker is idle. Resolves when the pool has answered. If the answer is to leave, `onLeave`
   * is called first.
   */
  askToLeave(): Promise<void> {
    if (this.#asked === undefined) {
      this.#asked = new Promise((resolve) => (this.#answer = resolve));
      this.post({ kind: 'idle' });
    }
    return this.#asked;
  }

  #receive(message: ToWorker): void {
    if (message === WAKE) {
      this.#events.onWake();
      return;
    }
    switch (message.kind) {
      case 'value':
        this.#pendingValue.set(message.value);
        return;
      case 'arena':
        this.#memories.add(message.memory);
        for (const go of this.#onArena.splice(0)) go();
        return;
      case 'abort':
        this.#events.onAbort(message.slot);
        return;
      case 'leave':
        this.#events.onLeave();
        this.#settleRequest();
        return;
      case 'stay':
        this.#settleRequest();
        return;
      default:
        this.#receiveTask(message);
    }
  }

  #settleRequest(): void {
    this.#asked = undefined;
    this.#answer();
  }

  /** Receives the answer to `fetch`. */
  #receiveTask({ kind, slot }: { readonly kind: 'task' | 'refused'; readonly slot: number }): void {
    const read = this.#pendingValue.take();
    const awaited = this.#awaited.get(slot);
    this.#awaited.delete(slot);
    try {
      if (kind === 'refused') throw new Error('The task cannot be sent.');
      awaited?.resolve(read());
    } catch (failure) {
      awaited?.reject(failure);
    }
  }
}
