// What a worker and its pool say to each other, beside the tasks and results in the buffers.

import type { BoundedBufferHandle } from '@sluice/bounded-buffer';
import type { SharedMemory } from '@sluice/core';
import type { MessagePort } from 'node:worker_threads';
import type { BoardHandle } from './board.ts';
import type { ResultHead } from './wire.ts';

/** The first message, on the worker's own port. `port`: for all that follows, so that the task's file has the other one for itself. */
export interface WorkerStart {
  readonly number: number;
  readonly tasks: BoundedBufferHandle;
  readonly results: BoundedBufferHandle;
  readonly board: BoardHandle;
  readonly filename: string;
  readonly name: string;
  readonly concurrentTasks: number;
  readonly atomics: 'async' | 'sync';
  /** How long it may be without a task before it asks whether it is to end, in ms. */
  readonly idleTimeout: number;
  /** After so many tasks it ends. */
  readonly maxTasks: number;
  /** After a task that leaves more bytes in its heap it ends. */
  readonly maxHeap: number;
  /** The longest result that the buffer takes, in bytes. */
  readonly longest: number;
  /** The memories of the arenas that values may lie in, the pool's own first. */
  readonly memories: readonly SharedMemory[];
  readonly port: MessagePort;
}

/** What comes before the message that says whose it is: when it cannot be read, that one task fails. */
interface ValueMessage {
  readonly kind: 'value';
  readonly value: unknown;
}

export type ToWorker =
  | ValueMessage
  | { readonly kind: 'abort'; readonly slot: number }
  /** It is to take no more tasks, and to end. Or not: the answer to `idle`. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'stay' }
  /** A further arena: tasks that come later may lie in it. */
  | { readonly kind: 'arena'; readonly memory: SharedMemory }
  | { readonly kind: 'task' | 'refused'; readonly slot: number };

export type FromWorker =
  | ValueMessage
  | { readonly kind: 'ready' }
  | { readonly kind: 'fetch'; readonly slot: number }
  /** It has had no task for a while, and takes none until it is answered. */
  | { readonly kind: 'idle' }
  /** It takes no more tasks. Then: it has none any more. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'left' }
  | ({ readonly kind: 'result' } & ResultHead);

/** The last value that came, until the message behind it says whose it is. */
export class Arrival {
  #value: unknown;
  #failure: unknown;
  #isWhole = false;

  come(value: unknown): void {
    this.#value = value;
    this.#isWhole = true;
  }

  /** It came and cannot be read. */
  spoil(failure: unknown): void {
    this.#failure = failure;
    this.#isWhole = false;
  }

  /** Once for each. What it returns throws if the value could not be read. */
  take(): () => unknown {
    const [value, failure, isWhole] = [this.#value, this.#failure, this.#isWhole];
    this.spoil(undefined);
    return () => {
      if (isWhole) return value;
      throw failure;
    };
  }
}
