// The messages between a worker and its pool, beside the tasks and results in the buffers.

import type { BoundedBufferHandle } from '@sluice/bounded-buffer';
import type { SharedMemory } from '@sluice/core';
import type { MessagePort } from 'node:worker_threads';
import type { SlotTableHandle } from '../shared/slot-table.ts';
import type { StandardStream } from '../platform/unread-output.ts';
import type { ResultHead } from './wire.ts';

/**
 * The first message, sent to the worker's `parentPort`. All later messages use `port`, so that the task's file has
 * `parentPort` for itself.
 */
export interface PoolWorkerStart {
  readonly number: number;
  readonly tasks: BoundedBufferHandle;
  readonly results: BoundedBufferHandle;
  readonly slotTable: SlotTableHandle;
  readonly filename: string;
  readonly name: string;
  readonly concurrentTasks: number;
  readonly atomics: 'async' | 'sync';
  /** The idle time after which the worker asks whether to end, in ms. */
  readonly idleTimeout: number;
  /** The worker ends after this many tasks. */
  readonly maxTasks: number;
  /** The worker ends after a task that leaves more than this many bytes in its heap. */
  readonly maxHeap: number;
  /** The longest result that is put into the buffer, in bytes. Longer results are sent as messages. */
  readonly longest: number;
  /** The memories of the arenas that values may lie in, the pool's own first. */
  readonly memories: readonly SharedMemory[];
  /** The standard streams that the pool's thread reads by itself. */
  readonly outputStreams: readonly StandardStream[];
  readonly port: MessagePort;
}

/** Sent before the message that names its task. If it cannot be read, only that task fails. */
interface ValueMessage {
  readonly kind: 'value';
  readonly value: unknown;
}

/**
 * Wakes the event loop of the receiver, which then looks for tasks or results (leadership.ts, wake-message.ts). A
 * number, because it is written and read faster than an object.
 */
export const WAKE = 0;

export type ToWorker =
  | typeof WAKE
  | ValueMessage
  | { readonly kind: 'abort'; readonly slot: number }
  /**
   * `leave`: take no more tasks, and end. The pool sends it on its own, or as the answer to `idle`. The other answer is
   * `stay`.
   */
  | { readonly kind: 'leave' }
  | { readonly kind: 'stay' }
  /** Announces a further arena. The values of later tasks may lie in it. */
  | { readonly kind: 'arena'; readonly memory: SharedMemory }
  | { readonly kind: 'task' | 'refused'; readonly slot: number };

export type FromWorker =
  | typeof WAKE
  | ValueMessage
  | { readonly kind: 'ready' }
  | { readonly kind: 'fetch'; readonly slot: number }
  /** The worker has been idle for a while. It takes a task before the answer only if it is notified of one. */
  | { readonly kind: 'idle' }
  /** `leaving`: the worker takes no more tasks. `left`: it has no running task either. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'left' }
  /** `late`: the ends of tasks were reported before their output was read. `read`: all output was read. */
  | { readonly kind: 'late' }
  | { readonly kind: 'read' }
  | ({ readonly kind: 'result' } & ResultHead);

/** The value of the last `ValueMessage`, until the next message names its task. */
export class PendingValue {
  #value: unknown;
  #failure: unknown;
  #isReadable = false;

  set(value: unknown): void {
    this.#value = value;
    this.#isReadable = true;
  }

  /** A value arrived that cannot be read. */
  fail(failure: unknown): void {
    this.#failure = failure;
    this.#isReadable = false;
  }

  /** Takes the value. The returned function throws if the value could not be read. */
  take(): () => unknown {
    const [value, failure, isReadable] = [this.#value, this.#failure, this.#isReadable];
    this.fail(undefined);
    return () => {
      if (isReadable) return value;
      throw failure;
    };
  }
}
