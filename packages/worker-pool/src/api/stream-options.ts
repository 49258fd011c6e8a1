// The options of `stream`.

import { checkFlag, checkInteger, checkOptions } from '@sluice/core/calls';
import { RUN_OPTIONS, type RunOptions } from './run-options.ts';

/** `timeout`, `priority` and `retry` are those of each task. `signal` is that of the stream. */
export interface StreamOptions extends Omit<RunOptions, 'transferList'> {
  /**
   * Whether outputs leave in the order of their inputs. If false, they leave in the order in which the tasks end.
   * Default: true.
   */
  readonly ordered?: boolean | undefined;
  /**
   * The maximum number of inputs that were read and whose outputs were not taken, 1 to 2^16: tasks that wait or run,
   * and outputs that wait for their turn or for the consumer. Default: twice the number of tasks that the workers can
   * run at a time.
   */
  readonly concurrency?: number | undefined;
}

const MAX_AT_ONCE = 2 ** 16;

const STREAM_OPTIONS: readonly (keyof StreamOptions)[] = [
  ...RUN_OPTIONS.filter((name) => name !== 'transferList'),
  'ordered',
  'concurrency',
];

export interface StreamSettings {
  readonly ordered: boolean;
  readonly concurrency: number;
  /** The options of each task, and the signal. */
  readonly run: RunOptions;
}

/** Checks the options of `stream` itself. `places`: how many tasks the workers can run at a time. */
export function readStreamOptions(options: StreamOptions, places: number): StreamSettings {
  checkOptions(options, STREAM_OPTIONS);
  const { ordered = true, concurrency, ...run } = options;
  checkFlag('ordered', ordered);
  return {
    ordered,
    concurrency: concurrency === undefined ? 2 * places : checkInteger('concurrency', concurrency, 1, MAX_AT_ONCE),
    run,
  };
}
