import { expect, test } from 'vitest';
import { Arena, ArenaFullError, Region, Semaphore } from '../src/index.ts';
import { engineNamed } from './support/engines.ts';
import { turn } from './support/turn.ts';
import { withoutAges } from './support/without-ages.ts';

const FULL = { name: 'ArenaFullError', code: 'SLUICE_ARENA_FULL' };

/** Creates an arena of one page and fills it up to the last line. */
function fullArena(prepare: (arena: Arena) => unknown = () => undefined): { arena: Arena; filling: Region[] } {
  const arena = Arena.create({ initialPages: 1, maxPages: 1, policy: { buckets: 16 } });
  prepare(arena);
  return { arena, filling: fill(arena) };
}

function fill(arena: Arena): Region[] {
  const filling: Region[] = [];
  for (const bytes of [8192 - 128, 1024, 1]) {
    try {
      for (;;) filling.push(Region.create(bytes, { arena }));
    } catch (failure) {
      expect(failure).toMatchObject(FULL);
    }
  }
  return filling;
}

test('an arena grows on demand, up to maxPages', () => {
  const arena = Arena.create({ initialPages: 1, maxPages: 6, policy: { buckets: 16 } });
  const seen = new Set<number>();
  const regions: Region[] = [];
  expect(() => {
    for (;;) {
      regions.push(Region.create(8192 - 128, { arena }));
      seen.add(arena.inspect().pages);
    }
  }).toThrow(ArenaFullError);
  expect(Math.max(...seen)).toBe(6);
  expect([...seen].every((pages) => pages >= 1 && pages <= 6)).toBe(true);
  for (const [index, region] of regions.entries()) region.int32[0] = index;
  expect(regions.map((region) => region.int32[0])).toEqual(regions.map((_, index) => index));
});

test('views of a region stay valid while the arena grows', () => {
  const arena = Arena.create({ initialPages: 1, maxPages: 16, policy: { buckets: 16 } });
  const region = Region.create(64, { arena });
  const before = region.int32;
  before[0] = 1;
  Region.create(200_000, { arena });
  before[1] = 2;
  expect([...region.int32.subarray(0, 2)]).toEqual([1, 2]);
  region.int32[2] = 3;
  expect(before[2]).toBe(3);
});

test('the ArenaFullError states the bytes needed, the bytes present and the maximum', () => {
  const arena = Arena.create({ initialPages: 1, maxPages: 2, policy: { buckets: 16 } });
  expect(() => Region.create(200_000, { arena })).toThrow(
    /bytes would be needed, 65536 of at most 131072 are there \(maxPages 2\)/,
  );
});

test('create() of a semaphore or region without room throws and changes nothing', () => {
  const { arena } = fullArena();
  const before = arena.inspect();
  expect(() => Semaphore.create(1, { arena })).toThrow(expect.objectContaining(FULL) as Error);
  expect(() => Region.create(1, { arena })).toThrow(expect.objectContaining(FULL) as Error);
  expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
});

test.each(['wasm', 'js'] as const)(
  'Region.create() for far more bytes than maxPages allows throws and changes nothing (%s)',
  (engine) => {
    const arena = Arena.create({ engine: engineNamed(engine), maxPages: 4 });
    const before = arena.inspect();
    for (const bytes of [2 ** 30, 2 ** 30 - 128, 2 ** 29]) {
      expect(() => Region.create(bytes, { arena })).toThrow(expect.objectContaining(FULL) as Error);
      expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
    }
  },
);

test('a block freed in a full arena can be allocated again', () => {
  const lines: Region[] = [];
  const { arena } = fullArena((empty) => lines.push(Region.create(1, { arena: empty })));
  lines[0]?.free();
  const region = Region.create(1, { arena });
  expect(() => Region.create(1, { arena })).toThrow(expect.objectContaining(FULL) as Error);
  region.free();
});

test('a wait without a free element throws before it draws a ticket', async () => {
  let sem: Semaphore | undefined;
  const { arena } = fullArena((arena) => (sem = Semaphore.create(2, { arena })));
  if (sem === undefined) throw new Error('no semaphore');
  sem.tryAcquire();
  const before = [sem.inspect(), arena.inspect()];
  expect(() => sem?.acquire(2)).toThrow(expect.objectContaining(FULL) as Error);
  expect(() => sem?.tryAcquire(2, 5)).toThrow(expect.objectContaining(FULL) as Error);
  await expect(sem.acquireAsync(2)).rejects.toMatchObject(FULL);
  await expect(sem.acquireAsync(2, { timeout: 5 })).rejects.toMatchObject(FULL);
  expect(withoutAges([sem.inspect(), arena.inspect()])).toEqual(withoutAges(before));
});

