import { expect, test } from 'vitest';
import { rejection } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree } from './expect-free.ts';

/** Wrong timeouts, signals and options. */
export function argumentErrors(create: () => ConformingLock): void {
  test.each([Number.NaN, -1, -Infinity])('a timeout of %d is a RangeError', async (timeout) => {
    const lock = create();
    expect(() => lock.tryLock(timeout)).toThrow(RangeError);
    expect(await rejection(lock.lockAsync({ timeout }))).toBeInstanceOf(RangeError);
    expectFree(lock);
  });

  test.each(['5', null, 5n])('a timeout of %o is a TypeError', async (given) => {
    const lock = create();
    const timeout = given as unknown as number;
    expect(() => lock.tryLock(timeout)).toThrow(TypeError);
    expect(await rejection(lock.lockAsync({ timeout }))).toBeInstanceOf(TypeError);
    expectFree(lock);
  });

  test('a signal that is none and options that are none reject with a TypeError', async () => {
    const lock = create();
    const signal = {} as unknown as AbortSignal;
    expect(await rejection(lock.lockAsync({ signal }))).toBeInstanceOf(TypeError);
    expect(await rejection(lock.lockAsync(7 as unknown as object))).toBeInstanceOf(TypeError);
    expectFree(lock);
  });
}
