// How an adaptive limit found its size, in its report.

export interface AdaptiveReport {
  readonly min: number;
  readonly max: number;
  readonly target: 'latency';
  readonly tolerance: number;
  /** The estimated size. `concurrency` of the report is this number, rounded down. */
  readonly estimate: number;
  /** The latency of a call without load, in ms; 0: not known yet. */
  readonly baseline: number;
  /** The average latency of the last window at full size, in ms; 0: none has ended yet. */
  readonly latency: number;
  /** Whether the limit measures the baseline, at a lower size. */
  readonly isProbing: boolean;
  /** The number of samples of the current window. Each agent adds its own a few at a time. */
  readonly samples: number;
  /** The number of samples with which the window ends. */
  readonly samplesNeeded: number;
}
