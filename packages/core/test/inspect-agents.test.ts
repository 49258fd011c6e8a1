// Tests the report of arena.inspect() about agents: what each agent holds and waits for.

import { afterEach, expect, test, vi } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';

afterEach(() => {
  vi.useRealTimers();
});

function newArena(): Arena {
  return Arena.create({ maxPages: 4 });
}

test('inspect() reports an agent that holds nothing and waits for nothing with empty lists', () => {
  const arena = newArena();
  Semaphore.create(1, { arena });
  expect(arena.inspect().agents).toMatchObject([{ agent: arena.agentId, holds: [], waits: [] }]);
});

test('inspect() reports the holdings of an agent by primitive, with kind, name and address', () => {
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

test('inspect() reports permits that came after a wait with the time of their grant', async () => {
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

test('inspect() reports permits that were granted and not yet seen as held, not as waited for', async () => {
  const arena = newArena();
  const sem = Semaphore.create(0, { arena });
  const wait = sem.acquireAsync();
  expect(arena.inspect().agents[0]).toMatchObject({ holds: [], waits: [{ permits: 1 }] });
  sem.release();
  expect(arena.inspect().agents[0]).toMatchObject({ holds: [{ permits: 1 }], waits: [] });
  await wait;
});

test('inspect() reports the waits of an agent, the oldest first, with how it waits and since when', async () => {
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
    {
      kind: 'semaphore',
      name: 'other',
      address: other.handle.address,
      permits: 1,
      how: 'async',
      since: 1000,
      age: 1000,
    },
    { kind: 'lock', name: 'door', address: lock.handle.address, permits: 1, how: 'async', since: 2000, age: 0 },
    { kind: 'semaphore', name: 'one', address: one.handle.address, permits: 2, how: 'async', since: 3000, age: 0 },
  ]);
  one.release(2);
  other.release();
  lock.unlock();
  await Promise.all(waits);
  expect(arena.inspect().agents[0]?.waits).toEqual([]);
});

test('inspect() omits the holders of a semaphore without records or of a freed one', () => {
  const arena = newArena();
  const [plain, freed] = [Semaphore.create(2, { arena, recovery: false }), Semaphore.create(2, { arena })];
  plain.acquire();
  freed.acquire();
  freed.free();
  expect(arena.inspect().agents[0]?.holds).toEqual([]);
});

test('inspect() reports a lock as a lock with its name, and as a free block after free()', () => {
  const arena = newArena();
  const lock = SemaphoreLock.create({ arena, name: 'door' });
  const { address } = lock.handle;
  const shown = (): unknown => arena.inspect().blocks.find((block) => block.address === address);
  expect(shown()).toMatchObject({ kind: 'lock', name: 'door', closed: false });
  Semaphore.from(lock.handle).free();
  expect(shown()).toMatchObject({ kind: 'free', name: '', closed: false });
});
