// @ts-check
// A worker that uses a cache whose values tell whether they are whole.
import { SharedCache } from '@sluice/cache';
import { Region } from '@sluice/core';
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../../../tools/harness/src/random.mjs';

/** The number of keys, and the words of the tally. */
export const KEYS = 40;
export const [ROUNDS, TORN, COMPUTED] = [0, 1, 2];
/** The callers of each worker in a storm. */
export const CALLERS = 8;

/**
 * @typedef {{ cache: import('@sluice/cache').SharedCacheHandle<Uint8Array>, tally: import('@sluice/core').RegionHandle,
 *   seed: number, job: 'use' | 'storm' | 'hang' | 'blocked' | 'needs', workers: number }} CacheData
 */

/**
 * A value of a key: its number, and equal bytes.
 * @param {number} key
 * @param {Random} random
 */
export function valueOf(key, random) {
  const value = new Uint8Array(12 + random.pick([0, 10, 300, 1000, 5000, 90_000]));
  value.fill(random.below(256));
  const view = new DataView(value.buffer);
  view.setUint32(0, key);
  view.setUint32(4, value.length);
  return value;
}

/** Whether a value has its key, its length, and equal bytes behind them. @param {Uint8Array} value @param {number} key */
export function isWhole(value, key) {
  const view = new DataView(value.buffer, value.byteOffset);
  const tag = value[8];
  return (
    view.getUint32(0) === key && view.getUint32(4) === value.length && value.subarray(8).every((byte) => byte === tag)
  );
}

/** @param {CacheData} data */
async function use({ cache: handle, tally: region, seed }) {
  const cache = SharedCache.from(handle);
  const tally = Region.from(region).int32;
  const random = new Random(seed);
  for (;;) {
    const key = random.below(KEYS);
    const name = `key ${key}`;
    const how = random.below(20);
    const compute = () => valueOf(key, random);
    const value =
      how === 0
        ? (cache.set(name, compute()), undefined)
        : how === 1
          ? (cache.delete(name), undefined)
          : how < 8
            ? await cache.getAsync(name, () => compute())
            : how < 12
              ? cache.tryGet(name, compute)
              : cache.get(name, compute);
    if (value !== undefined && !isWhole(value, key)) Atomics.add(tally, TORN, 1);
    Atomics.add(tally, ROUNDS, 1);
  }
}

/** All callers ask at once. The one that computes goes on when all others wait. @param {CacheData} data */
async function storm({ cache: handle, tally: region, workers }) {
  const cache = SharedCache.from(handle);
  const tally = Region.from(region).int32;
  const compute = async () => {
    Atomics.add(tally, COMPUTED, 1);
    while (cache.inspect().computing[0]?.waiting !== workers - 1) await new Promise((later) => setTimeout(later, 1));
    return Uint8Array.of(7);
  };
  const values = await Promise.all(Array.from({ length: CALLERS }, () => cache.getAsync('storm', compute)));
  parentPort?.postMessage(values.map((value) => value[0]));
}

/** Computes for ever. @param {CacheData} data */
async function hang({ cache: handle }) {
  await SharedCache.from(handle).getAsync('hang', () => new Promise(() => setInterval(() => undefined, 1000)));
}

/** @returns {never} */
function never() {
  throw new Error('The function was called.');
}

/** The number of waiters for a key. @param {SharedCache<Uint8Array>} cache @param {string} key */
const waiting = (cache, key) => cache.inspect().computing.find((each) => each.key === key)?.waiting ?? 0;

/** Waits for `a` in an async call, and blocks until it has `b`. @param {CacheData} data */
async function blocked({ cache: handle }) {
  const cache = SharedCache.from(handle);
  const a = cache.getAsync('a', never);
  const b = cache.get('b', never);
  parentPort?.postMessage([b[0], (await a)[0]]);
}

/** Computes `b` from `a`, once the other worker waits for both. @param {CacheData} data */
function needs({ cache: handle }) {
  const cache = SharedCache.from(handle);
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  const b = cache.get('b', () => {
    while (waiting(cache, 'a') < 1 || waiting(cache, 'b') < 1) Atomics.wait(sleep, 0, 0, 1);
    return Uint8Array.of(1 + (cache.get('a', never)[0] ?? 0));
  });
  parentPort?.postMessage([b[0]]);
}

const JOBS = { use, storm, hang, blocked, needs };
if (workerData !== null && typeof workerData === 'object' && 'cache' in workerData) {
  const data = /** @type {CacheData} */ (workerData);
  void JOBS[data.job](data);
}
