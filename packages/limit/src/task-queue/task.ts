// A task that waits for its slot, and the run of its function.

import { TimeoutError } from '@sluice/core';
import { keepAlive, letGo, offAbort, onAbort, reasonOf, setAlarm } from '@sluice/core/calls';
import type { IntervalCall } from '../interval/interval-queue.ts';
import type { IntervalPlace } from '../interval/interval-place.ts';

/** What a task's function receives. */
export interface QueuedTaskContext {
  /** The signal of the task, if it has one. */
  readonly signal: AbortSignal | undefined;
}

export type TaskFunction<T> = (context: QueuedTaskContext) => PromiseLike<T> | T;

/** Where a task is. */
export type TaskState = 'new' | 'queued' | 'held' | 'begun' | 'running' | 'dropped';

export interface TaskTerms {
  readonly id: string;
  readonly priority: number;
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The counts of one task queue object. */
export interface OwnCounts {
  waiting: number;
  /** Tasks that have their slots. */
  running: number;
}

/** What the agent's tasks do when a task gets its slot or leaves. */
export interface TaskLine {
  onSlotGranted(task: Task): void;
}

export class Task implements IntervalCall {
  before: IntervalCall | undefined;
  behind: IntervalCall | undefined;
  hasReturned = false;
  place: IntervalPlace | undefined;
  state: TaskState = 'new';
  priority: number;
  startTime = 0;
  readonly id: string;
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The counts of the object through which the task was added. */
  readonly counts: OwnCounts;
  readonly #line: TaskLine;
  #resolve: (() => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #onAborted: (() => void) | undefined;

  constructor(line: TaskLine, counts: OwnCounts, { id, priority, timeout, signal }: TaskTerms) {
    this.#line = line;
    this.counts = counts;
    this.id = id;
    this.priority = priority;
    this.timeout = timeout;
    this.signal = signal;
  }

  get isWaiting(): boolean {
    return this.state === 'queued' || this.state === 'held';
  }

  /** Waits until `go` or `reject`. `enter` puts the task into a line. `onAborted` is called if its signal aborts. */
  wait(enter: () => void, onAborted: () => void): Promise<void> {
    // A task with an interval may have had a slot, and have lost it.
    if (this.state === 'begun') this.counts.running -= 1;
    this.counts.waiting += 1;
    keepAlive();
    this.#onAborted = onAborted;
    onAbort(this.signal, onAborted);
    return new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      enter();
    });
  }

  /** Ends the wait without an end: the promise of the task never settles. */
  forget(): void {
    this.#leave('dropped');
  }

  reject(reason: unknown): void {
    this.#leave('dropped');
    this.#reject?.(reason);
  }

  /** Called by the queue of the slots. The task may still be held back. */
  left(): void {
    // `go`, `reject` and `forget` end the wait.
  }

  /** Called by the queue of the slots when the task has a slot. */
  begin(): void {
    this.state = 'begun';
    this.#line.onSlotGranted(this);
  }

  /** Ends the wait: the task has a slot. */
  go(): void {
    this.#leave('begun');
    this.counts.running += 1;
    this.#resolve?.();
  }

  #leave(state: TaskState): void {
    this.state = state;
    const onAborted = this.#onAborted;
    if (onAborted === undefined) return;
    this.#onAborted = undefined;
    offAbort(this.signal, onAborted);
    this.counts.waiting -= 1;
    letGo();
  }
}

/**
 * Calls the function. Settles as its result does, or before it: rejects with the signal's reason when the signal
 * aborts, and with `TimeoutError` after the timeout. The function continues.
 */
export async function runTask<T>(task: Task, fn: TaskFunction<T>, timeoutMessage: (task: Task) => string): Promise<T> {
  const { signal, timeout } = task;
  // Without the check, the function of a task that was aborted between its slot and its start would run.
  if (signal?.aborted === true) throw reasonOf(signal);
  if (signal === undefined && timeout === undefined) return fn({ signal });
  return await new Promise<T>((resolve, reject) => {
    const refuse: (reason: unknown) => void = reject;
    const stop = (): void => {
      offAbort(signal, abort);
      alarm?.stop();
    };
    const abort = (): void => {
      stop();
      refuse(reasonOf(signal));
    };
    const alarm = setAlarm(
      timeout ?? Infinity,
      () => {
        stop();
        reject(new TimeoutError(timeoutMessage(task)));
      },
      true,
    );
    onAbort(signal, abort);
    // An async function, so that an error that the function throws at once becomes a rejection, too.
    const run = async (): Promise<T> => fn({ signal });
    run().then(
      (value) => {
        stop();
        resolve(value);
      },
      (reason: unknown) => {
        stop();
        refuse(reason);
      },
    );
  });
}
