import { expect, test } from 'vitest';
import { Arena, DEFAULT_POLICY, Region, Semaphore } from '../src/index.ts';
import { jsEngine } from '../src/js.ts';

test('Arena.default() returns the same arena in each call', () => {
  expect(Arena.default()).toBe(Arena.default());
});

test('Arena.from() returns the same object for a handle and for clones of the handle', () => {
  const arena = Arena.create({ maxPages: 4 });
  const clone = { ...arena.handle };
  expect(Arena.from(arena.handle)).toBe(arena);
  expect(Arena.from(clone)).toBe(arena);
  expect(Arena.from(Arena.from(clone).handle)).toBe(arena);
  expect(clone.arena).toBe(arena.id);
});

test('from() of a primitive uses the Arena object that the realm already has', () => {
  const arena = Arena.create({ maxPages: 4 });
  const sem = Semaphore.create(1, { arena });
  const { agents } = arena.inspect();
  for (let round = 0; round < 10; round++) Semaphore.from({ ...sem.handle });
  expect(arena.inspect().agents).toEqual(agents);
});

test('Arena.from() ignores its options if the realm already has the arena', () => {
  const arena = Arena.create({ maxPages: 4, engine: jsEngine, policy: { spinMicros: 7 } });
  const again = Arena.from(arena.handle, { policy: { spinMicros: 9 } });
  expect([again.engine, again.policy.spinMicros]).toEqual(['js', 7]);
});

test('each arena has its own id and numbers its agents from 1', () => {
  const arenas = Array.from({ length: 20 }, () => Arena.create({ maxPages: 2 }));
  expect(new Set(arenas.map(({ id }) => id)).size).toBe(20);
  expect(arenas.map(({ agentId }) => agentId)).toEqual(arenas.map(() => 1));
});

test('an arena runs the WebAssembly kernel unless it is given jsEngine', () => {
  expect(Arena.create({ maxPages: 2 }).engine).toBe('wasm');
  expect(Arena.create({ maxPages: 2, engine: undefined }).engine).toBe('wasm');
  expect(Arena.create({ maxPages: 2, engine: jsEngine }).inspect().engine).toBe('js');
});

test('two hundred arenas work independently of each other', () => {
  const sems = Array.from({ length: 200 }, (_, index) => {
    const arena = Arena.create({ initialPages: 1, maxPages: 1, policy: { buckets: 16 } });
    return Semaphore.create(index, { arena });
  });
  for (const [index, sem] of sems.entries()) {
    expect(sem.drain()).toBe(index);
    expect(sem.available).toBe(0);
  }
});

test('inspect() reports pages, blocks and this agent', () => {
  const before = Date.now();
  const arena = Arena.create({ initialPages: 3, maxPages: 9 });
  const sem = Semaphore.create(1, { arena, name: 'a gate' });
  const region = Region.create(100, { arena, name: 'some bytes' });
  const closed = Semaphore.create(1, { arena, name: 'shut' });
  closed.close();
  const report = arena.inspect();
  expect(report).toMatchObject({ id: arena.id, engine: 'wasm', pages: 3, maxPages: 9 });
  expect(report.agents).toMatchObject([{ agent: 1, wakeUps: 0 }]);
  expect(report.agents[0]?.joined).toBeGreaterThanOrEqual(before);
  const named = report.blocks.filter(({ name }) => name !== '');
  expect(named).toMatchObject([
    { kind: 'semaphore', name: 'a gate', address: sem.handle.address, bytes: 128, closed: false },
    { kind: 'region', name: 'some bytes', address: region.handle.address, bytes: 256, closed: false },
    { kind: 'semaphore', name: 'shut', closed: true },
  ]);
  expect(report.used).toBe(report.blocks.reduce((end, { address, bytes }) => Math.max(end, address + bytes), 0));
});

test('inspect() reports a freed block as free, and the next region of its size reuses it', () => {
  const arena = Arena.create({ maxPages: 4 });
  const first = Region.create(1000, { arena, name: 'first' });
  Region.create(1000, { arena, name: 'second' });
  first.free();
  expect(arena.inspect().blocks.filter(({ kind }) => kind === 'free')).toMatchObject([
    { address: first.handle.address },
  ]);
  const third = Region.create(1000, { arena, name: 'third' });
  expect(third.handle.address).toBe(first.handle.address);
  expect(arena.inspect().blocks.filter(({ kind }) => kind === 'free')).toEqual([]);
});

test.each([
  [1, 256],
  [128, 256],
  [129, 384],
  [1920, 2048],
  [1921, 2176],
  [100_000, 100_224],
])('a region of %i bytes occupies a block of %i: a header line and whole lines for its bytes', (bytes, block) => {
  const arena = Arena.create({ maxPages: 4 });
  const { address } = Region.create(bytes, { arena }).handle;
  expect(arena.inspect().blocks.find((each) => each.address === address)).toMatchObject({ bytes: block });
});

test('the pool of elements grows with the waiters, and later waiters reuse its elements', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const sem = Semaphore.create(0, { arena });
  expect(arena.inspect().elements).toEqual({ total: 0, free: 0, waiting: 0, abandoned: 0 });
  for (const round of [1, 2, 3]) {
    const waits = Array.from({ length: 50 }, () => sem.acquireAsync());
    expect(arena.inspect().elements, `round ${round}`).toMatchObject({ total: 64, waiting: 50 });
    sem.release(50);
    await Promise.all(waits);
    expect(arena.inspect().elements, `round ${round}`).toMatchObject({ total: 64, waiting: 0, abandoned: 0 });
  }
});

test('policy returns DEFAULT_POLICY with the given values, among them the number of buckets', () => {
  expect(Arena.create({ maxPages: 2 }).policy).toEqual(DEFAULT_POLICY);
  const arena = Arena.create({ maxPages: 2, policy: { buckets: 8, spinMicros: 0 } });
  expect(arena.policy).toEqual({ ...DEFAULT_POLICY, buckets: 8, spinMicros: 0 });
});

test.each([1, 2, 64, 65_536])('a semaphore serves its waiters in an arena with %i bucket(s)', async (buckets) => {
  const arena = Arena.create({ policy: { buckets } });
  const sem = Semaphore.create(0, { arena });
  const waits = Array.from({ length: 10 }, (_, index) => sem.acquireAsync(1 + (index % 3)));
  sem.release(20);
  await Promise.all(waits);
  expect(sem.available).toBe(1);
  sem.close();
  sem.free();
});

test.each([{ spinMicros: 0 }, { longTermThreshold: 0 }, { longTermThreshold: 3, spinMicros: 1000 }])(
  'a semaphore with the policy %o of its own serves its waiters',
  async (policy) => {
    const arena = Arena.create({ maxPages: 4 });
    const sem = Semaphore.create(1, { arena, policy });
    sem.acquire();
    expect(sem.tryAcquire(1, 3)).toBe(false);
    const waits = [sem.acquireAsync(), sem.acquireAsync()];
    sem.release(2);
    await Promise.all(waits);
    expect(sem.available).toBe(0);
  },
);
