// Tests what the type of `run` accepts and refuses. The compiler reports each `@ts-expect-error` below that is
// unnecessary.

import { expect, expectTypeOf, test } from 'vitest';
import {
  Arena,
  Holdable,
  Semaphore,
  type DoneOnReturn,
  type NotPromise,
  type OwnerDiedOptions,
  type RunOptions,
} from '../src/index.ts';

const arena = Arena.create({ maxPages: 4 });
const semaphore = Semaphore.create(1, { arena });
const lock: Holdable = semaphore.asLock();

/** Functions that pass their body on to `run`. */
function through<T>(body: () => T): T {
  return lock.run(body);
}

function withArguments<A extends readonly unknown[], R>(body: (...args: A) => R): (...args: A) => R {
  return (...args) => semaphore.run(() => body(...args));
}

function orNone<T extends object>(body: () => T | undefined): T | undefined {
  return semaphore.run(body);
}

/** A lock of a program, with the type that `run` had before. */
interface Runs {
  run<T>(body: () => T): T;
}

class Doubled extends Holdable {
  override lock(): void {
    lock.lock();
  }
  override tryLock(timeoutMs?: number): boolean {
    return lock.tryLock(timeoutMs);
  }
  override lockAsync(): Promise<void> {
    return lock.lockAsync();
  }
  override unlock(): void {
    lock.unlock();
  }
  override run<T>(body: () => NotPromise<T>): T {
    return super.run(body);
  }
}

test('run() has the type of the result of its body', () => {
  const nothing = (): void => undefined;
  const anything = (): ReturnType<typeof JSON.parse> => undefined;
  const some = (): unknown => 1;
  const never = (): never => {
    throw new RangeError('never');
  };
  expectTypeOf(lock.run(() => 1)).toEqualTypeOf<number>();
  expectTypeOf(lock.run(() => [1, 'a'] as const)).toEqualTypeOf<readonly [1, 'a']>();
  expectTypeOf(() => lock.run(nothing)).returns.toEqualTypeOf<void>();
  expectTypeOf(lock.run(some)).toEqualTypeOf<unknown>();
  expectTypeOf(lock.run(anything)).toBeAny();
  expectTypeOf(semaphore.run(() => (arena.id === '' ? undefined : 'a'))).toEqualTypeOf<string | undefined>();
  expectTypeOf(lock.run(() => (n: number) => String(n))).toEqualTypeOf<(n: number) => string>();
  expectTypeOf(new Doubled().run(() => 1n)).toEqualTypeOf<bigint>();
  expect(() => lock.run(never)).toThrow('never');
  const both: [number, string] = lock.run(() => [1, 'a']);
  const chosen: 'a' | 'b' = lock.run(() => 'a');
  expect([both, chosen, lock.run<number>(() => 2)]).toEqual([[1, 'a'], 'a', 2]);
});

test('run() accepts the body of a generic caller, and the older type of a lock fits the interface', () => {
  const runs: Runs = lock;
  const generic: <T>(body: () => T) => T = (body) => semaphore.run(body);
  expectTypeOf(through(() => 1)).toEqualTypeOf<number>();
  expectTypeOf(withArguments((n: number) => n > 1)).toEqualTypeOf<(n: number) => boolean>();
  expect([
    runs.run(() => 1),
    generic(() => 2),
    withArguments((n: number) => n + 1)(2),
    orNone(() => undefined),
  ]).toEqual([1, 2, 3, undefined]);
});

test('run() refuses a body that returns a promise, by its type and by a throw', () => {
  const maybe = (): Promise<number> | undefined => Promise.resolve(1);
  const thenable = (): PromiseLike<number> => Promise.resolve(1);
  // @ts-expect-error -- an async function
  expect(() => lock.run(async () => Promise.resolve(1))).toThrow('Use runAsync');
  // @ts-expect-error -- an async function
  expect(() => semaphore.run(async () => Promise.resolve(1), 1)).toThrow('Use runAsync');
  // @ts-expect-error -- a function that returns a promise
  expect(() => semaphore.run(() => Promise.resolve(1))).toThrow('Use runAsync');
  // @ts-expect-error -- a function that may return a promise
  expect(() => lock.run(maybe)).toThrow('Use runAsync');
  // @ts-expect-error -- a thenable
  expect(() => lock.run(thenable)).toThrow('Use runAsync');
  // @ts-expect-error -- a class's own form
  expect(() => new Doubled().run(thenable)).toThrow('Use runAsync');
  expect(semaphore.available).toBe(1);
});

test('a callback that must finish before it returns may return anything but a promise', () => {
  class Own {
    readonly value = 1;
  }
  const nothing = (): void => undefined;
  const anything = (): ReturnType<typeof JSON.parse> => undefined;
  const list: number[] = [];
  const callbacks: readonly (() => DoneOnReturn)[] = [
    nothing,
    anything,
    () => undefined,
    () => null,
    () => list.push(1),
    () => 'a',
    () => true,
    () => 1n,
    () => Symbol.iterator,
    () => [1],
    () => new Own(),
    () => nothing,
    () => new Map(),
  ];
  const thenable = (): PromiseLike<number> => Promise.resolve(1);
  const maybe = (): Promise<number> | undefined => Promise.resolve(1);
  const refused: readonly (() => DoneOnReturn)[] = [
    // @ts-expect-error -- an async function
    async () => Promise.resolve(),
    // @ts-expect-error -- a function that returns a promise
    () => Promise.resolve(1),
    // @ts-expect-error -- a thenable
    thenable,
    // @ts-expect-error -- a function that may return a promise
    maybe,
  ];
  expect([callbacks.length, refused.length]).toEqual([13, 4]);
});

test('onOwnerDied of run() refuses an async function by its type, and that of runAsync() accepts one', () => {
  const marks: OwnerDiedOptions = { onOwnerDied: (guard) => guard.markConsistent() };
  // @ts-expect-error -- run does not wait for it
  const refused: OwnerDiedOptions = { onOwnerDied: async () => Promise.resolve() };
  const awaited: RunOptions = { onOwnerDied: async () => Promise.resolve() };
  expect([marks, refused, awaited].map(({ onOwnerDied }) => typeof onOwnerDied)).toEqual([
    'function',
    'function',
    'function',
  ]);
});
