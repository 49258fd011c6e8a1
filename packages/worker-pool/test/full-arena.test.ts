// Tests an arena without room for a wait. The pool and its workers poll instead.
import { Arena, Region, Semaphore } from '@sluice/core';
import { expect, test } from 'vitest';
import { settled, until, withPool } from './support/pool.ts';

/** Takes all remaining memory of the arena, for good. */
function fill(arena: Arena): void {
  for (let bytes = 400_000; bytes >= 1; bytes >>= 1) {
    try {
      for (;;) Region.create(bytes, { arena });
    } catch {
      continue;
    }
  }
}

/** Takes all free elements, as the waits of a program do. */
function waitOften(semaphore: Semaphore): void {
  for (let n = 0; n < 200; n++) semaphore.acquireAsync(1, { ref: false }).catch(() => undefined);
}

// Fails if the loop that takes results ends when its wait throws.
test.each(['async', 'sync'] as const)('results arrive after the program has used up its arena (%s)', (atomics) => {
  const arena = Arena.create({ maxPages: 12 });
  const semaphore = Semaphore.create(0, { arena });
  return withPool({ arena, bufferBytes: 20_000, maxQueue: 10, size: 2, atomics }, async (pool) => {
    expect(await pool.map([1, 2, 3, 4])).toEqual([1, 2, 3, 4]);
    fill(arena);
    pool.once('settled', () => waitOften(semaphore));
    expect(await settled(pool.run(6))).toBe(6);
    for (let n = 0; n < 20; n++) expect(await settled(pool.run(n))).toBe(n);
    await settled(pool.close());
  });
});

// Fails if a worker ends when the wait for its next task throws. Then it is replaced again and again.
test.each(['async', 'sync'] as const)('workers continue after the program has used up their arena (%s)', (atomics) => {
  const arena = Arena.create({ maxPages: 12 });
  const semaphore = Semaphore.create(0, { arena });
  return withPool({ arena, bufferBytes: 20_000, maxQueue: 10, atomics }, async (pool, stage) => {
    const held = pool.run(1, { name: 'hold' });
    await until(() => stage.begun === 1);
    fill(arena);
    waitOften(semaphore);
    stage.open();
    expect(await settled(held)).toBe(1);
    for (let n = 0; n < 20; n++) expect(await settled(pool.run(n))).toBe(n);
    expect(pool.stats().replaced).toBe(0);
    await settled(pool.close());
  });
});

// Results fill the buffer while the pool's thread is busy. Fails if the worker ends when its wait for room throws.
test('results that find the buffer full arrive after the program has used up its arena', () => {
  const arena = Arena.create({ maxPages: 12 });
  const semaphore = Semaphore.create(0, { arena });
  return withPool({ arena, bufferBytes: 1024, maxQueue: 40 }, async (pool, stage) => {
    await pool.run(1);
    fill(arena);
    waitOften(semaphore);
    const first = pool.run(semaphore.handle, { name: 'waitOften' });
    const results = Array.from({ length: 30 }, () => pool.run(100, { name: 'text' }));
    const last = pool.run(1, { name: 'block' });
    stage.open();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(new Set(await settled(Promise.all(results)))).toEqual(new Set(['ä'.repeat(100)]));
    expect([await first, await settled(last)]).toEqual([undefined, 1]);
    expect(pool.stats().replaced).toBe(0);
  });
});
