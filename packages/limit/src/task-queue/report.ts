// The report of a queue of tasks.

import type { LimitReport } from '../api/report.ts';

/** A task whose function runs. */
export interface RunningTask {
  readonly id: string;
  readonly priority: number;
  /** The time of its start, as `Date.now()` gives it. */
  readonly startTime: number;
  /** In ms. */
  readonly timeout: number | undefined;
  /** The time until the task times out, in ms. */
  readonly timeoutRemaining: number | undefined;
}

/** The report of a task queue: that of its limit, and whether it is paused. */
export interface TaskQueueReport extends Omit<LimitReport, 'kind'> {
  readonly kind: 'task-queue';
  readonly isPaused: boolean;
}
