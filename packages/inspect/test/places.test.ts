// Tests that reports say where primitives were created, acquired and waited for.

import { Arena, Semaphore } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { Mutex } from '@sluice/mutex';
import { afterEach, expect, test } from 'vitest';
import { formatReport, startPlaces, type Places } from '../src/index.ts';
import { programFramesIn, type Place } from '../src/observe/call-place.ts';
import { PlaceTable } from '../src/tables/place-table.ts';

let places: Places | undefined;

afterEach(() => {
  places?.stop();
});

/** Returns the first line of the report that begins with the text, after its indentation. */
function lineOf(arena: Arena, begin: string): string | undefined {
  return formatReport(arena)
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith(begin));
}

const HERE = String.raw`(?:\w+ \()?[\w.-]*places\.test\.ts[^:]*:\d+\)?`;

function createAccounts(arena: Arena): Mutex {
  return Mutex.create({ arena, name: 'accounts' });
}

function acquireIt(lock: Mutex): void {
  lock.lock();
}

test('a report says where a lock was created, acquired and awaited', async () => {
  places = startPlaces();
  const arena = Arena.create({ maxPages: 16 });
  const accounts = createAccounts(arena);
  acquireIt(accounts);
  const waiting = (function awaitIt() {
    return accounts.lockAsync();
  })();
  const report = lineOf(arena, "lock 'accounts' (");
  expect(report).toMatch(/created at createAccounts \([\w.-]*places\.test\.ts[^:]*:\d+\)/);
  expect(report).toMatch(/held by agent \d.*, acquired at acquireIt \([\w.-]*places\.test\.ts[^:]*:\d+\)/);
  expect(lineOf(arena, "awaits lock 'accounts'")).toMatch(/ at awaitIt \([\w.-]*places\.test\.ts[^:]*:\d+\)/);
  expect(formatReport(arena).split('\n').slice(0, 3).join('\n')).toMatch(/acquired at acquireIt .* at awaitIt /);
  accounts.unlock();
  await waiting;
  expect(lineOf(arena, "awaits lock 'accounts'")).toBeUndefined();
  expect(lineOf(arena, "lock 'accounts' (")).toMatch(/acquired at awaitIt /);
  accounts.unlock();
  expect(formatReport(arena)).not.toContain('acquired at');
});

test('the place of a wait stays as long as the thread has a wait there', async () => {
  places = startPlaces();
  const arena = Arena.create({ maxPages: 16 });
  const permits = Semaphore.create(0, { arena, name: 'permits' });
  const waits = [permits.acquireAsync(), permits.acquireAsync()];
  permits.release();
  await waits[0];
  expect(lineOf(arena, "awaits semaphore 'permits'") ?? formatReport(arena)).toMatch(new RegExp(` at ${HERE}`));
  permits.release();
  await waits[1];
});

test.each(['run', 'tryLock', 'runAsync'] as const)(
  'a lock that %s acquires has the place of the program',
  async (how) => {
    places = startPlaces();
    const arena = Arena.create({ maxPages: 16 });
    const lock = Mutex.create({ arena, name: 'a' });
    let seen: string | undefined;
    const look = (): void => void (seen = lineOf(arena, "holds lock 'a'"));
    if (how === 'run') lock.run(look);
    else if (how === 'runAsync') await lock.runAsync(look);
    else {
      lock.tryLock();
      look();
      lock.unlock();
    }
    expect(seen).toMatch(new RegExp(`acquired at ${HERE}`));
  },
);

test('a lock that is acquired while another one is held has the place of the inner call', () => {
  places = startPlaces();
  const arena = Arena.create({ maxPages: 16 });
  const [outer, inner] = [Mutex.create({ arena, name: 'outer' }), Mutex.create({ arena, name: 'inner' })];
  function within(): void {
    inner.lock();
    expect(lineOf(arena, "holds lock 'inner'")).toMatch(/acquired at within \([\w.-]*places\.test\.ts[^:]*:\d+\)/);
    inner.unlock();
  }
  outer.run(within);
});

test('with a sample of 3, the first of three acquisitions has a place', () => {
  places = startPlaces({ sample: 3 });
  const arena = Arena.create({ maxPages: 16 });
  const jobs = Semaphore.create(1, { arena, name: 'jobs' });
  const seen = [1, 2, 3, 4].map(() => {
    jobs.acquire();
    const line = lineOf(arena, "holds semaphore 'jobs'");
    jobs.release();
    return line?.includes('acquired at');
  });
  expect(seen).toEqual([true, false, false, true]);
});

