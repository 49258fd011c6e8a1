// Conditions that throw, return a promise or no boolean, or wait themselves.

import { Arena, hasCode } from '@sluice/core';
import { afterEach, describe, expect, test } from 'vitest';
import {
  addressSignal,
  addressWaitUntil,
  addressWaitUntilAsync,
  keyMonitor,
  keyOf,
  keyWait,
  locationWait,
  SharedWord,
  waitOnAddress,
} from '../src/index.ts';
import { expectNoWaiters } from './support/no-waiters.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

describe.each(['wasm', 'js'] as const)('engine %s', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const word = SharedWord.create(0, { arena });
  /** Signals the waiter, so that it evaluates its condition again. */
  const wakeEarly = (): void => addressSignal(word);

  afterEach(() => {
    word.store(0);
    expectNoWaiters(arena);
  });

  /** Returns a condition that calls `act` from its evaluation number `when` on, and is false before. */
  function atLook(when: number, act: () => unknown): () => unknown {
    let looks = 0;
    return () => {
      looks += 1;
      if (looks >= when) return act();
      return false;
    };
  }

  const fail = (): never => {
    throw new RangeError('no more');
  };
  const never: unknown = Promise.resolve(false);

  test.each([1, 2])('addressWaitUntil() throws the error of evaluation %d, and the next wait works', (when) => {
    expect(() => addressWaitUntil(word, atLook(when, fail), 1000)).toThrow('no more');
    expectNoWaiters(arena);
    expect(addressWaitUntil(word, () => false, 1)).toBe(false);
  });

  test.each([1, 2, 3, 4])(
    'an async wait rejects with the error of evaluation %d, and the other waiters of the key are still woken',
    async (when) => {
      const other = addressWaitUntilAsync(word, () => word.load() === 1);
      const wait = addressWaitUntilAsync(word, atLook(when, fail));
      const rousing = setInterval(wakeEarly, 1);
      await expect(wait).rejects.toThrow('no more');
      clearInterval(rousing);
      word.store(1);
      addressSignal(word);
      expect(await other).toBe(true);
    },
  );

  test.each([1, 2])('a wait throws a TypeError when evaluation %d of its condition returns a promise', (when) => {
    const wait = (): unknown =>
      addressWaitUntil(
        word,
        atLook(when, () => never),
        1000,
      );
    expect(wait).toThrow(TypeError);
    expect(wait).toThrow('it returned a promise');
  });

  test.each([1, 2, 3])(
    'an async wait rejects when evaluation %d returns a promise, and the other waiters of the key are still woken',
    async (when) => {
      const other = addressWaitUntilAsync(word, () => word.load() === 1);
      const wait = addressWaitUntilAsync(
        word,
        atLook(when, () => never),
      );
      const rousing = setInterval(wakeEarly, 1);
      await expect(wait).rejects.toThrow('it returned a promise');
      clearInterval(rousing);
      word.store(1);
      addressSignal(word);
      expect(await other).toBe(true);
    },
  );

  test.each([0, '', null, undefined, Number.NaN])(
    'a condition that returns %j does not hold, and the wait returns that value after its timeout',
    (nothing) => {
      expect(addressWaitUntil(word, () => nothing, 1)).toBe(nothing);
    },
  );

  test.each([1, 'yes', Symbol.iterator, {}, [], { then: 1 }])(
    'a condition that returns %o holds',
    async (something) => {
      expect(addressWaitUntil(word, () => something)).toBe(something);
      expect(await addressWaitUntilAsync(word, () => something)).toBe(something);
    },
  );

  test.each([
    ['addressWaitUntil', () => addressWaitUntil(word, () => false, 1)],
    ['addressWaitUntil at another key', () => addressWaitUntil(keyOf(word, 5), () => false, 1)],
    ['keyWait', () => keyWait(word, keyMonitor(word), 1)],
    ['waitOnAddress', () => waitOnAddress(word, word.load(), 1)],
    ['locationWait', () => [locationWait(word, 1), locationWait(word, 1)].at(-1)],
    [
      'three nested waits',
      () => addressWaitUntil(word, () => addressWaitUntil(word, () => keyWait(word, keyMonitor(word), 1), 1), 1),
    ],
  ] as const)('a condition that waits by %s and then throws leaves no element behind', (_, inner) => {
    const looks: unknown[] = [];
    expect(addressWaitUntil(word, () => looks.push(inner()) === 2, 1000)).toBe(true);
    expect(looks).toEqual([false, false]);
    expectNoWaiters(arena);
    for (const when of [1, 2]) {
      expect(() =>
        addressWaitUntil(
          word,
          atLook(when, () => (inner(), fail())),
          1000,
        ),
      ).toThrow('no more');
      expectNoWaiters(arena);
    }
  });

  test('a condition that starts an async wait without awaiting it leaves only that wait behind', async () => {
    const forgotten: Promise<unknown>[] = [];
    const one = addressWaitUntil(
      word,
      () => forgotten.push(addressWaitUntilAsync(word, () => word.load() === 1)) === 2,
      1000,
    );
    expect(one).toBe(true);
    word.store(1);
    addressSignal(word);
    expect(await Promise.all(forgotten)).toEqual([true, true]);
  });

  test('the next wait throws a MisuseError after a condition has freed its word', () => {
    const own = SharedWord.create(0, { arena });
    expect(addressWaitUntil(own, () => (own.free(), true))).toBe(true);
    const failure = ((): unknown => {
      try {
        return addressWaitUntil(own, () => true);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(hasCode(failure, 'SLUICE_MISUSE')).toBe(true);
  });

  test('an async wait rejects with the reason of an abort during its condition', async () => {
    const controller = new AbortController();
    const wait = addressWaitUntilAsync(
      word,
      atLook(2, () => (controller.abort('enough'), false)),
      { signal: controller.signal },
    );
    await expect(wait).rejects.toBe('enough');
  });
});
