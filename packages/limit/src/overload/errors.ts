// The error of a call that a limit sheds, beside the errors of the core.

/**
 * The limit has too many waiting calls (`maxWaiting`), so it shed this one. The function was not called.
 *
 * Tell it apart by `code`, which is `'SLUICE_OVERLOADED'`.
 */
export class OverloadedError extends Error {
  readonly code: 'SLUICE_OVERLOADED';
  // Defined as a field. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(message: string) {
    super(message);
    this.code = 'SLUICE_OVERLOADED';
    this.name = 'OverloadedError';
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_OVERLOADED: OverloadedError;
  }
}
