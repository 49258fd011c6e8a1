// The counts of a pool, and the times that tasks wait and run.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { now } from '../platform/timers.ts';

/** Times in ms. */
export interface Times {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

export interface PoolStats {
  /** Workers that have started and not ended. */
  readonly workers: number;
  /** Tasks that wait for a worker. */
  readonly queued: number;
  /** Calls of `run` that wait for a place in the queue. */
  readonly waiting: number;
  /**
   * Tasks that a worker has taken, and whose end this thread has not processed yet. While this thread is busy, finished
   * tasks count, too.
   */
  readonly running: number;
  /** Tasks that were aborted or timed out, and that a worker still runs. They count as failed, too. */
  readonly stopping: number;
  readonly completed: number;
  /**
   * Tasks that rejected: by their own error, the death of their worker, an abort, a timeout, or the end of the pool.
   */
  readonly failed: number;
  /** Workers that died and were replaced. */
  readonly replaced: number;
  /**
   * The running time of all ended tasks, divided by the lifetime of the pool times its maximum of workers. 0 to 1, or
   * more with several tasks per worker.
   */
  readonly utilization: number;
  /** The time from the call of `run` to the start of the task. */
  readonly waitTime: Times;
  readonly runTime: Times;
}

const NS_PER_MS = 1e6;

export class Stats {
  completed = 0;
  failed = 0;
  replaced = 0;
  readonly #waits = createHistogram();
  readonly #runs = createHistogram();
  readonly #since = now();
  #runMs = 0;

  /**
   * Records a task that ended in a worker, with times in ms since 1970. The clocks of threads differ by some
   * microseconds.
   */
  note(called: number, began: number, ended: number): void {
    record(this.#waits, began - called);
    record(this.#runs, ended - began);
    this.#runMs += ended - began;
  }

  utilization(workers: number): number {
    return this.#runMs / ((now() - this.#since) * workers);
  }

  get waitTime(): Times {
    return times(this.#waits);
  }

  get runTime(): Times {
    return times(this.#runs);
  }
}

function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * NS_PER_MS)));
}

function times(histogram: RecordableHistogram): Times {
  const { count } = histogram;
  if (count === 0) return { count, mean: 0, min: 0, max: 0, p50: 0, p90: 0, p99: 0 };
  const at = (percent: number): number => histogram.percentile(percent) / NS_PER_MS;
  return {
    count,
    mean: histogram.mean / NS_PER_MS,
    min: histogram.min / NS_PER_MS,
    max: histogram.max / NS_PER_MS,
    p50: at(50),
    p90: at(90),
    p99: at(99),
  };
}
