// Tests that a keyed mutex in front of Keyv lets one process compute a missing value.

import { Keyv } from 'keyv';
import { expect, test } from 'vitest';
import type { Space } from '@sluice/local';
import { makeOpen } from './support/spaces.ts';

const KEYS = ['a', 'b'];
const CALLS = 8;

/** A cache of one process over the store that all share. Returns a function that gets values. */
function cacheOf(space: Space, store: Map<string, unknown>, compute: (key: string) => Promise<string>) {
  const cache = new Keyv<string>({ store });
  const fill = space.keyedMutex('cache');
  return async (key: string): Promise<string> => {
    const stored = await cache.get(key);
    if (stored !== undefined) return stored;
    return fill.runAsync(key, async () => {
      const now = await cache.get(key);
      if (now !== undefined) return now;
      const value = await compute(key);
      await cache.set(key, value);
      return value;
    });
  };
}

test('one of all calls that miss a key of Keyv computes its value', async () => {
  const open = makeOpen();
  const store = new Map<string, unknown>();
  const computed: string[] = [];
  const compute = async (key: string): Promise<string> => {
    computed.push(key);
    await new Promise((resolve) => setImmediate(resolve));
    return key.toUpperCase();
  };
  const [first, second] = [cacheOf(await open(), store, compute), cacheOf(await open(), store, compute)];
  const got = await Promise.all(
    KEYS.flatMap((key) => Array.from({ length: CALLS }, (_, i) => (i % 2 === 0 ? first : second)(key))),
  );
  expect(got).toEqual(KEYS.flatMap((key) => Array.from({ length: CALLS }, () => key.toUpperCase())));
  expect(computed.sort()).toEqual(KEYS);
});

test('a call that fails to compute a value leaves it to the next one', async () => {
  const open = makeOpen();
  const store = new Map<string, unknown>();
  let calls = 0;
  const compute = (): Promise<string> =>
    ++calls === 1 ? Promise.reject(new Error('no connection')) : Promise.resolve('value');
  const caches = [cacheOf(await open(), store, compute), cacheOf(await open(), store, compute)];
  const ends = await Promise.allSettled(caches.map((get) => get('a')));
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).message)).sort()).toEqual([
    'no connection',
    'value',
  ]);
  expect(calls).toBe(2);
});
