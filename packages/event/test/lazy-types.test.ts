// The types of `get` and `tryGet` of a lazy. The compiler checks this file, and reports each line below that it should
// reject but accepts.

import { MisuseError } from '@sluice/core';
import { expect, expectTypeOf, test } from 'vitest';
import { Lazy } from '../src/index.ts';

const REFUSED = 'Use getAsync';

test('get() and tryGet() return the type of the value', () => {
  const lazy = Lazy.create<{ readonly port: number; readonly host?: string }>();
  expectTypeOf(lazy.get(() => ({ port: 1 }))).toEqualTypeOf<{ readonly port: number; readonly host?: string }>();
  expectTypeOf(lazy.tryGet(() => ({ port: 1, host: 'a' }))).toEqualTypeOf<
    { readonly port: number; readonly host?: string } | undefined
  >();
  expectTypeOf(Lazy.create({ codec: 'int32' }).get(() => 7)).toEqualTypeOf<number>();
  expectTypeOf(Lazy.create<'a' | 'b'>().get(() => 'a')).toEqualTypeOf<'a' | 'b'>();
  expectTypeOf(Lazy.create<readonly [number, string]>().get(() => [1, 'a'])).toEqualTypeOf<readonly [number, string]>();
  const anything = (): ReturnType<typeof JSON.parse> => 1;
  expect([Lazy.create().get(anything), Lazy.create<number>().get(anything)]).toEqual([1, 1]);
  expect(Lazy.create().get((): unknown => 'value')).toBe('value');
  // @ts-expect-error -- a type other than that of the value
  expect(Lazy.create<number>().get(() => 'text')).toBe('text');
});

test('a lazy of a narrower type is assignable to one of a wider type, and get() takes the initialiser of a generic caller', () => {
  const wide: Lazy<unknown> = Lazy.create<number>({});
  const through = <T>(lazy: Lazy<T>, compute: () => T): T => lazy.get(compute);
  expect([wide.get(() => 1), through(Lazy.create<string>(), () => 'a')]).toEqual([1, 'a']);
});

test('get() and tryGet() reject an initialiser that returns a promise, by type and at run time', () => {
  const thenable = (): PromiseLike<number> => Promise.resolve(1);
  const maybe = (): Promise<number> | number => Promise.resolve(1);
  // @ts-expect-error -- an async function, for a lazy of any value
  expect(() => Lazy.create().get(async () => Promise.resolve(1))).toThrow(REFUSED);
  // @ts-expect-error -- an async function, for a lazy of objects
  expect(() => Lazy.create<object>().get(async () => Promise.resolve({}))).toThrow(REFUSED);
  // @ts-expect-error -- an async function
  expect(() => Lazy.create().tryGet(async () => Promise.resolve(1))).toThrow(REFUSED);
  // @ts-expect-error -- a function that returns a promise
  expect(() => Lazy.create().get(() => Promise.resolve(1))).toThrow(MisuseError);
  // @ts-expect-error -- a thenable
  expect(() => Lazy.create().get(thenable)).toThrow(REFUSED);
  // @ts-expect-error -- a function that may return a promise
  expect(() => Lazy.create().tryGet(maybe)).toThrow(REFUSED);
});
