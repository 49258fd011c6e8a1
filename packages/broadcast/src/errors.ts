// The errors of a broadcast, beside those of the core.

import { plural } from '@sluice/core/calls';

class BroadcastError extends Error {
  readonly code: 'SLUICE_LAGGED';
  // Defined as a field. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: 'SLUICE_LAGGED', name: string, message: string) {
    super(message);
    this.code = code;
    this.name = name;
  }
}

/** A subscription was too slow and lost values. Its next call continues at the oldest kept value. */
export class LaggedError extends BroadcastError {
  /** The number of values lost since the last value that this subscription got. */
  readonly lost: number;

  /** `subject` names the broadcast. */
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
