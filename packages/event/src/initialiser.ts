// The functions that a once and a lazy accept as an initialiser.

import { MisuseError } from '@sluice/core';
import { checkAsyncBody, checkBody, isThenable, reportRejection, type Titled } from '@sluice/core/calls';

declare const refusal: unique symbol;

/**
 * The type that the compiler's error names if the initialiser of a `get` returns a promise: call `getAsync` instead. No
 * value has this type.
 */
export interface UseGetAsync {
  readonly [refusal]: 'getAsync';
}

/** Completes the message about a wrong initialiser. */
const USE = 'be initialised by';

/**
 * Checks the initialiser of a call that blocks, which must have done its work when it returns. `later` is the call that
 * takes async functions.
 */
export function checkInitialiser(initialiser: unknown, once: Titled, later: string): void {
  checkBody(initialiser, once, USE, later);
}

export function checkAsyncInitialiser(initialiser: unknown, once: Titled): void {
  checkAsyncBody(initialiser, once, USE);
}

/** Calls the initialiser. Throws `MisuseError` if it returns a promise. */
export function callHere<T>(initialiser: () => T, once: Titled, later: string): T {
  const result = initialiser();
  if (!isThenable(result)) return result;
  reportRejection(result, `the initialiser of ${once.toString()}`);
  throw new MisuseError(
    `${once.toString()}: its initialiser returned a promise, but this call does not wait for promises. Use ${later}. The attempt failed. The promise is the cause of this error.`,
    { cause: result },
  );
}
