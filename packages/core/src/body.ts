// What `run` accepts as its body. It gives the lock back when the body returns, and an async body returns at its first `await`.

import { checkFunction } from './check.ts';
import { MisuseError } from './errors.ts';

/** Its `toString` returns its name for messages. */
export interface Titled {
  toString(): string;
}

/** By the tag of their prototypes, which is the same in every realm. */
const DEFERRED: Readonly<Record<string, string>> = {
  AsyncFunction: 'an async function',
  AsyncGeneratorFunction: 'an async generator function',
  GeneratorFunction: 'a generator function',
};

/** The body of a `run` of `lock`. Throws `TypeError` if it is not a function, `MisuseError` for a function that returns before its statements have run. */
export function checkBody(body: unknown, lock: Titled): void {
  checkFunction(body);
  const { [Symbol.toStringTag]: tag } = body as { readonly [Symbol.toStringTag]?: string };
  if (tag !== undefined && DEFERRED[tag] !== undefined) throw deferred(String(lock), DEFERRED[tag], tag);
}

/** The body of a `runAsync`: a generator function returns before any of its statements has run. */
export function checkAsyncBody(body: unknown, lock: Titled): void {
  checkFunction(body);
  const { [Symbol.toStringTag]: tag } = body as { readonly [Symbol.toStringTag]?: string };
  if (tag === 'GeneratorFunction' || tag === 'AsyncGeneratorFunction') throw deferred(String(lock), DEFERRED[tag], tag);
}

function deferred(lock: string, what: string | undefined, tag: string): MisuseError {
  const instead = tag === 'AsyncFunction' ? 'Use runAsync.' : 'Pass an ordinary function that iterates.';
  return new MisuseError(`${lock} cannot be held for ${what}: its statements would run after the call has returned. ${instead} The function was not called.`);
}

/**
 * What the body of a `run` of `lock` returned, after the lock was given back. Throws `MisuseError` for a thenable, with the thenable as
 * its `cause`; a rejection that comes later is reported by `reportRejection`.
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

/** Whether `await` would wait for it. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && typeof (value as { readonly then?: unknown }).then === 'function';
}

/**
 * Writes the rejection of a promise that no caller gets to `console.error`. So the rejection neither ends the process as unhandled, nor
 * goes unnoticed. Does not touch thenables that are not promises: some begin their work when `then` is called.
 */
export function reportRejection(promise: PromiseLike<unknown>, whose: string): void {
  if (Object.prototype.toString.call(promise) !== '[object Promise]') return;
  promise.then(undefined, (reason: unknown) => {
    console.error(`@sluice/core: the promise of ${whose} was rejected after the call had failed:`, reason);
  });
}
