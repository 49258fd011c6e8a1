// Primitives by name; locks, limits, rates and values computed once by key; several locks at once; and the interface of
// Web Locks.

import type { RegionHandle } from 'sluice';
import { equal, type MainTools, type WorkerTools } from '../tools.ts';

const ROUNDS = 200;
const KEYS = 3;

/** The data of a worker beside the arena. */
interface Data {
  readonly sums: RegionHandle;
}

type Sluice = MainTools['sluice'];

/** Creates a limit that lets in one call for each key, and one for all. */
const limitIn =
  ({ KeyedLimit }: Sluice) =>
  (options: object) =>
    KeyedLimit.create({ ...options, concurrency: 1, total: 1 });

const ratesIn =
  ({ KeyedRateLimiter }: Sluice) =>
  (options: object) =>
    KeyedRateLimiter.create({ ...options, permits: 10, interval: 1 });

export const jobs = {
  limited({ sluice, arena }: WorkerTools, { sums }: Data): void {
    const limit = sluice.named(arena, 'limit', sluice.KeyedLimit, limitIn(sluice));
    const rates = sluice.named(arena, 'rates', sluice.KeyedRateLimiter, ratesIn(sluice));
    const { int32 } = sluice.Region.from(sums);
    for (let round = 0; round < ROUNDS; round++) {
      const key = `key ${round % KEYS}`;
      rates.acquire(key);
      limit.run(key, () => (int32[KEYS + 3] = (int32[KEYS + 3] ?? 0) + 1));
    }
  },
  add({ sluice, arena }: WorkerTools, { sums }: Data): void {
    const total = sluice.named(arena, 'total', sluice.Mutex);
    const keys = sluice.named(arena, 'keys', sluice.KeyedMutex);
    const { int32 } = sluice.Region.from(sums);
    for (let round = 0; round < ROUNDS; round++) {
      const key = round % KEYS;
      keys.lock(`key ${key}`);
      int32[key] = (int32[key] ?? 0) + 1;
      keys.unlock(`key ${key}`);
      total.run(() => (int32[KEYS] = (int32[KEYS] ?? 0) + 1));
    }
  },
  both({ sluice, arena }: WorkerTools, { sums }: Data): void {
    const total = sluice.named(arena, 'total', sluice.Mutex);
    const key = sluice.named(arena, 'keys', sluice.KeyedMutex).at('key 0');
    const { int32 } = sluice.Region.from(sums);
    for (let round = 0; round < ROUNDS; round++)
      sluice.runAll(
        round % 2 === 0 ? [total, key] : [key, total],
        () => (int32[KEYS + 2] = (int32[KEYS + 2] ?? 0) + 1),
      );
  },
  async compute({ sluice, arena }: WorkerTools): Promise<void> {
    const cache = await sluice.namedAsync(arena, 'cache', sluice.SharedCache<number>, (options) =>
      sluice.SharedCache.create<number>({ ...options, maxBytes: 65_536 }),
    );
    for (let round = 0; round < ROUNDS; round++) {
      const key = round % KEYS;
      equal(await cache.getAsync(`key ${key}`, () => key), key, 'a cached value');
      equal(
        cache.get(`key ${key}`, () => -1),
        key,
        'a cached value',
      );
    }
  },
  async request({ sluice, arena }: WorkerTools, { sums }: Data): Promise<void> {
    const locks = await sluice.namedAsync(arena, 'locks', sluice.LockManager);
    const { int32 } = sluice.Region.from(sums);
    for (let round = 0; round < ROUNDS; round++) {
      await locks.request('sum', () => {
        int32[KEYS + 1] = (int32[KEYS + 1] ?? 0) + 1;
      });
      await locks.request('sum', { mode: 'shared' }, () => undefined);
    }
  },
};

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const sums = sluice.Region.create(4 * (KEYS + 4), { arena });
  const data: Data = { sums: sums.handle };
  const workers = [start('add', data), start('add', data), start('request', data), start('request', data)];
  workers.push(start('both', data), start('compute', data), start('compute', data));
  workers.push(start('limited', data), start('limited', data));
  const limit = await sluice.namedAsync(arena, 'limit', sluice.KeyedLimit, limitIn(sluice));
  const rates = await sluice.namedAsync(arena, 'rates', sluice.KeyedRateLimiter, ratesIn(sluice));
  const keys = await sluice.namedAsync(arena, 'keys', sluice.KeyedMutex);
  const total = await sluice.namedAsync(arena, 'total', sluice.Mutex);
  const locks = await sluice.namedAsync(arena, 'locks', sluice.LockManager);
  for (let round = 0; round < ROUNDS; round++) {
    const key = round % KEYS;
    await keys.runAsync(`key ${key}`, () => (sums.int32[key] = (sums.int32[key] ?? 0) + 1), { timeout: 30_000 });
    await total.runAsync(() => (sums.int32[KEYS] = (sums.int32[KEYS] ?? 0) + 1), { timeout: 30_000 });
    await locks.request('sum', () => (sums.int32[KEYS + 1] = (sums.int32[KEYS + 1] ?? 0) + 1));
    await rates.acquireAsync(`key ${key}`);
    await limit.runAsync(`key ${key}`, () => (sums.int32[KEYS + 3] = (sums.int32[KEYS + 3] ?? 0) + 1));
    const both = [keys.at('key 0'), total];
    await sluice.runAllAsync(both, () => (sums.int32[KEYS + 2] = (sums.int32[KEYS + 2] ?? 0) + 1), { timeout: 30_000 });
  }
  await Promise.all(workers.map(({ done }) => done));
  const each = [...Array(KEYS).keys()].map((key) => 3 * Math.ceil((ROUNDS - key) / KEYS));
  const expected = [...each, 3 * ROUNDS, 3 * ROUNDS, 2 * ROUNDS, 3 * ROUNDS];
  equal([...sums.int32.subarray(0, KEYS + 4)], expected, 'the sums');
  equal(keys.inspect().keys.length, 0, 'keys in use');
  equal(limit.inspect().keys.length, 0, 'keys of the limit in use');
  equal(sluice.findNamed(arena, 'cache', sluice.SharedCache)?.statistics().computed, KEYS, 'values computed');
  equal((await locks.query()).held?.length, 0, 'locks held');
}
