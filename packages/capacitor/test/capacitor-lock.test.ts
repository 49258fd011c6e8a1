// The reports of a capacitor lock, the arena in which it lives, and the memory that it returns.

import { Arena } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { expect, test } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock, type CapacitorLockOptions } from '../src/index.ts';
import { MUTEX, RECURSIVE } from './support/inner-kinds.ts';
import { PrivateLock } from './support/third-party.ts';
import { wrap } from './support/wrapped.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);

const KINDS: readonly (readonly [kind: string, options: CapacitorLockOptions, bypassLimit: number])[] = [
  ['turnstile', {}, 1000],
  ['capacitor', { bypassLimit: 10 }, 10],
  ['capacitor', { bypassLimit: 1 }, 1],
  ['capacitor', { bypassLimit: 2 ** 31 - 1 }, 2 ** 31 - 1],
  ['turnstile', { bypassLimit: 'adaptive' }, 1000],
  ['laned-capacitor', { lanes: 2 }, 10],
  ['laned-capacitor', { bypassLimit: 64, lanes: { count: 64, order: 'ordered' } }, 64],
  ['random-lanes', { bypassLimit: 5, lanes: { count: 4, order: 'random' } }, 5],
];

test.each(KINDS)(
  'inspect() of a %s with %j reports name, B and the agents inside to every agent',
  async (kind, options, bypassLimit) => {
    const { ours, theirs } = wrap(arena, other, MUTEX, { ...options, name: 'fair' });
    for (const lock of [ours, theirs])
      expect([lock.name, lock.bypassLimit, lock.owned]).toEqual(['fair', bypassLimit, false]);
    expect([ours.arena, theirs.arena]).toEqual([arena, other]);
    const gate = { kind, name: 'fair', bypassLimit };
    expect(ours.inspect()).toMatchObject({ kind: 'capacitor-lock', gate, through: 0, around: 0 });
    ours.lock();
    const wait = theirs.lockAsync();
    await turn();
    expect(ours.inspect()).toMatchObject({ through: 1, around: 0 });
    expect(theirs.inspect()).toMatchObject({ through: 0, around: 0 });
    ours.unlock();
    await wait;
    expect([ours.owned, theirs.owned]).toEqual([false, true]);
    expect(theirs.inspect()).toMatchObject({ through: 1, around: 0 });
    theirs.unlock();
    ours.free();
  },
);

test('inspect() counts the holdings of this agent by route', () => {
  const { ours } = wrap(arena, other, RECURSIVE, { bypassLimit: 1 });
  for (let depth = 0; depth < 4; depth++) {
    ours.lock();
    expect(ours.inspect()).toMatchObject({ through: 1, around: depth });
  }
  for (let depth = 3; depth >= 0; depth--) {
    expect(ours.inspect()).toMatchObject({ through: 1, around: depth });
    ours.unlock();
  }
  expect(ours.inspect()).toMatchObject({ through: 0, around: 0 });
});

test('the capacitor lives in the arena of its inner lock, in the given arena, or in the default arena', () => {
  const inner = Mutex.create({ arena });
  expect(CapacitorLock.create(inner).arena).toBe(arena);
  expect(CapacitorLock.create(inner, { arena }).arena).toBe(arena);
  expect(CapacitorLock.create(new PrivateLock(), { arena }).arena).toBe(arena);
  expect(CapacitorLock.create(new PrivateLock()).arena).toBe(Arena.default());
});

test('a handle carries the fraction and skipWhenUncontended', () => {
  const inner = Mutex.create({ arena });
  for (const options of [{ fraction: 0.25 }, { fraction: 1 }, { skipWhenUncontended: true }] as const) {
    const { handle } = CapacitorLock.create(inner, options);
    expect(handle).toMatchObject({
      kind: 'sluice.capacitor-lock',
      fraction: 0,
      skipWhenUncontended: false,
      ...options,
    });
    const twin = CapacitorLock.from(structuredClone(handle), inner);
    expect({ ...twin.handle, gate: 0, inner: 0 }).toEqual({ ...handle, gate: 0, inner: 0 });
  }
  const around = CapacitorLock.from(CapacitorLock.create(inner, { fraction: 1 }).handle, inner);
  around.run(() => expect(around.inspect()).toMatchObject({ through: 0, around: 1 }));
});

test.each(KINDS)(
  'a thousand locks of a %s with %j, created and freed in turn, use no more memory than the first',
  (_, options) => {
    const inner = Mutex.create({ arena });
    const make = (): void => {
      const lock = CapacitorLock.create(inner, options);
      lock.run(() => 0);
      lock.free();
    };
    for (let round = 0; round < 300; round++) make();
    const before = arena.inspect().used;
    for (let round = 0; round < 1000; round++) make();
    expect(arena.inspect().used).toBe(before);
    inner.free();
  },
);

test('a lock that reuses the memory of a freed one has no owner, and no agent is inside', () => {
  const inner = Mutex.create({ arena });
  const old = CapacitorLock.create(inner, { bypassLimit: 1 });
  old.lock();
  old.unlock();
  old.free();
  const next = CapacitorLock.create(inner, { bypassLimit: 1 });
  expect([next.handle.gate.kind, next.owned, next.tryLock()]).toEqual(['sluice.capacitor', false, true]);
  next.unlock();
});
