// The initialiser of a call that blocks: it must have done its work when it returns.

import { MisuseError } from '@sluice/core';
import { isThenable, reportRejection } from '@sluice/core/internal';

/** Calls it. Throws `MisuseError` if it returns a promise. `once`: for its title. `call`: the call that was made, `instead`: the one that waits for promises. */
export function callHere<T>(initialiser: () => T, once: { toString(): string }, call: string, instead: string): T {
  const result = initialiser();
  if (!isThenable(result)) return result;
  reportRejection(result, `the initialiser of ${once.toString()}`);
  throw new MisuseError(
    `${once.toString()}: its initialiser returned a promise, which ${call} does not wait for. The attempt failed; the promise is the cause of this error. Use ${instead}.`,
    { cause: result },
  );
}
