// How many calls may wait at a limit, in its report.

export interface SheddingReport {
  readonly maxWaiting: number;
  readonly shed: 'newest' | 'oldest';
  /** The number of calls of all agents that were shed. */
  readonly shedCount: number;
}
