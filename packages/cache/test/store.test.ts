// Random calls on a store give what a Map in the order of use gives, and an agent that dies before any single write of
// a call leaves the state before the call or after it, apart from values that were evicted for it.

import { Random, Session, scale } from '@sluice/harness';
import { expect, test } from 'vitest';
import { hashOf } from '../../named/src/table/key.ts';
import { chunksOf, PlainLru } from './support/plain-lru.ts';
import { PlainStore } from './support/plain-store.ts';

const KEYS = ['', 'a', 'b', 'liquid', 'costarring', '\0', 'x'.repeat(200), 'y'.repeat(1000), 'ü', '\ud800'];
const CHUNKS = 24;

function valueFrom(random: Random): Uint8Array {
  const length = random.pick([0, 1, 3, 100, 199, 200, 201, 700, 2000]);
  return Uint8Array.from({ length }, () => random.below(256));
}

/** A random call, for a store and for its model. */
interface Call {
  readonly name: string;
  readonly real: (of: PlainStore) => unknown;
  readonly plain: (of: PlainLru) => unknown;
}

function callFrom(random: Random, now: number): Call {
  const key = random.pick(KEYS);
  const hash = hashOf(key);
  const what = random.below(20);
  if (what < 9)
    return {
      name: `read ${key}`,
      real: ({ store }) => {
        const found = store.read(key, hash, now, 'counts');
        return found === undefined ? undefined : { bytes: found.bytes, isStale: found.isStale };
      },
      plain: (plain) => plain.read(key, now),
    };
  if (what < 18) {
    const value = valueFrom(random);
    const ttl = random.pick([undefined, undefined, 5, 50]);
    return {
      name: `put ${key}`,
      real: ({ store }) => store.put(key, hash, value, now, ttl),
      plain: (plain) => plain.put(key, value, now, ttl),
    };
  }
  if (what === 18 || random.below(8) > 0)
    return {
      name: `delete ${key}`,
      real: ({ store }) => store.delete(key, hash, now),
      plain: (plain) => plain.delete(key, now),
    };
  return { name: 'clear', real: ({ store }) => store.clear(), plain: (plain) => plain.clear() };
}

function stateOf({ store }: PlainStore): object {
  const { hits, misses, evicted, expired } = store.counts;
  const { entries, bytes } = store;
  return { hits, misses, evicted, expired, entries, bytes };
}

function plainStateOf({ hits, misses, evicted, expired, entries, bytes }: PlainLru): object {
  return { hits, misses, evicted, expired, entries, bytes };
}

test.each([
  { ttl: 0, staleFor: 0 },
  { ttl: 20, staleFor: 0 },
  { ttl: 20, staleFor: 15 },
])('random calls give what a Map in the order of use gives ($ttl ms, stale for $staleFor ms)', (times) => {
  const session = new Session('a store beside a Map');
  const real = new PlainStore(CHUNKS, times);
  const plain = new PlainLru({ chunks: CHUNKS, ...times });
  let now = 1_700_000_000_000;
  const rounds = scale(4000);
  for (let round = 0; round < rounds; round++) {
    now += session.random.below(4);
    const call = callFrom(session.random, now);
    expect(call.real(real), call.name).toEqual(call.plain(plain));
    expect(stateOf(real), call.name).toEqual(plainStateOf(plain));
    expect(real.problem(), call.name).toBeUndefined();
  }
  expect(plain.evicted).toBeGreaterThan(rounds / 100);
  session.done(rounds);
});

test('an agent that dies before any write of a call leaves whole values, and no chunk is lost', () => {
  const session = new Session('deaths in a store');
  const rounds = scale(40);
  let deaths = 0;
  for (let round = 0; round < rounds; round++) {
    const [seed, calls] = [session.random.next(), 5 + session.random.below(60)];
    for (let last = 0; ; last++) {
      const random = new Random(seed);
      const real = new PlainStore(CHUNKS);
      const plain = new PlainLru({ chunks: CHUNKS, ttl: 0, staleFor: 0 });
      const now = 1_700_000_000_000;
      for (let done = 0; done < calls; done++) {
        const { real: act, plain: actPlainly } = callFrom(random, now);
        act(real);
        actPlainly(plain);
      }
      const call = callFrom(random, now);
      const after = plain.copy();
      call.plain(after);
      const hasSurvived = real.outlives(last, () => call.real(real));
      if (!hasSurvived) real.store.repair();
      expect(real.problem(), call.name).toBeUndefined();
      expectBetween(real, plain, after, call.name);
      if (hasSurvived) break;
      deaths += 1;
    }
  }
  expect(deaths).toBeGreaterThan(10 * rounds);
  session.done(deaths);
});

/** Expects that each key has its value from before the call or from after it. The key of a `put` may have lost its value. */
function expectBetween({ store }: PlainStore, before: PlainLru, after: PlainLru, name: string): void {
  for (const key of KEYS) {
    const found = store.read(key, hashOf(key), 1_700_000_000_000, 'looks')?.bytes;
    const allowed = [before.valueOf(key), after.valueOf(key), ...(name === `put ${key}` ? [undefined] : [])];
    expect(allowed, `${name}, then ${JSON.stringify(key.slice(0, 10))}`).toContainEqual(found);
  }
}

test('the repairing agent can die, too, before any write', () => {
  const value = Uint8Array.from({ length: 300 }, (_, index) => index & 255);
  let [isWhole, deaths] = [false, 0];
  for (let first = 0; !isWhole; first++) {
    for (let second = 0; ; second++) {
      const real = new PlainStore(8);
      for (const key of ['a', 'b', 'c']) real.store.put(key, hashOf(key), value, 1);
      isWhole = real.outlives(first, () => real.store.put('b', hashOf('b'), value.slice(1), 1));
      if (isWhole) break;
      const isRepaired = real.outlives(second, () => real.store.repair());
      if (!isRepaired) real.store.repair();
      deaths += isRepaired ? 1 : 2;
      expect(real.problem()).toBeUndefined();
      expect(real.store.read('c', hashOf('c'), 1, 'looks')?.bytes).toEqual(value);
      const { length = 0 } = real.store.read('b', hashOf('b'), 1, 'looks')?.bytes ?? {};
      expect([299, 300]).toContain(length);
      if (isRepaired) break;
    }
  }
  expect(deaths).toBeGreaterThan(500);
});

test('after a repair the values are evicted in the order of their use', () => {
  const real = new PlainStore(8);
  const [value, now] = [new Uint8Array(10), 1];
  for (const key of ['a', 'b', 'c']) real.store.put(key, hashOf(key), value, now);
  real.store.read('a', hashOf('a'), now, 'counts');
  real.store.repair();
  real.store.put('large', hashOf('large'), new Uint8Array(256 * 5), now);
  expect(['a', 'b', 'c'].filter((key) => real.store.has(key, hashOf(key), now))).toEqual(['a', 'c']);
});

test('an entry takes as many chunks as its key and value need', () => {
  const real = new PlainStore(64);
  for (const [key, length] of [
    ['', 0],
    ['', 200],
    ['', 201],
    ['k', 196],
    ['k', 197],
    ['x'.repeat(100), 0],
    ['x'.repeat(101), 0],
    ['x'.repeat(4096), 3],
  ] as const) {
    const value = new Uint8Array(length).fill(7);
    real.store.put(key, hashOf(key), value, 1);
    expect([real.store.bytes, real.store.read(key, hashOf(key), 1, 'looks')?.bytes]).toEqual([
      256 * chunksOf(key, value),
      value,
    ]);
    real.store.delete(key, hashOf(key), 1);
  }
});
