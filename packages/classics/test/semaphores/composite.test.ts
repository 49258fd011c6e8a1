import { Arena, type UnsupportedError } from '@sluice/core';
import { expect, test } from 'vitest';
import { ChainSemaphore, LightweightSemaphore, MultilaneSemaphore, type SchemeName } from '../../src/index.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import './support/kinds.ts';

const INNER: readonly SchemeName[] = [
  'semaphore',
  'ticket',
  'waiting-array',
  'chain',
  'monitor',
  'location',
  'address',
];
const ORDERS = ['ordered', 'random'] as const;
const KINDS = (['wasm', 'js'] as const).flatMap((engine) =>
  INNER.flatMap((inner) => [
    {
      name: `a lightweight semaphore over ${inner} (${engine})`,
      create: (permits: number, max?: number) =>
        LightweightSemaphore.create(permits, {
          arena: Arena.create({ engine: engineNamed(engine), maxPages: 64 }),
          inner,
          max,
        }),
    },
    ...ORDERS.map((order) => ({
      name: `a multilane semaphore, ${order}, over ${inner} (${engine})`,
      create: (permits: number, max?: number) =>
        MultilaneSemaphore.create(permits, {
          arena: Arena.create({ engine: engineNamed(engine), maxPages: 64 }),
          inner,
          order,
          max,
        }),
    })),
  ]),
);

test.each(KINDS)('$name serves its waiters in FIFO order, past cancelled ones', async ({ create }) => {
  const sem = create(2);
  sem.acquire();
  sem.acquire();
  const told: string[] = [];
  const leaver = new AbortController();
  const waits = Array.from({ length: 7 }, (_, n) =>
    sem.acquireAsync(1, n === 1 || n === 6 ? { signal: leaver.signal } : {}).then(
      () => told.push(`${n}`),
      () => told.push(`${n} left`),
    ),
  );
  expect([sem.waiting, sem.tryAcquire()]).toEqual([7, false]);
  leaver.abort();
  await Promise.all([waits[1], waits[6]]);
  // The waits of one agent share one place in the lanes.
  expect([sem.waiting, sem.inspect().waiters.length]).toEqual([5, sem instanceof MultilaneSemaphore ? 1 : 5]);
  sem.release();
  await waits[0];
  sem.release(5);
  await Promise.all(waits);
  expect(told).toEqual(['1 left', '6 left', '0', '2', '3', '4', '5']);
  expect([sem.available, sem.waiting, sem.drain()]).toEqual([1, 0, 1]);
});

test.each(KINDS)('$name uses no more memory while waits time out and none is served', ({ create }) => {
  const sem = create(0);
  for (let times = 0; times < 200; times++) expect(sem.tryAcquire(1, 0.01)).toBe(false);
  expect([sem.available, sem.waiting]).toEqual([0, 0]);
  expect(sem.arena.inspect().elements.total).toBeLessThan(50);
  sem.release();
  expect([sem.available, sem.tryAcquire()]).toEqual([1, true]);
});

test.each(KINDS)('release() of a $name beyond its bound releases nothing', ({ create }) => {
  const sem = create(3, 3);
  sem.acquire();
  expect(() => sem.release(2)).toThrow(RangeError);
  expect([sem.available, sem.max]).toEqual([2, 3]);
  sem.release();
  expect(() => sem.release()).toThrow(RangeError);
  expect(sem.available).toBe(3);
});

