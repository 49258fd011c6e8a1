// The functions that `run` accepts as its body. `run` releases the lock when the body returns, and an async body
// returns at its first `await`.

import type { Titled } from './wording.ts';
import { checkFunction } from './check.ts';
import { MisuseError } from './errors.ts';

/**
 * Functions that return before their statements have run, by the tag of their prototypes. The tag is the same in every
 * realm.
 */
const DEFERRED: Readonly<Record<string, string>> = {
  AsyncFunction: 'an async function',
  AsyncGeneratorFunction: 'an async generator function',
  GeneratorFunction: 'a generator function',
};

/**
 * Checks the body of a `run` of `lock`. Throws `TypeError` if it is not a function, and `MisuseError` if it returns
 * before its statements have run. For messages, `use` names the purpose of the body, and `later` the call for async
 * functions.
 */
export function checkBody(body: unknown, lock: Titled, use?: string, later?: string): void {
  checkFunction(body);
  const { [Symbol.toStringTag]: tag } = body as { readonly [Symbol.toStringTag]?: string };
  if (tag !== undefined && DEFERRED[tag] !== undefined) throw deferred(String(lock), DEFERRED[tag], tag, use, later);
}

/**
 * Checks the body of a `runAsync` as `checkBody` does. It accepts async functions. It refuses a generator function,
 * which returns before any of its statements has run.
 */
export function checkAsyncBody(body: unknown, lock: Titled, use?: string): void {
  checkFunction(body);
  if (isAsyncBody(body)) return;
  const { [Symbol.toStringTag]: tag } = body as { readonly [Symbol.toStringTag]: string };
  throw deferred(String(lock), DEFERRED[tag], tag, use);
}

/** Whether `checkAsyncBody` accepts `body`. For calls that have no title yet. */
export function isAsyncBody(body: unknown): boolean {
  if (typeof body !== 'function') return false;
  const { [Symbol.toStringTag]: tag } = body as { readonly [Symbol.toStringTag]?: string };
  return tag !== 'GeneratorFunction' && tag !== 'AsyncGeneratorFunction';
}

function deferred(
  lock: string,
  what: string | undefined,
  tag: string,
  use = 'be held for',
  later = 'runAsync',
): MisuseError {
  const instead = tag === 'AsyncFunction' ? `Use ${later}.` : 'Pass an ordinary function that iterates.';
  return new MisuseError(
    `${lock} cannot ${use} ${what}: its statements would run after the call has returned. ${instead} The function was not called.`,
  );
}

/**
 * Returns what the body of a `run` of `lock` returned. Call it after the lock was released. Throws `MisuseError` for a
 * thenable, with the thenable as its `cause`; `reportRejection` reports a later rejection.
 */
export function refusePromise<T>(result: T, lock: Titled): T {
  if (!isThenable(result)) return result;
  reportRejection(result, `the body of ${String(lock)}.run`);
  throw new MisuseError(
    `${String(lock)} was released before the promise that the body of run returned had settled. Use runAsync. The body was called; ` +
      'the promise is the cause of this error.',
    { cause: result },
  );
}

/** Whether `await` would wait for `value`. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { readonly then?: unknown }).then === 'function'
  );
}

/**
 * Writes the rejection of a promise to `console.error`, for a promise that no caller receives.
 *
 * The rejection then neither ends the process as unhandled nor goes unnoticed. Thenables that are not promises are left
 * alone: some begin their work when `then` is called.
 */
export function reportRejection(promise: PromiseLike<unknown>, whose: string): void {
  if (Object.prototype.toString.call(promise) !== '[object Promise]') return;
  promise.then(undefined, (reason: unknown) => {
    console.error(`@sluice/core: the promise of ${whose} was rejected after the call had failed:`, reason);
  });
}
