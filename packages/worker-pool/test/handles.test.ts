// Tests that handles and views of arenas reach a worker through shared memory, even if the caller blocks right after
// `run`.

import { Arena, Region, Semaphore, type SemaphoreHandle } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { expect, test } from 'vitest';
import { runChild } from './support/child.ts';
import { settled, withPool } from './support/pool.ts';

/** Handles from the pool's own arena, and from others. */
const ARENAS: readonly (readonly [what: string, own: boolean, options: object])[] = [
  ["the pool's own arena", true, {}],
  ['another arena', false, {}],
  ["the pool's own arena, a worker that waits blocked", true, { atomics: 'sync' }],
  ['another arena, a worker that waits blocked', false, { atomics: 'sync' }],
  ["the pool's own arena, several tasks per worker", true, { concurrentTasksPerWorker: 3 }],
  ['another arena, several tasks per worker', false, { concurrentTasksPerWorker: 3 }],
];

test.each(ARENAS)('a caller that blocks right after run() until its task signals continues: %s', (_, own, options) => {
  const arena = Arena.create({ maxPages: 64 });
  return withPool({ ...options, arena: own ? arena : Arena.create({ maxPages: 64 }) }, async (pool) => {
    await pool.run(0);
    const done = Semaphore.create(0, { arena });
    for (let n = 0; n < 3; n++) {
      const result = pool.run({ done: done.handle, n, list: [done.handle] }, { name: 'signal' });
      // The event loop of this thread does not run.
      expect(done.tryAcquire(1, 120_000)).toBe(true);
      expect(await result).toBe(n);
    }
    done.free();
  });
});

test('a caller that blocks right after run() continues when the handle came from another thread', () =>
  withPool({}, async (pool) => {
    await pool.run(0);
    const done = Semaphore.create(0);
    const received = structuredClone(done.handle);
    const result = pool.run({ done: received, n: 1, list: [] }, { name: 'signal' });
    expect(done.tryAcquire(1, 120_000)).toBe(true);
    expect(await result).toBe(1);
  }));

test('a caller that blocks before its worker has started continues', () =>
  withPool({}, (pool) => {
    const done = Semaphore.create(0);
    const result = pool.run({ done: done.handle, n: 5, list: [] }, { name: 'signal' });
    expect(done.tryAcquire(1, 120_000)).toBe(true);
    return result;
  }));

test('handles that come back from a worker open the same primitive', () =>
  withPool({}, async (pool) => {
    const semaphore = Semaphore.create(3);
    const back = (await pool.run({ one: semaphore.handle, two: semaphore.handle })) as {
      one: SemaphoreHandle;
      two: SemaphoreHandle;
    };
    expect(back.one).toBe(back.two);
    Semaphore.from(back.one).acquire(2);
    expect(semaphore.available).toBe(1);
    semaphore.free();
  }));

test('views of an arena show the same memory on both sides after the arena has grown', () => {
  const arena = Arena.create({ maxPages: 200 });
  return withPool({ arena }, async (pool) => {
    const small = Region.create(64, { arena });
    const mutex = Mutex.create({ arena });
    await pool.run({ mutex: mutex.handle, count: small.int32, times: 10 }, { name: 'countWith' });
    const large = Region.create(2 ** 21, { arena });
    expect(large.handle.address + 2 ** 21).toBeGreaterThan(2 ** 21);
    const task = { mutex: mutex.handle, count: large.int32.subarray(2 ** 19 - 8), times: 10 };
    await settled(pool.run(task, { name: 'countWith' }));
    expect([small.int32[0], large.int32[2 ** 19 - 8]]).toEqual([10, 10]);
    const back = (await pool.run({ bytes: large.bytes, all: large.bytes.buffer })) as {
      bytes: Uint8Array;
      all: SharedArrayBuffer;
    };
    back.bytes[5] = 77;
    expect([large.bytes[5], back.bytes.byteOffset, back.bytes.length]).toEqual([77, large.bytes.byteOffset, 2 ** 21]);
    expect(back.bytes.buffer).toBe(back.all);
  });
});

test('the worker that replaces a dead one knows the arenas of earlier tasks', () => {
  const arena = Arena.create({ maxPages: 64 });
  return withPool({}, async (pool) => {
    const done = Semaphore.create(0, { arena });
    await pool.run({ done: done.handle, n: 1, list: [] }, { name: 'signal' });
    await pool.run('exit', { name: 'die' }).catch(() => undefined);
    await pool.run({ done: done.handle, n: 1, list: [] }, { name: 'signal' });
    expect(done.available).toBe(2);
  });
});

test('handles of more arenas than workers are prepared for are sent as messages', () =>
  withPool({}, async (pool) => {
    for (let n = 0; n < 20; n++) {
      const done = Semaphore.create(0, { arena: Arena.create({ maxPages: 64 }) });
      expect(await pool.run({ done: done.handle, n, list: [] }, { name: 'signal' })).toBe(n);
      expect(done.available).toBe(1);
    }
  }));

test('a caller may block on a signal of its task while idle workers wait for an answer of its thread', async () =>
  expect(await runChild('pool.mjs', 'blockedCallerOfIdleWorkers')).toMatchObject({
    code: 0,
    printed: Array.from({ length: 5 }, (_, n) => `signalled ${n}`).join('\n'),
  }));

test('a process whose first call blocks until its task signals exits by itself', async () =>
  expect(await runChild('pool.mjs', 'blockedCaller')).toEqual({ code: 0, signal: undefined, printed: 'signalled 7' }));