test.each(KINDS)('close() of a $name ends its waits, and an earlier grant wins', async ({ create }) => {
  const sem = create(1);
  sem.acquire();
  const leaver = new AbortController();
  const given = sem.acquireAsync();
  const gone = sem.acquireAsync(1, { signal: leaver.signal });
  const waits = [1, 2].map(() => expect(sem.acquireAsync()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' }));
  leaver.abort(new Error('given up'));
  await expect(gone).rejects.toThrow('given up');
  expect(() => sem.free()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
  sem.release();
  sem.close();
  await given;
  await Promise.all(waits);
  expect(() => sem.tryAcquire()).toThrow(expect.objectContaining({ code: 'SLUICE_CLOSED' }) as Error);
  sem.release();
  sem.close();
  expect(sem.inspect()).toMatchObject({ state: 'closed', available: 0, waiters: [], abandoned: 0 });
  expect(sem.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  sem.free();
  expect(() => sem.acquire()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
});

test.each(KINDS)(
  '$name throws for a wait for several permits, and names the calls that take several',
  async ({ create }) => {
    const sem = create(5);
    const unsupported = { code: 'SLUICE_UNSUPPORTED', name: 'UnsupportedError' } satisfies Partial<UnsupportedError>;
    expect(() => sem.acquire(2)).toThrow(expect.objectContaining(unsupported) as Error);
    expect(() => sem.tryAcquire(2, 5)).toThrow(expect.objectContaining(unsupported) as Error);
    await expect(sem.acquireAsync(2)).rejects.toMatchObject(unsupported);
    await expect(sem.runAsync(() => undefined, 2)).rejects.toMatchObject(unsupported);
    expect(() => sem.acquire(0)).toThrow(RangeError);
    expect(sem.available).toBe(5);
  },
);

test.each(KINDS)(
  '$name throws a DeadlockError instead of blocking behind an async wait of its agent',
  async ({ create }) => {
    const sem = create(0);
    const wait = sem.acquireAsync();
    expect(() => sem.acquire()).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }) as Error);
    expect(sem.waiting).toBe(1);
    sem.release();
    await wait;
  },
);

test('waits of one agent in lanes of tokens are served in call order, past a cancelled one', async () => {
  const sem = MultilaneSemaphore.create(0, { arena: Arena.create(), inner: 'address' });
  const leaver = new AbortController();
  const waits = Array.from({ length: 8 }, (_, n) => sem.acquireAsync(1, n === 2 ? { signal: leaver.signal } : {}));
  leaver.abort(new Error('given up'));
  await expect(waits[2]).rejects.toThrow('given up');
  const served: number[] = [];
  const ends = waits.map((wait, n) =>
    wait.then(
      () => served.push(n),
      () => undefined,
    ),
  );
  sem.release(4);
  for (const n of [0, 1, 3, 4]) await ends[n];
  expect([served, sem.waiting, sem.available]).toEqual([[0, 1, 3, 4], 3, 0]);
  sem.release(3);
  await Promise.all(ends);
});

test('waitMany() takes the available permits up to its maximum, and at least one', async () => {
  const sem = LightweightSemaphore.create(5, { arena: Arena.create() });
  expect([sem.waitMany(3), sem.tryWaitMany(3), sem.tryWaitMany(3), sem.available]).toEqual([3, 2, 0, 0]);
  const many = sem.waitManyAsync(4);
  sem.release(6);
  expect(await many).toBe(4);
  expect([sem.available, sem.tryAcquire(3), sem.tryAcquire(2)]).toEqual([2, false, true]);
  await expect(sem.waitManyAsync(2, { timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
  expect(() => sem.waitMany(0)).toThrow(RangeError);
  sem.close();
  expect(() => sem.tryWaitMany(1)).toThrow(expect.objectContaining({ code: 'SLUICE_CLOSED' }) as Error);
});

test('the semaphore records which agents hold permits, and the inner one does not', () => {
  const sem = LightweightSemaphore.create(3, { arena: Arena.create(), inner: 'ticket', name: 'jobs' });
  sem.acquire();
  sem.waitMany(2);
  expect(sem.inspect()).toMatchObject({ name: 'jobs', available: 0, holders: [{ permits: 3 }] });
  expect(sem.arena.inspect().agents[0]?.holds).toMatchObject([{ kind: 'semaphore', name: 'jobs', permits: 3 }]);
});

test('from() accepts only handles of its own kind', () => {
  const arena = Arena.create();
  const light = LightweightSemaphore.create(1, { arena, inner: 'monitor' });
  const lanes = MultilaneSemaphore.create(1, { arena, inner: 'chain', lanes: 8, order: 'random' });
  expect(LightweightSemaphore.from(light.handle).inner).toBe('monitor');
  const found = MultilaneSemaphore.from(lanes.handle);
  expect([found.inner, found.lanes, found.order, found.inspectLanes().length]).toEqual(['chain', 8, 'random', 8]);
  expect(() => MultilaneSemaphore.from(light.handle)).toThrow(
    expect.objectContaining({ code: 'SLUICE_HANDLE' }) as Error,
  );
  expect(() => LightweightSemaphore.from(lanes.handle)).toThrow(
    expect.objectContaining({ code: 'SLUICE_HANDLE' }) as Error,
  );
  expect(() => ChainSemaphore.from(lanes.handle)).toThrow(expect.objectContaining({ code: 'SLUICE_HANDLE' }) as Error);
});

test.each([
  ['inner', { inner: 'mutex' }],
  ['lanes', { lanes: 3 }],
  ['lanes', { lanes: 0 }],
  ['lanes', { lanes: 2048 }],
  ['order', { order: 'fair' }],
])('a wrong %s throws a RangeError that names it', (what, options) => {
  expect(() => MultilaneSemaphore.create(1, { arena: Arena.create(), ...options } as never)).toThrow(what);
  expect(() => MultilaneSemaphore.create(1, { arena: Arena.create(), ...options } as never)).toThrow(RangeError);
});

test.each(ORDERS)(
  'initial permits and releases of any size go to the lanes of the waiters that arrive for them (%s)',
  (order) => {
    for (const lanes of [1, 2, 8]) {
      const sem = MultilaneSemaphore.create(13, { arena: Arena.create(), lanes, order });
      let free = 13;
      for (let size = 1; size < 40; size++) {
        const taken = size % 7;
        for (let count = 0; count < taken && free > 0; count++, free--) expect(sem.tryAcquire()).toBe(true);
        sem.release(size);
        free += size;
      }
      expect([sem.available, sem.drain(), sem.available]).toEqual([free, free, 0]);
    }
  },
);
