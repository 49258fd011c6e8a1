// How calls on a semaphore fail. Each is thrown with everything as it was before the call.

import { MisuseError } from '../errors.ts';

/** A rejection with any reason, also one that is no Error: an abort's reason passes untouched. */
export function rejected(reason: unknown): Promise<never> {
  return Promise.resolve().then(() => {
    throw reason;
  });
}

export function refuseToBlock(): never {
  throw new MisuseError("This thread may not block (a browser's main thread may not): use the async form (acquireAsync, lockAsync, waitAsync).");
}

/** `which`: how messages call the semaphore. */
export function overMax(permits: number, max: number, which: string, available: number): RangeError {
  return new RangeError(`${which}: releasing ${permits} would leave more than max = ${max} permits free (${available} are free). Nothing was released.`);
}
