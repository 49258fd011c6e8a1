// Statistics of the locks and semaphores of this thread, in the way of Linux's lock_stat and Go's mutex profile.

import { checkInteger, checkOptions, consoleText, dispose, INSPECT, now, refusePosting } from '@sluice/core/calls';
import { startTool, stopTool } from '../observe/observer.ts';
import { Collector } from './collector.ts';
import type { StatisticsReport } from './report.ts';

export interface StatisticsOptions {
  /**
   * One of so many calls is sampled: its hold is timed, and its place in the program is kept. Default 100. With 1, every
   * call is sampled.
   */
  readonly sample?: number;
}

const OPTIONS: readonly (keyof StatisticsOptions)[] = ['sample'];
const DEFAULT_SAMPLE = 100;
const MAX_SAMPLE = 1_000_000;

/** The statistics that `startStatistics` began, until `stop` or the end of a `using` block. */
export class Statistics {
  readonly #collector: Collector;

  /** @internal */
  constructor(collector: Collector) {
    refusePosting(this);
    this.#collector = collector;
    startTool(collector);
  }

  /** One of so many calls is sampled. May be changed at any time. */
  get sample(): number {
    return this.#collector.sample;
  }

  set sample(sample: number) {
    this.#collector.sample = checkInteger('sample', sample, 1, MAX_SAMPLE);
  }

  /** Returns the statistics since the start or the last reset, as data that can be posted to another thread. */
  snapshot(): StatisticsReport {
    return this.#collector.report;
  }

  /** Begins again with nothing. Holds that have begun are not counted. */
  reset(): void {
    this.#collector.reset();
  }

  /** Ends the collection. `snapshot` still returns what was collected. A second call does nothing. */
  stop(): void {
    stopTool(this.#collector);
    this.#collector.end();
  }

  [INSPECT](): string {
    return consoleText('Statistics', () => ({ sample: this.sample, primitives: this.snapshot().primitives.length }));
  }

  [dispose](): void {
    this.stop();
  }
}

/**
 * Collects statistics of the locks, semaphores and waits of this thread, until `stop`: for each primitive how often it
 * was acquired, how often calls had to wait, for how long they waited and how long it was held, and from which places
 * in the program.
 *
 * Acquisitions, contentions and waits are counted and timed exactly. Holds and places are sampled.
 *
 * Call it before the thread creates or opens its locks and semaphores: acquisitions and holds of older ones are not
 * followed, only their waits. Each thread collects its own statistics; `mergeStatistics` makes one of several.
 * `formatStatistics` makes a table of them, and `pprofOf` a profile for `go tool pprof`.
 *
 * ```ts run
 * import { Semaphore } from '@sluice/core';
 * import { startStatistics } from '@sluice/inspect';
 *
 * const statistics = startStatistics({ sample: 1 });
 * const jobs = Semaphore.create(1, { name: 'jobs' });
 * for (let job = 0; job < 3; job++) jobs.run(() => undefined);
 * const [{ primitive, acquisitions, contentions, holds }] = statistics.snapshot().primitives;
 * console.log(primitive, acquisitions, contentions, holds.count); // semaphore 'jobs' 3 0 3
 * statistics.stop();
 * ```
 *
 * @throws {RangeError} If `sample` is not 1 to 1,000,000.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 */
export function startStatistics(options: StatisticsOptions = {}): Statistics {
  checkOptions(options, OPTIONS);
  const { sample = DEFAULT_SAMPLE } = options;
  return new Statistics(new Collector(checkInteger('sample', sample, 1, MAX_SAMPLE), now));
}
