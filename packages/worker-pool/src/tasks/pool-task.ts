// A task in the pool's thread, from `run` to its end.
//
//   waits in line ▶ has a slot, is in the buffer ▶ is taken by a worker ▶ its result has arrived
//
// An abort or a timeout settles its promise earlier. A cancelled task that no worker has taken leaves its slot at once.
// A cancelled task that a worker has taken keeps its slot until the worker has reported its end.

import { TimeoutError } from '@sluice/core';
import { offAbort, onAbort, reasonOf, setAlarm, type Alarm } from '@sluice/core/calls';
import type { RunSettings } from '../api/run-options.ts';
import { now, timeOrigin } from '../platform/timers.ts';

type GiveUp = (task: PoolTask, why: (where: string) => unknown) => void;

export class PoolTask {
  readonly value: unknown;
  readonly settings: RunSettings;
  readonly promise: Promise<unknown>;
  /** The time of the call of `run`, in ms since 1970. */
  readonly called = timeOrigin + now();
  /** -1 without a slot. */
  slot = -1;
  /** Distinguishes the task from earlier tasks of its slot. */
  generation = 0;
  /** The number of entries that went into the buffer before the task's, mod 2^32. */
  order = 0;
  /** The number of times that the task may still be run again. */
  retries: number;
  settled = false;
  /** The worker has reported the task's end, or has ended. */
  hasEnded = false;
  /** The next task in line. */
  next: PoolTask | undefined;
  #resolve!: (value: unknown) => void;
  #reject!: (reason: unknown) => void;
  #alarm: Alarm | undefined;
  #forgetAbort: (() => void) | undefined;
  #giveUp: GiveUp | undefined;
  #onOver: (() => void) | undefined;

  /** `retries`: for a task whose options do not say how often it may be run again. */
  constructor(value: unknown, settings: RunSettings, retries: number) {
    this.value = value;
    this.settings = settings;
    this.retries = settings.retry ?? retries;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The value that the worker gets, with the file and function if they are not the pool's own. */
  get sent(): unknown {
    const { file } = this.settings;
    return file === undefined ? this.value : [...file, this.value];
  }

  /**
   * Calls `giveUp` once if an abort, the timeout or `cancel` comes before the end. Its argument `why` turns the task's
   * whereabouts into the reason of the rejection.
   */
  arm(giveUp: GiveUp): void {
    const { signal, timeout } = this.settings;
    this.#giveUp = giveUp;
    if (signal !== undefined) {
      const abort = (): void => giveUp(this, () => reasonOf(signal));
      onAbort(signal, abort);
      this.#forgetAbort = () => offAbort(signal, abort);
    }
    const late = (where: string): unknown =>
      new TimeoutError(`${this.label} was not done within ${timeout} ms: ${where}.`);
    this.#alarm = setAlarm(timeout, () => giveUp(this, late), true);
  }

  /** Cancels the task as an abort with this reason does. Without effect on a task that has settled. */
  cancel(reason: unknown): void {
    if (!this.settled) this.#giveUp?.(this, () => reason);
  }

  /**
   * Calls `listener` when the task is over: it has settled, and no worker runs it or will run it. A cancelled task
   * settles before it is over.
   */
  onOver(listener: () => void): void {
    this.#onOver = listener;
    this.#look();
  }

  /** The task's slot is free for another task. */
  leaveSlot(): void {
    this.slot = -1;
    this.#look();
  }

  /** The task's name in error messages. */
  get label(): string {
    const { file } = this.settings;
    return file === undefined || file[1] === 'default' ? 'The task' : `Task '${file[1]}'`;
  }

  resolve(value: unknown): void {
    this.#end();
    this.#resolve(value);
  }

  reject(reason: unknown): void {
    this.#end();
    this.#reject(reason);
  }

  #end(): void {
    this.settled = true;
    this.#alarm?.stop();
    this.#forgetAbort?.();
    this.#look();
  }

  #look(): void {
    if (this.settled && this.slot < 0) this.#onOver?.();
  }
}
