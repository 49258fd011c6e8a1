// Errors of calls on a semaphore. Each is thrown before the call changes anything.

import { MisuseError } from './errors.ts';

/**
 * Returns a promise rejected with `reason`. The reason of an abort passes through unchanged, so it need not be an
 * Error.
 */
export function rejected(reason: unknown): Promise<never> {
  return Promise.resolve().then(() => {
    throw reason;
  });
}

/** Throws the `MisuseError` of a blocking call on a thread that must not block. */
export function refuseToBlock(): never {
  throw new MisuseError(
    "This thread may not block (a browser's main thread may not): use the async form (acquireAsync, lockAsync, waitAsync).",
  );
}

/** Returns the error of a release that would exceed `max`. `which` is the semaphore's title. */
export function overMax(permits: number, max: number, which: string, available: number): RangeError {
  return new RangeError(
    `${which}: releasing ${permits} would leave more than max = ${max} permits free (${available} are free). Nothing was released.`,
  );
}
