// The events of a task queue object, with the interface of event emitters as far as p-queue's users need it.

import { checkFunction, show } from '@sluice/core/calls';

/** The events of a task queue, and what their listeners receive. All are about the tasks of the object itself. */
export interface TaskQueueEvents {
  /** A task was added. */
  add: [];
  /** A task is about to start. */
  active: [];
  /** A task has ended, or has left the queue. */
  next: [];
  /** A function has ended with this result. */
  completed: [result: unknown];
  /** A task has failed with this reason: its function threw, timed out or was aborted. */
  error: [reason: unknown];
  /** No task waits. Emitted when a task has ended or left, and by `clear`. */
  empty: [];
  /** No task waits or runs. */
  idle: [];
  /** No function runs. */
  pendingZero: [];
  /** Tasks wait for the interval. */
  rateLimit: [];
  /** No task waits for the interval any more. */
  rateLimitCleared: [];
}

export type TaskQueueEvent = keyof TaskQueueEvents;

type Listener = (...values: never[]) => unknown;

interface Entry {
  readonly listener: Listener;
  readonly once: boolean;
}

const NAMES: readonly string[] = [
  'add',
  'active',
  'next',
  'completed',
  'error',
  'empty',
  'idle',
  'pendingZero',
  'rateLimit',
  'rateLimitCleared',
] satisfies TaskQueueEvent[];

export class Events {
  /** Replaced with each change, so that a listener may change the list while it is read. */
  readonly #entries = new Map<TaskQueueEvent, readonly Entry[]>();

  add(event: TaskQueueEvent, listener: Listener, once: boolean): void {
    checkEvent(event);
    checkFunction(listener);
    this.#entries.set(event, [...(this.#entries.get(event) ?? []), { listener, once }]);
  }

  remove(event: TaskQueueEvent, listener: Listener): void {
    checkEvent(event);
    const left = (this.#entries.get(event) ?? []).filter((entry) => entry.listener !== listener);
    if (left.length > 0) this.#entries.set(event, left);
    else this.#entries.delete(event);
  }

  count(event: TaskQueueEvent): number {
    checkEvent(event);
    return this.#entries.get(event)?.length ?? 0;
  }

  /** Calls the listeners in the order in which they were added. An error that one throws becomes an uncaught error. */
  emit<Event extends TaskQueueEvent>(event: Event, ...values: TaskQueueEvents[Event]): void {
    const entries = this.#entries.get(event);
    if (entries === undefined) return;
    for (const { listener, once } of entries) {
      if (once) this.remove(event, listener);
      try {
        listener(...(values as never[]));
      } catch (failure) {
        queueMicrotask(() => {
          throw failure;
        });
      }
    }
  }
}

function checkEvent(event: unknown): void {
  if (!NAMES.includes(event as string))
    throw new TypeError(`A task queue has no event ${show(event)}: expected one of ${NAMES.join(', ')}.`);
}
