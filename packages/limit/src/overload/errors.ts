// The error of a call that a limit sheds, beside the errors of the core.

class LimitError extends Error {
  readonly code: 'SLUICE_OVERLOADED';
  // Defined as a field. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: 'SLUICE_OVERLOADED', name: string, message: string) {
    super(message);
    this.code = code;
    this.name = name;
  }
}

/** The limit has too many waiting calls (`maxWaiting`), so it shed this one. The function was not called. */
export class OverloadedError extends LimitError {
  constructor(message: string) {
    super('SLUICE_OVERLOADED', 'OverloadedError', message);
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_OVERLOADED: OverloadedError;
  }
}
