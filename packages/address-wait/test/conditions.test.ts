// Conditions that do what a condition should not: throw, answer with a promise or with anything else, wait themselves.

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
import { expectNobodyWaits } from './support/nobody-waits.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

describe.each(['wasm', 'js'] as const)('engine %s', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const word = SharedWord.create(0, { arena });
  /** So that looks come again: whoever waits is signalled. */
  const wakeEarly = (): void => addressSignal(word);

  afterEach(() => {
    word.store(0);
    expectNobodyWaits(arena);
  });

  /** A condition that does that at its look number `when`. */
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

  test.each([1, 2])('one that throws at look %d is thrown, and the next wait is as if it had not been', (when) => {
    expect(() => addressWaitUntil(word, atLook(when, fail), 1000)).toThrow('no more');
    expectNobodyWaits(arena);
    expect(addressWaitUntil(word, () => false, 1)).toBe(false);
  });

  test.each([1, 2, 3, 4])('one that throws at look %d of an async wait rejects, and others at the key go on', async (when) => {
    const other = addressWaitUntilAsync(word, () => word.load() === 1);
    const wait = addressWaitUntilAsync(word, atLook(when, fail));
    const rousing = setInterval(wakeEarly, 1);
    await expect(wait).rejects.toThrow('no more');
    clearInterval(rousing);
    word.store(1);
    addressSignal(word);
    expect(await other).toBe(true);
  });

  test.each([1, 2])('one that returns a promise at look %d is a TypeError: a promise would always be true', (when) => {
    const wait = (): unknown => addressWaitUntil(word, atLook(when, () => never), 1000);
    expect(wait).toThrow(TypeError);
    expect(wait).toThrow('it returned a promise');
  });

  test.each([1, 2, 3])('one that returns a promise at look %d of an async wait rejects, and others at the key go on', async (when) => {
    const other = addressWaitUntilAsync(word, () => word.load() === 1);
    const wait = addressWaitUntilAsync(word, atLook(when, () => never));
    const rousing = setInterval(wakeEarly, 1);
    await expect(wait).rejects.toThrow('it returned a promise');
    clearInterval(rousing);
    word.store(1);
    addressSignal(word);
    expect(await other).toBe(true);
  });

  test.each([0, '', null, undefined, Number.NaN])('one that returns %j does not hold, and that is what comes back after the timeout', (nothing) => {
    expect(addressWaitUntil(word, () => nothing, 1)).toBe(nothing);
  });

  test.each([1, 'yes', Symbol.iterator, {}, [], { then: 1 }])('one that returns %o holds', async (something) => {
    expect(addressWaitUntil(word, () => something)).toBe(something);
    expect(await addressWaitUntilAsync(word, () => something)).toBe(something);
  });

  test.each([
    ['addressWaitUntil', () => addressWaitUntil(word, () => false, 1)],
    ['addressWaitUntil at another key', () => addressWaitUntil(keyOf(word, 5), () => false, 1)],
    ['keyWait', () => keyWait(word, keyMonitor(word), 1)],
    ['waitOnAddress', () => waitOnAddress(word, word.load(), 1)],
    ['locationWait', () => [locationWait(word, 1), locationWait(word, 1)].at(-1)],
    ['three waits in each other', () => addressWaitUntil(word, () => addressWaitUntil(word, () => keyWait(word, keyMonitor(word), 1), 1), 1)],
  ] as const)('one may wait itself by %s, and throw then, and nothing stays', (_, inner) => {
    const looks: unknown[] = [];
    expect(addressWaitUntil(word, () => looks.push(inner()) === 2, 1000)).toBe(true);
    expect(looks).toEqual([false, false]);
    expectNobodyWaits(arena);
    for (const when of [1, 2]) {
      expect(() => addressWaitUntil(word, atLook(when, () => (inner(), fail())), 1000)).toThrow('no more');
      expectNobodyWaits(arena);
    }
  });

  test('one that begins an async wait and forgets it leaves only that', async () => {
    const forgotten: Promise<unknown>[] = [];
    const one = addressWaitUntil(word, () => forgotten.push(addressWaitUntilAsync(word, () => word.load() === 1)) === 2, 1000);
    expect(one).toBe(true);
    word.store(1);
    addressSignal(word);
    expect(await Promise.all(forgotten)).toEqual([true, true]);
  });

  test('one that frees its word ends the wait with a MisuseError where the next wait begins', () => {
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

  test('an abort in the condition itself ends an async wait with its reason', async () => {
    const controller = new AbortController();
    const wait = addressWaitUntilAsync(word, atLook(2, () => (controller.abort('enough'), false)), { signal: controller.signal });
    await expect(wait).rejects.toBe('enough');
  });
});
