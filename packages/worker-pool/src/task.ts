// A task in the pool's thread, from `run` to its end.
//
//   waits for a place ▶ has a slot, lies in the buffer ▶ taken by a worker ▶ its result is here
//
// Its promise may settle before that: by an abort or a timeout. A task that no worker has taken leaves its slot at once. One that a worker
// has taken keeps it until the worker has told its end.

import { TimeoutError } from '@sluice/core';
import { offAbort, onAbort, reasonOf, setAlarm, type Alarm } from '@sluice/core/internal';
import type { RunSettings } from './run-options.ts';

export class Task {
  readonly value: unknown;
  readonly settings: RunSettings;
  readonly promise: Promise<unknown>;
  /** When `run` was called, ms since 1970. */
  readonly called = performance.timeOrigin + performance.now();
  /** -1: none yet. */
  slot = -1;
  /** Tells it from others in that slot. */
  offer = 0;
  /** Values that went into the buffer before it. */
  order = 0;
  /** How often it may still be run again. */
  retries: number;
  settled = false;
  /** Its worker has told its end, or has ended. */
  hasEnded = false;
  /** The one behind it in line. */
  next: Task | undefined;
  #resolve!: (value: unknown) => void;
  #reject!: (reason: unknown) => void;
  #alarm: Alarm | undefined;
  #forgetAbort: (() => void) | undefined;

  constructor(value: unknown, settings: RunSettings, retries: number) {
    this.value = value;
    this.settings = settings;
    this.retries = retries;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** What the worker gets: the value, and where it is not the pool's own function, which one. */
  get sent(): unknown {
    const { file } = this.settings;
    return file === undefined ? this.value : [...file, this.value];
  }

  /** `giveUp` is called once, if an abort or the timeout comes before the end. `why` gets where the task is. */
  arm(giveUp: (task: Task, why: (where: string) => unknown) => void): void {
    const { signal, timeout } = this.settings;
    if (signal !== undefined) {
      const abort = (): void => giveUp(this, () => reasonOf(signal));
      onAbort(signal, abort);
      this.#forgetAbort = () => offAbort(signal, abort);
    }
    const late = (where: string): unknown => new TimeoutError(`${this.label} was not done within ${timeout} ms: ${where}.`);
    this.#alarm = setAlarm(timeout, () => giveUp(this, late), true);
  }

  /** For messages. */
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
  }
}
