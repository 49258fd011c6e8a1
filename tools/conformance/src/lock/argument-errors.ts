import { expect, test } from 'vitest';
import { rejection } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree, type CreatePair } from './pair.ts';

/** Tests wrong timeouts, signals and options. */
export function argumentErrors(create: CreatePair): void {
  /** A wrong argument is reported whether the lock is free, held by another agent or held by the caller. */
  async function inEachState(check: (lock: ConformingLock) => Promise<void>): Promise<void> {
    const pair = create();
    await check(pair.lock);
    for (const holder of [pair.rival, pair.lock]) {
      holder.lock();
      await check(pair.lock);
      holder.unlock();
    }
    expectFree(pair);
  }

  test.each([Number.NaN, -1, -Infinity])('a timeout of %d throws a RangeError', async (timeout) => {
    await inEachState(async (lock) => {
      expect(() => lock.tryLock(timeout)).toThrow(RangeError);
      expect(await rejection(lock.lockAsync({ timeout }))).toBeInstanceOf(RangeError);
    });
  });

  test.each(['5', null, 5n])('a timeout of %o throws a TypeError', async (given) => {
    const timeout = given as unknown as number;
    await inEachState(async (lock) => {
      expect(() => lock.tryLock(timeout)).toThrow(TypeError);
      expect(await rejection(lock.lockAsync({ timeout }))).toBeInstanceOf(TypeError);
    });
  });

  test('an invalid signal and invalid options reject with a TypeError', async () => {
    const signal = {} as unknown as AbortSignal;
    await inEachState(async (lock) => {
      expect(await rejection(lock.lockAsync({ signal }))).toBeInstanceOf(TypeError);
      expect(await rejection(lock.lockAsync(7 as unknown as object))).toBeInstanceOf(TypeError);
    });
  });
}
