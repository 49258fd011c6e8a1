// What arena.inspect() says about agents: what each holds and waits for.

import { afterEach, expect, test, vi } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';

afterEach(() => {
  vi.useRealTimers();
});

function newArena(): Arena {
  return Arena.create({ maxPages: 4 });
}

test('an agent that holds nothing and waits for nothing is shown with neither', () => {
  const arena = newArena();
  Semaphore.create(1, { arena });
  expect(arena.inspect().agents).toMatchObject([{ agent: arena.agentId, holds: [], waits: [] }]);
});

test('what an agent holds is shown by primitive, with its kind, its name and its address', () => {
  const arena = newArena();
  const files = Semaphore.create(5, { arena, name: 'files' });
  const lock = SemaphoreLock.create({ arena, name: 'door' });
  files.acquire(2);
  files.acquire();
  lock.lock();
  const holds = arena.inspect().agents[0]?.holds ?? [];
  expect([...holds].sort((a, b) => a.address - b.address)).toEqual([
    { kind: 'semaphore', name: 'files', address: files.handle.address, permits: 3 },
    { kind: 'lock', name: 'door', address: lock.handle.address, permits: 1 },
  ]);
  files.release(3);
  lock.unlock();
  expect(arena.inspect().agents[0]?.holds).toEqual([]);
});

test('permits that came after a wait are shown with the time of their grant', async () => {
  const before = Date.now();
  const arena = newArena();
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync(2);
  sem.release(2);
  await wait;
  const [held] = arena.inspect().agents[0]?.holds ?? [];
  expect(held).toMatchObject({ permits: 2 });
  expect(held?.since).toBeGreaterThanOrEqual(before);
  expect(held?.since).toBeLessThanOrEqual(Date.now());
});

test('permits that were granted and not yet looked at are held, and no longer waited for', async () => {
  const arena = newArena();
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  expect(arena.inspect().agents[0]).toMatchObject({ holds: [], waits: [{ permits: 1 }] });
  sem.release();
  expect(arena.inspect().agents[0]).toMatchObject({ holds: [{ permits: 1 }], waits: [] });
  await wait;
});

test('what an agent waits for is shown, the oldest wait first, with how and since when', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const arena = newArena();
  const [one, other] = [Semaphore.create(0, { arena, name: 'one' }), Semaphore.create(0, { arena, name: 'other' })];
  const lock = SemaphoreLock.create({ arena, name: 'door' });
  lock.lock();
  // A clock may be set back.
  const at = <T>(time: number, wait: () => T): T => {
    vi.setSystemTime(time);
    return wait();
  };
  const waits = [
    at(3000, () => one.acquireAsync(2)),
    at(1000, () => other.acquireAsync()),
    at(2000, () => lock.lockAsync()),
  ];
  expect(arena.inspect().agents[0]?.waits).toEqual([
    { kind: 'semaphore', name: 'other', address: other.handle.address, permits: 1, how: 'async', since: 1000 },
    { kind: 'lock', name: 'door', address: lock.handle.address, permits: 1, how: 'async', since: 2000 },
    { kind: 'semaphore', name: 'one', address: one.handle.address, permits: 2, how: 'async', since: 3000 },
  ]);
  one.release(2);
  other.release();
  lock.unlock();
  await Promise.all(waits);
  expect(arena.inspect().agents[0]?.waits).toEqual([]);
});

test('what is held of a semaphore without a record of holders, or of one that was freed, is not shown', () => {
  const arena = newArena();
  const [plain, freed] = [Semaphore.create(2, { arena, recovery: false }), Semaphore.create(2, { arena })];
  plain.acquire();
  freed.acquire();
  freed.free();
  expect(arena.inspect().agents[0]?.holds).toEqual([]);
});

test('a lock is shown as a lock, with its name, and as a free block when it is gone', () => {
  const arena = newArena();
  const lock = SemaphoreLock.create({ arena, name: 'door' });
  const { address } = lock.handle;
  const shown = (): unknown => arena.inspect().blocks.find((block) => block.address === address);
  expect(shown()).toMatchObject({ kind: 'lock', name: 'door', closed: false });
  Semaphore.from(lock.handle).free();
  expect(shown()).toMatchObject({ kind: 'free', name: '', closed: false });
});
