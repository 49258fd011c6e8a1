// @ts-check
import { SharedCache } from '@sluice/cache';
import { Region } from '@sluice/core';
import { KeyedMutex } from '@sluice/named';
import { LRUCache } from 'lru-cache';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { oneByOne, repeat } from '../lib/side-by-side.mjs';

const KEYS = 100;
const THREADS = 4;
export const CALLERS = 16;
const MAX_BYTES = 32 * 2 ** 20;

/** An object whose JSON has about that many bytes. @param {number} bytes */
function objectOf(bytes) {
  const row = (/** @type {number} */ id) => ({ id, name: `user ${id}`, tags: ['a', 'b'], score: id / 3, active: true });
  const rows = [];
  for (let id = 1000; JSON.stringify(rows).length < bytes; id++) rows.push(row(id));
  return rows;
}

/** @param {number} bytes */
function hits(bytes) {
  const value = objectOf(bytes);
  const keys = Array.from({ length: KEYS }, (_, key) => `key ${key}`);
  let next = 0;
  const nextKey = () => /** @type {string} */ (keys[next++ % KEYS]);
  const filled = (options = {}) => {
    const cache = SharedCache.create({ maxBytes: MAX_BYTES, ...options });
    for (const key of keys) cache.set(key, value);
    return cache;
  };
  const never = () => {
    throw new Error('not there');
  };
  return {
    structuredClone: () => (/** @type {number} */ calls) => repeat(calls, () => structuredClone(value)),
    'JSON.parse of text': () => {
      const text = JSON.stringify(value);
      return (/** @type {number} */ calls) => repeat(calls, () => JSON.parse(text));
    },
    'lru-cache, one thread': () => {
      const cache = new LRUCache({ max: KEYS });
      for (const key of keys) cache.set(key, value);
      return (/** @type {number} */ calls) => repeat(calls, () => cache.get(nextKey()));
    },
    'by hand over KeyedMutex': () => {
      const cache = byHand();
      for (const key of keys) cache.get(key, () => value);
      return (/** @type {number} */ calls) => repeat(calls, () => cache.get(nextKey(), never));
    },
    'SharedCache.get': () => {
      const cache = filled();
      return (/** @type {number} */ calls) => repeat(calls, () => cache.get(nextKey(), never));
    },
    'SharedCache.get, keepDecoded': () => {
      const cache = filled({ keepDecoded: KEYS });
      return (/** @type {number} */ calls) => repeat(calls, () => cache.get(nextKey(), never));
    },
    'SharedCache.getAsync': () => {
      const cache = filled();
      return (/** @type {number} */ calls) => oneByOne(calls, () => cache.getAsync(nextKey(), never));
    },
    'SharedCache.get, bytes': () => {
      const bytesOf = new TextEncoder().encode(JSON.stringify(value));
      const cache = SharedCache.create({ maxBytes: MAX_BYTES, codec: 'bytes' });
      for (const key of keys) cache.set(key, bytesOf);
      return (/** @type {number} */ calls) => repeat(calls, () => cache.get(nextKey(), never));
    },
  };
}

/**
 * What people write by hand: a region for each key, behind the lock of the key. It evicts nothing, and the map of
 * regions is that of one thread.
 */
function byHand() {
  const locks = KeyedMutex.create();
  /** @type {Map<string, Region>} */
  const regions = new Map();
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  return {
    /** @param {string} key @param {() => unknown} compute @returns {unknown} */
    get: (key, compute) =>
      locks.run(key, () => {
        const known = regions.get(key);
        if (known !== undefined) return /** @type {unknown} */ (JSON.parse(decoder.decode(known.bytes.slice())));
        const value = compute();
        const bytes = encoder.encode(JSON.stringify(value));
        const region = Region.create(bytes.length);
        region.bytes.set(bytes);
        regions.set(key, region);
        return value;
      }),
  };
}

/** Threads whose callers all ask for one key at once. A message has the key, and another one says that all have it. */
async function storm() {
  const cache = SharedCache.create({ maxBytes: 2 ** 20 });
  const workers = Array.from(
    { length: THREADS },
    () => new Worker(new URL('../workers/cache.mjs', import.meta.url), { workerData: cache.handle }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  let storms = 0;
  return async (/** @type {number} */ calls) => {
    const before = cache.statistics().computed;
    for (let done = 0; done < calls; done++) {
      const key = `storm ${storms++}`;
      await Promise.all(
        workers.map((worker) => {
          worker.postMessage(key);
          return once(worker, 'message');
        }),
      );
    }
    const computed = cache.statistics().computed - before;
    if (computed !== calls) throw new Error(`${calls} storms computed ${computed} times`);
  };
}

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: '1 kB',
    what: 'a hit of 1 kB',
    calls: 200_000,
    micros: { atMost: 3 },
    of: 'SharedCache',
    subjects: hits(1000),
  },
  {
    name: '90 kB',
    what: 'a hit of 90 kB',
    calls: 2000,
    limit: { atMost: 1 },
    of: 'SharedCache',
    subjects: hits(90_000),
  },
  {
    name: 'storm',
    what: `a storm of ${THREADS * CALLERS} misses of one key in ${THREADS} threads, which computes once`,
    calls: 500,
    subjects: { SharedCache: storm },
  },
];
