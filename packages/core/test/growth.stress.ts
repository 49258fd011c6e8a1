import { Arena, Region, Semaphore } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { CORES, dumpOf, jobs } from './support/stress.ts';

const PAGE = 65_536;

interface Allocation {
  readonly code: string;
  readonly used: number;
  readonly pages: number;
  readonly addresses: readonly number[];
}

test('waits in line stay valid while other agents grow the arena', async () => {
  const session = new Session('growth while others wait');
  const rounds = shortOf(8);
  for (let round = 0; round < rounds; round++) {
    const arena = Arena.create({ initialPages: 1, maxPages: 64, policy: { buckets: 16 } });
    const sem = Semaphore.create(0, { arena });
    const waits = 200;
    await withWorkers({ jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
      const all = [
        ...group.start(2, 'waitForTheEnd', () => ({ semaphore: sem.handle, permits: 1, way: 'blocking' })),
        ...group.start(2, 'waitManyTimes', () => ({ semaphore: sem.handle, waits })),
      ];
      await group.until('all workers in line', () => sem.waiting === 2 + 2 * waits);
      const pages = arena.inspect().pages;
      while (arena.inspect().pages < 32) Region.create(50_000, { arena });
      expect(pages).toBeLessThan(32);
      sem.release(2 + 2 * waits);
      expect(await group.results()).toEqual(['admitted', 'admitted', waits, waits]);
      expect(all.length).toBe(4);
    });
    expect(sem.inspect()).toMatchObject({ available: 0, waiters: [], abandoned: 0 });
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  }
  session.done(rounds * 402);
});

test('agents that allocate at the same time fill the arena to its last page, and no two get the same bytes', async () => {
  const session = new Session('allocation by all agents at the same time');
  const rounds = shortOf(40);
  let blocks = 0;
  for (let round = 0; round < rounds; round++) {
    const maxPages = session.random.between(3, 8);
    const bytes = session.random.pick([1920, 4000, 15_000, 30_000]);
    const arena = Arena.create({ initialPages: 1, maxPages, policy: { buckets: 16 } });
    const start = Semaphore.create(0, { arena, recovery: false });
    const results = await withWorkers(
      { jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [start]) },
      async (group) => {
        group.start(CORES, 'allocate', () => ({ arena: arena.handle, start: start.handle, bytes }));
        await group.until('all workers at the start', () => start.waiting === CORES);
        start.release(CORES);
        return group.results<Allocation>();
      },
    );
    const size = arena.inspect().blocks.find(({ kind }) => kind === 'region')?.bytes ?? 0;
    for (const { code, used, pages } of results) {
      expect(code).toBe('SLUICE_ARENA_FULL');
      expect(pages).toBe(maxPages);
      expect(used + size).toBeGreaterThan(maxPages * PAGE);
    }
    const addresses = results.flatMap((result) => result.addresses).sort((a, b) => a - b);
    blocks += addresses.length;
    for (const [index, address] of addresses.entries())
      expect(address - (addresses[index - 1] ?? -size)).toBeGreaterThanOrEqual(size);
    expect(arena.inspect().blocks.filter(({ kind }) => kind === 'region').length).toBe(addresses.length);
    expect(start.inspect()).toMatchObject({ available: 0, waiters: [], abandoned: 0 });
  }
  session.done(blocks, `${rounds} arenas`);
});

test('from() of a handle works at any moment while another agent grows the arena', async () => {
  const session = new Session('handles opened while the arena grows');
  const rounds = shortOf(20);
  const times = 400;
  for (let round = 0; round < rounds; round++) {
    const arena = Arena.create({ initialPages: 2, maxPages: 2000, policy: { buckets: 16 } });
    const sem = Semaphore.create(0, { arena });
    await withWorkers({ jobs: jobs.rest, seed: session.seed, dump: dumpOf(arena, [sem]) }, async (group) => {
      group.start(CORES, 'follow', () => ({ semaphore: sem.handle, times }));
      await group.until('all workers at the start', () => sem.waiting === CORES);
      sem.release(CORES);
      for (let made = 0; made < 300; made++) Region.create(60_000, { arena });
      expect(await group.results()).toEqual(Array.from({ length: CORES }, () => times));
    });
  }
  session.done(rounds * CORES * times);
});
