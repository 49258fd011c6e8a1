// Workers use one cache and are killed. No value is torn, no key stays locked, no byte of the cache is lost, and a
// storm of misses computes once.

import { SharedCache } from '@sluice/cache';
import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { CALLERS, COMPUTED, isWhole, KEYS, ROUNDS, TORN, type CacheData } from './jobs/cache.mjs';

const JOB = new URL('./jobs/cache.mjs', import.meta.url);
const WORKERS = 4;
const MAX_BYTES = 250_000;

interface Scene {
  readonly arena: Arena;
  readonly cache: SharedCache<Uint8Array>;
  readonly tally: Int32Array;
  readonly start: (job: CacheData['job'], seed?: number, workers?: number) => Worker;
}

function scene(): Scene {
  const arena = Arena.create({ maxPages: 128 });
  const cache = SharedCache.create({ arena, codec: 'bytes', maxBytes: MAX_BYTES, name: 'cache' });
  const region = Region.create(64, { arena });
  const start: Scene['start'] = (job, seed = 0, workers = WORKERS) => {
    const workerData: CacheData = { cache: cache.handle, tally: region.handle, seed, job, workers };
    const worker = new Worker(JOB, { workerData });
    arena.watch(worker);
    return worker;
  };
  return { arena, cache, tally: region.int32, start };
}

test('workers that are killed tear no value, strand no other worker, and lose no byte', async () => {
  const session = new Session('killed with a cache');
  const { arena, cache, tally, start } = scene();
  const rounds = soakSize(6, 250);
  let deaths = 0;
  for (let round = 0; round < rounds; round++) {
    const workers = Array.from({ length: WORKERS }, (_, index) => {
      const worker = start('use', session.seed + WORKERS * round + index);
      return { worker, exit: once(worker, 'exit') };
    });
    // The workers have begun, and the cache is full.
    const before = Atomics.load(tally, ROUNDS);
    while (Atomics.load(tally, ROUNDS) < before + 100 || cache.statistics().evicted === 0)
      await new Promise((later) => setTimeout(later, 1));
    for (const { worker, exit } of workers) {
      await new Promise((later) => setTimeout(later, session.random.below(20)));
      await worker.terminate();
      await exit;
      deaths += 1;
    }
    arena.reclaimDead();
    expect([Atomics.load(tally, TORN), cache.inspect().computing]).toEqual([0, []]);
    // Every key can be asked for, whatever its owner was doing, and what is there is whole.
    for (let key = 0; key < KEYS; key++) {
      const value = await cache.getAsync(`key ${key}`, () => valueFor(key), { timeout: 60_000 });
      expect(isWhole(value, key)).toBe(true);
    }
  }
  const { hits, computed } = cache.statistics();
  for (let key = 0; key < KEYS; key++) cache.delete(`key ${key}`);
  expect(cache.statistics()).toMatchObject({ entries: 0, bytes: 0 });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  cache.free();
  session.done(deaths, `${hits} hits, ${computed} computed`);
});

function valueFor(key: number): Uint8Array {
  const value = new Uint8Array(20);
  const view = new DataView(value.buffer);
  view.setUint32(0, key);
  view.setUint32(4, value.length);
  return value;
}

test('a storm of 64 misses in eight threads computes once', async () => {
  const { cache, tally, start } = scene();
  const workers = 64 / CALLERS;
  const threads = Array.from({ length: workers }, () => start('storm', 0, workers));
  const values = await Promise.all(threads.map(async (thread) => (await once(thread, 'message')) as [number[]]));
  expect(values.flat(2)).toEqual(Array.from({ length: 64 }, () => 7));
  expect([Atomics.load(tally, COMPUTED), cache.statistics().computed]).toEqual([1, 1]);
  await Promise.all(threads.map(async (thread) => thread.terminate()));
});

test('a waiter replaces a worker that died while it computed', async () => {
  const { cache, start } = scene();
  const worker = start('hang');
  while (cache.inspect().computing.length === 0) await new Promise((later) => setTimeout(later, 1));
  const wait = cache.getAsync('hang', () => Uint8Array.of(5), { timeout: 60_000 });
  while (cache.inspect().computing[0]?.waiting !== 1) await new Promise((later) => setTimeout(later, 1));
  await worker.terminate();
  expect(await wait).toEqual(Uint8Array.of(5));
  expect(cache.statistics()).toMatchObject({ computed: 1, entries: 1 });
});

test('a waiter whose thread is blocked does not keep the value from the others', async () => {
  const { cache, start } = scene();
  let pass: (value: Uint8Array) => void = () => undefined;
  const computed = new Promise<Uint8Array>((resolve) => (pass = resolve));
  const a = cache.getAsync('a', () => computed);
  const needs = start('needs');
  while (!cache.inspect().computing.some(({ key }) => key === 'b')) await new Promise((later) => setTimeout(later, 1));
  const blocked = start('blocked');
  const results = Promise.all([needs, blocked].map(async (worker) => (await once(worker, 'message')) as [number[]]));
  while (cache.inspect().computing.find(({ key }) => key === 'a')?.waiting !== 2)
    await new Promise((later) => setTimeout(later, 1));
  pass(Uint8Array.of(6));
  expect(await results).toEqual([[[7]], [[7, 6]]]);
  expect(await a).toEqual(Uint8Array.of(6));
});
