// The error of a broadcast, beside those of the core.

import { plural } from '@sluice/core/internal';

/** A subscription was too slow, and lost values. Its next call goes on at the oldest value that is kept. */
export class LaggedError extends Error {
  readonly code = 'SLUICE_LAGGED';
  /** How many values this subscription lost since the last value that it got. */
  readonly lost: number;

  /** `subject`: names the broadcast. */
  constructor(subject: string, lost: number) {
    super(`${subject}: this subscription was too slow and lost ${plural(lost, 'value')}. Its next call goes on at the oldest value that is kept.`);
    this.name = 'LaggedError';
    this.lost = lost;
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_LAGGED: LaggedError;
  }
}
