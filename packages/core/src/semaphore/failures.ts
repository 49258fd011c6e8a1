// How calls on a semaphore fail. Each is thrown with everything as it was before the call.

import { DeadlockError, MisuseError, TimeoutError } from '../errors.ts';

/** A rejection with any reason, also one that is no Error: an abort's reason passes untouched. */
export function rejected(reason: unknown): Promise<never> {
  return Promise.resolve().then(() => {
    throw reason;
  });
}

export function timedOut(permits: number, timeout: number | undefined): TimeoutError {
  return new TimeoutError(`${permits} permit(s) could not be had within ${timeout} ms. Nothing was taken.`);
}

export function refuseToBlock(): never {
  throw new MisuseError("This thread may not block (a browser's main thread may not): use acquireAsync.");
}

export function deadlock(asyncWaits: number): DeadlockError {
  return new DeadlockError(
    `acquire would block this agent behind its own ${asyncWaits} async wait(s) on the same semaphore, which cannot go on ` +
      'while it is blocked. Nothing was taken. Use acquireAsync, or await them first.',
  );
}

export function overMax(permits: number, max: number): RangeError {
  return new RangeError(`Releasing ${permits} would leave more than max = ${max} permits free. Nothing was released.`);
}
