// The error of this engine, beside those of the core and of remote primitives. Distinguish them by `code`.

import { EngineError, type RemoteErrorCode } from '@sluice/remote';

export type LocalErrorCode = RemoteErrorCode | 'SLUICE_LOCAL';

/**
 * The folder of the namespace cannot be used, or the serving process refused a call. `cause` is the error of the
 * operating system, if there is one.
 */
export class LocalError extends EngineError<'SLUICE_LOCAL'> {
  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_LOCAL', 'LocalError', message, options);
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_LOCAL: LocalError;
  }
}