test('without places, a report has none', () => {
  const arena = Arena.create({ maxPages: 16 });
  const lock = Mutex.create({ arena, name: 'a' });
  lock.lock();
  expect(formatReport(arena)).not.toMatch(/acquired at|created at/);
  lock.unlock();
});

test('a lock at the address of a freed one does not get its place', () => {
  places = startPlaces();
  const arena = Arena.create({ maxPages: 16 });
  const first = createAccounts(arena);
  const { address } = first.handle;
  first.free();
  places.stop();
  const second = Mutex.create({ arena, name: 'other' });
  second.lock();
  expect(second.handle.address).toBe(address);
  expect(lineOf(arena, "lock 'other'")).not.toContain('created at');
  second.unlock();
});

test('the places of an agent that has ended stay in the table', () => {
  places = startPlaces();
  const arena = Arena.create({ maxPages: 16 });
  const lock = Mutex.create({ arena, name: 'a' });
  lock.lock();
  const other = new PlaceTable(places.handle.memory);
  const { id } = contextOf(arena);
  const { address, tag } = lock.handle as { readonly address: number; readonly tag: number };
  expect(other.usedAt(arena.id, id, 'holds', address, tag)).toMatch(new RegExp(`^${HERE}`));
  expect(other.usedAt(arena.id, id + 1, 'holds', address, tag)).toBe('');
  lock.unlock();
  expect(other.usedAt(arena.id, id, 'holds', address, tag)).toBe('');
});

test('a full table keeps no further places, and loses none', () => {
  const table = new PlaceTable();
  for (let n = 0; n < 3000; n++) table.used('arena', 1, 'holds', 8 * n, 1, `file.js:${n}`);
  expect([table.usedAt('arena', 1, 'holds', 0, 1), table.usedAt('arena', 1, 'holds', 8 * 2999, 1)]).toEqual([
    'file.js:0',
    '',
  ]);
});

test.each([
  [{ sample: 0 }, RangeError],
  [{ sample: '1' }, TypeError],
  [{ every: 1 }, TypeError],
  [{ handle: { kind: 'sluice.places' } }, /Expected the handle of places of this version/],
  [{ handle: null }, /received null/],
])('startPlaces refuses %o', (options, refusal) => {
  expect(() => startPlaces(options as never)).toThrow(refusal);
});

test('the handle of places joins the places of another thread', () => {
  places = startPlaces();
  const { handle } = places;
  places.stop();
  places = startPlaces({ handle });
  expect(places.handle.memory).toBe(handle.memory);
});

const frame = (file: string, within: string): Place => ({ file, line: 1, within });

test('the functions of the tools between a method and its wrapper are not of the program', () => {
  const frames = [
    'callers',
    'acquireAsync',
    'settled',
    'promised',
    'wrapper',
    'work',
    'run',
    'wrapper of run',
    'main',
  ].map((within) => frame('app.js', within));
  const [own, wrappers] = [new Set([1, 4, 6, 7]), new Set([4, 7])];
  expect(programFramesIn(frames, own, false, new Set(), wrappers).map(({ within }) => within)).toEqual([
    'work',
    'main',
  ]);
});

test('a wrapper that a method of the library calls is not called by the program', () => {
  const frames = ['callers', 'lock', 'wrapper of lock', 'run', 'blocking', 'wrapper of run', 'work'].map((within) =>
    frame('app.js', within),
  );
  const [own, wrappers] = [new Set([1, 2, 3, 5]), new Set([2, 5])];
  expect(programFramesIn(frames, own, false, new Set(), wrappers).map(({ within }) => within)).toEqual(['work']);
});

test.each([
  [
    'a bundle of several chunks',
    [
      frame('a.js', 'callers'),
      frame('b.js', 'stackOf'),
      frame('c.js', 'run'),
      frame('app.js', 'work'),
      frame('c.js', 'run'),
    ],
    [2],
    ['work'],
  ],
  [
    'a bundle in one file',
    [frame('app.js', 'callers'), frame('app.js', 'lock'), frame('app.js', 'work'), frame('app.js', 'main')],
    [1],
    ['work', 'main'],
  ],
  [
    'a call within a function of the library',
    [
      frame('app.js', 'callers'),
      frame('app.js', 'lock'),
      frame('app.js', 'work'),
      frame('app.js', 'run'),
      frame('app.js', 'main'),
    ],
    [1, 3],
    ['work', 'main'],
  ],
  ['a stack of one file without a known function', [frame('app.js', 'callers'), frame('app.js', 'work')], [], []],
])('only the frames of the program count in %s', (_, frames, own, expected) => {
  expect(programFramesIn(frames, new Set(own), false, new Set()).map(({ within }) => within)).toEqual(expected);
});
