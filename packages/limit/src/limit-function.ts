// Wraps a function so that its calls go through a limit.

import type { Semaphore } from '@sluice/core';
import { checkFunction, INSPECT, consoleText, show } from '@sluice/core/calls';
import { createLimit } from './create-limit.ts';
import type { Limit } from './calls/limit.ts';
import type { LimitOptions } from './api/options.ts';

/** A function whose calls go through a limit. */
export type LimitedFunction<Args extends unknown[], T> = ((...args: Args) => Promise<T>) & Pick<Limit, 'clearQueue'>;

/**
 * Wraps `fn` so that its calls go through a limit.
 *
 * The limit is a new one, or an existing one. The slots of an existing limit are shared with all its other callers.
 *
 * @param options - An existing limit, or the argument of `createLimit`.
 * @throws {TypeError} If `fn` is not a function, or if `options` is a function that is not a limit. Otherwise throws as
 *   `createLimit` does.
 *
 * ```ts run
 * import { limitFunction } from '@sluice/limit';
 *
 * const slowly = limitFunction(async (n: number) => n + 1, { concurrency: 1 });
 * console.log(await Promise.all([1, 2, 3].map((n) => slowly(n)))); // [ 2, 3, 4 ]
 * ```
 */
export function limitFunction<Args extends unknown[], T>(
  fn: (...args: Args) => PromiseLike<T> | T,
  options: number | LimitOptions | Semaphore | Limit,
): LimitedFunction<Args, T> {
  checkFunction(fn);
  const limit = typeof options === 'function' ? checkLimit(options) : createLimit(options as LimitOptions);
  const limited = (...args: Args): Promise<T> => {
    // The message of the DataCloneError has this text.
    'A function cannot be posted to another thread: post limit.handle.';
    return limit(fn, ...args);
  };
  return Object.defineProperties(limited, {
    clearQueue: { value: limit.clearQueue },
    [INSPECT]: { value: () => consoleText('LimitedFunction', () => ({ of: String(limit), function: fn.name })) },
  }) as LimitedFunction<Args, T>;
}

/** Checks the properties, not the class: the limit may come from another copy of this package. */
function checkLimit(given: Partial<Limit>): Limit {
  if (given.handle?.kind === 'sluice.limit') return given as Limit;
  throw new TypeError(`Expected a limit, or what createLimit takes: received ${show(given)}`);
}
