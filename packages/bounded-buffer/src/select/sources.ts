// The sources of `selectAsync`. `select` in select.ts documents what each source promises.

import type { WaitOptions } from '@sluice/core';
import { checkInteger, MAX_PERMITS, show } from '@sluice/core/calls';
import type { BoundedBuffer } from '../buffer/bounded-buffer.ts';
import { openParts, putIfWanted, putNow, takeIfWanted, takeNow } from '../buffer/on-demand.ts';
import type { Outcome, Source } from './source.ts';

/** The semaphore of `select.acquire`: one of any kind. */
export interface Acquirable {
  tryAcquire(permits?: number): boolean;
  acquireAsync(permits?: number, options?: WaitOptions): Promise<void>;
  release(permits?: number): void;
}

/**
 * The argument of `select.wait`: a manual-reset event, an auto-reset event (`signal`) or a countdown latch (`count`).
 */
export type SelectSource = {
  tryWait(): boolean;
  waitAsync(options?: WaitOptions): Promise<void>;
} & ({ readonly isSet: boolean } | { signal(): void } | { readonly count: number });

const DONE: Outcome<undefined> = Object.freeze({ value: undefined });

export function take<T>(buffer: BoundedBuffer<T>): Source<T> {
  const parts = openParts(buffer);
  return {
    tryNow() {
      let outcome: Outcome<T> | undefined;
      takeNow<T>(parts, {
        receive: (value) => void (outcome = { value }),
        fail: (failure) => void (outcome = { failure }),
      });
      return outcome;
    },
    async wait(options, claim) {
      let outcome: Outcome<T> | undefined;
      const receiver = {
        wants: claim,
        receive: (value: T) => void (outcome = { value }),
        fail: (failure: unknown) => void (outcome = { failure }),
      };
      await takeIfWanted<T>(parts, options, receiver);
      return outcome;
    },
  };
}

export function put<T>(buffer: BoundedBuffer<T>, value: T): Source<undefined> {
  const parts = openParts(buffer);
  // A copy: the caller may change its array before the selection is over.
  const packed = parts.store.keep(parts.pack(value as never));
  return {
    tryNow: () => (putNow(parts, packed) ? DONE : undefined),
    async wait(options, claim) {
      const outcome = { isIn: false };
      await putIfWanted(parts, packed, options, () => (outcome.isIn = claim()));
      return outcome.isIn ? DONE : undefined;
    },
  };
}

export function acquire(semaphore: Acquirable, permits = 1): Source<undefined> {
  checkMethods('acquire', 'a semaphore', semaphore, ['tryAcquire', 'acquireAsync', 'release']);
  checkInteger('permits', permits, 1, MAX_PERMITS);
  return {
    tryNow: () => (semaphore.tryAcquire(permits) ? DONE : undefined),
    async wait(options, claim) {
      await semaphore.acquireAsync(permits, options);
      if (claim()) return DONE;
      semaphore.release(permits);
      return undefined;
    },
  };
}

export function wait(event: SelectSource): Source<undefined> {
  checkMethods('wait', 'an event or a countdown latch', event, ['tryWait', 'waitAsync']);
  // Other primitives have a `wait`, too, but a barrier's wait would arrive there, and a condition's wait needs its
  // lock.
  if (!('isSet' in event || 'signal' in event || 'count' in event))
    throw wrongSource('wait', 'an event or a countdown latch', event);
  return {
    tryNow: () => (event.tryWait() ? DONE : undefined),
    async wait(options, claim) {
      await event.waitAsync(options);
      if (claim()) return DONE;
      if ('signal' in event) event.signal();
      return undefined;
    },
  };
}

function checkMethods(what: string, expected: string, given: unknown, names: readonly string[]): void {
  const isObject = typeof given === 'object' && given !== null;
  if (!isObject || names.some((name) => typeof (given as Readonly<Record<string, unknown>>)[name] !== 'function'))
    throw wrongSource(what, expected, given);
}

function wrongSource(what: string, expected: string, given: unknown): TypeError {
  return new TypeError(`${what}() of a selection takes ${expected}: received ${show(given)}`);
}