test('every form of acquire takes free permits in a full arena, since no wait is needed', async () => {
  let sem: Semaphore | undefined;
  fullArena((arena) => (sem = Semaphore.create(4, { arena })));
  if (sem === undefined) throw new Error('no semaphore');
  sem.acquire();
  expect(sem.tryAcquire(1, 5)).toBe(true);
  await sem.acquireAsync();
  expect(sem.drain()).toBe(1);
  sem.release(4);
  expect(sem.available).toBe(4);
});

test('with every element in use, waiters can be aborted in any order, since cancelling needs no memory', async () => {
  let sem: Semaphore | undefined;
  const controllers = Array.from({ length: 16 }, () => new AbortController());
  const waits: Promise<unknown>[] = [];
  const { arena } = fullArena((arena) => {
    sem = Semaphore.create(0, { arena });
    for (const [index, { signal }] of controllers.entries()) {
      waits.push(sem.acquireAsync(1 + (index % 4), { signal }).catch((reason: unknown) => reason));
    }
  });
  if (sem === undefined) throw new Error('no semaphore');
  expect(arena.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
  await expect(sem.acquireAsync()).rejects.toMatchObject(FULL);
  expect(sem.waiting).toBe(16);

  const { used } = arena.inspect();
  for (const [index, controller] of controllers.entries()) if (index % 2 === 1) controller.abort('odd');
  expect([sem.waiting, arena.inspect().used]).toEqual([8, used]);
  for (const controller of controllers) controller.abort('even');
  expect([sem.waiting, sem.available, arena.inspect().used]).toEqual([0, 0, used]);
  expect(await Promise.all(waits)).toEqual(controllers.map((_, index) => (index % 2 === 1 ? 'odd' : 'even')));
  expect(arena.inspect().elements).toMatchObject({ total: 16, waiting: 0, abandoned: 0 });

  const next = sem.acquireAsync(3);
  sem.release(3);
  await next;
});

test('with every element in use, waiters can time out', async () => {
  let sem: Semaphore | undefined;
  const waits: Promise<unknown>[] = [];
  fullArena((arena) => {
    sem = Semaphore.create(0, { arena });
    for (let index = 0; index < 16; index++) {
      waits.push(sem.acquireAsync(1, { timeout: 2 + (index % 3) }).catch((reason: unknown) => reason));
    }
  });
  for (const failure of await Promise.all(waits)) expect(failure).toMatchObject({ code: 'SLUICE_TIMEOUT' });
  expect(sem?.inspect()).toMatchObject({ available: 0, waiters: [], abandoned: 0 });
});

test('async waits leave room for a blocking wait and a new primitive', async () => {
  const arena = Arena.create({ initialPages: 1, maxPages: 4, policy: { buckets: 16 } });
  const sem = Semaphore.create(0, { arena });
  const waits: Promise<unknown>[] = [];
  let refused: unknown;
  while (refused === undefined && waits.length < 10_000) {
    const wait = sem.acquireAsync().catch((failure: unknown) => (refused = failure));
    waits.push(wait);
    if (waits.length % 16 === 0) await Promise.race([wait, Promise.resolve()]);
  }
  await Promise.resolve();
  expect(refused).toMatchObject({
    ...FULL,
    message: expect.stringContaining('no room for another async wait') as string,
  });
  const before = sem.inspect().waiters.length;
  expect(sem.tryAcquire(1, 1)).toBe(false);
  expect(sem.inspect().waiters.length).toBe(before);
  const primitives = Array.from({ length: 50 }, () => Semaphore.create(1, { arena }));
  for (const each of primitives) each.free();
  sem.release(before);
  await Promise.allSettled(waits);
  expect(sem.available).toBe(0);
});

test('the async waits of an agent that blocks in between leave the reserve to blocking waits', async () => {
  const arena = Arena.create({ initialPages: 1, maxPages: 2, policy: { buckets: 16 } });
  const sem = Semaphore.create(0, { arena });
  const waits: Promise<unknown>[] = [];
  let refused = 0;
  for (let round = 0; round < 4000; round++) {
    // In the end, a blocking wait gets an element of the reserve and returns it.
    expect(sem.tryAcquire(1, 0.001)).toBe(false);
    waits.push(
      sem.acquireAsync().catch((failure: unknown) => {
        expect(failure).toMatchObject(FULL);
        refused += 1;
      }),
    );
  }
  while (refused + sem.inspect().waiters.length < waits.length) await turn();
  expect(refused).toBeGreaterThan(0);
  const { waiters } = sem.inspect();
  expect(waiters).toHaveLength(4000 - refused);
  sem.release(waiters.length);
  await Promise.all(waits);
});
