// How calls on a semaphore fail. Each is thrown with everything as it was before the call.

import { DeadlockError, MisuseError, TimeoutError } from '../errors.ts';

/** A rejection with any reason, also one that is no Error: an abort's reason passes untouched. */
export function rejected(reason: unknown): Promise<never> {
  return Promise.resolve().then(() => {
    throw reason;
  });
}

/** `what` was asked for: the beginning of the sentence. */
export function timedOut(what: string, timeout: number | undefined): TimeoutError {
  return new TimeoutError(`${what} could not be had within ${timeout} ms. Nothing was taken.`);
}

export function refuseToBlock(): never {
  throw new MisuseError("This thread may not block (a browser's main thread may not): use the async form (acquireAsync, lockAsync, waitAsync).");
}

export function deadlock(asyncWaits: number): DeadlockError {
  return new DeadlockError(
    `The call would block this agent behind its own ${asyncWaits} async wait(s) here, which cannot go on while it is blocked. ` +
      'Nothing was taken. Use the async form, or await them first.',
  );
}

export function overMax(permits: number, max: number): RangeError {
  return new RangeError(`Releasing ${permits} would leave more than max = ${max} permits free. Nothing was released.`);
}
