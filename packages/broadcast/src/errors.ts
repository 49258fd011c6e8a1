// The error of a broadcast, beside those of the core.

import { plural } from '@sluice/core/internal';

class BroadcastError extends Error {
  readonly code: 'SLUICE_LAGGED';
  // A field is defined, not assigned. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: 'SLUICE_LAGGED', name: string, message: string) {
    super(message);
    this.code = code;
    this.name = name;
  }
}

/** A subscription was too slow, and lost values. Its next call goes on at the oldest value that is kept. */
export class LaggedError extends BroadcastError {
  /** How many values this subscription lost since the last value that it got. */
  readonly lost: number;

  /** `subject`: names the broadcast. */
  constructor(subject: string, lost: number) {
    super(
      'SLUICE_LAGGED',
      'LaggedError',
      `${subject}: this subscription was too slow and lost ${plural(lost, 'value')}. Its next call goes on at the oldest value that is kept.`,
    );
    this.lost = lost;
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_LAGGED: LaggedError;
  }
}
