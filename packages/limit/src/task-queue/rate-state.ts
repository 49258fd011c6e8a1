// Whether tasks of one object wait for the interval, and the events about it.
//
// The state changes in a microtask after the tasks have, so that tasks that start one after another cause one event.

import { setAlarm, type Alarm } from '@sluice/core/calls';
import type { IntervalReport } from '../api/interval-terms.ts';

/** What the state depends on. */
export interface RateView {
  readonly interval: IntervalReport;
  /** The number of waiting tasks of the object. */
  readonly waiting: number;
  /** Whether no task can start now even if the interval is open: the queue is paused, or all slots are taken. */
  readonly isBlocked: boolean;
}

export class RateState {
  readonly #view: () => RateView;
  readonly #emit: (event: 'rateLimit' | 'rateLimitCleared') => void;
  #isLimited = false;
  #isScheduled = false;
  #alarm: Alarm | undefined;

  constructor(view: () => RateView, emit: (event: 'rateLimit' | 'rateLimitCleared') => void) {
    this.#view = view;
    this.#emit = emit;
  }

  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** Looks in a microtask. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.update();
    });
  }

  update(): void {
    const { interval, waiting, isBlocked } = this.#view();
    this.#alarm?.stop();
    this.#alarm = undefined;
    if (waiting > 0 && interval.opensIn > 0) {
      this.#alarm = setAlarm(interval.opensIn, () => this.update(), false);
      this.#set(true);
    } else if (waiting === 0 || isBlocked) this.#set(false);
    // Otherwise tasks are about to start, and the state is decided after their starts.
  }

  #set(isLimited: boolean): void {
    if (isLimited === this.#isLimited) return;
    this.#isLimited = isLimited;
    this.#emit(isLimited ? 'rateLimit' : 'rateLimitCleared');
  }
}
