// skipWhenUncontended: when callers bypass the capacitor, and when not.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock } from '../src/index.ts';
import { LIFO, MUTEX, RECURSIVE, TTS } from './support/inner-kinds.ts';
import { gateOf, insideOf } from './support/routes.ts';
import { PrivateLock, ScriptedLock } from './support/third-party.ts';
import { wrap, type Wrapped } from './support/wrapped.ts';

const arena = Arena.create({ maxPages: 32, policy: { buckets: 8 } });
const other = secondAgent(arena);
const SKIPS = { bypassLimit: 2, skipWhenUncontended: true } as const;

const WAYS: readonly (readonly [way: string, take: (lock: CapacitorLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(1000)', (lock) => lock.tryLock(1000)],
  ['lockAsync()', (lock) => lock.lockAsync()],
];

describe.each([TTS, LIFO, MUTEX, RECURSIVE])('$name', (kind) => {
  const create = (): Wrapped => wrap(arena, other, kind, SKIPS);

  test.each(WAYS)('%s skips the capacitor if it is empty and the lock is free', async (_, take) => {
    const { ours, theirs } = create();
    for (const lock of [ours, theirs, ours]) {
      await take(lock);
      expect([insideOf(lock), lock.owned, gateOf(lock).empty]).toEqual([0, true, true]);
      lock.unlock();
      expect(gateOf(lock).empty).toBe(true);
    }
  });

  test('an agent that finds the lock taken arrives at the capacitor, and so do all later ones until the last of them departs', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const waiter = theirs.lockAsync();
    await turn();
    expect([insideOf(ours), insideOf(theirs)]).toEqual([0, 1]);
    ours.unlock();
    await waiter;
    const next = ours.lockAsync();
    await turn();
    expect(insideOf(ours)).toBe(1);
    theirs.unlock();
    await next;
    expect([insideOf(ours), insideOf(theirs), gateOf(ours).empty]).toEqual([1, 0, false]);
    ours.unlock();
    expect(gateOf(ours).empty).toBe(true);
    theirs.lock();
    expect(insideOf(theirs)).toBe(0);
    theirs.unlock();
  });

  test('a free lock is not acquired around the capacitor while an agent is at the capacitor', async () => {
    const { ours, theirs } = create();
    gateOf(theirs).arrive();
    for (const [, take] of WAYS) {
      await take(ours);
      expect(insideOf(ours)).toBe(1);
      ours.unlock();
      // The agent inside completes the platoon of two.
      gateOf(theirs).depart();
      gateOf(theirs).arrive();
    }
    gateOf(theirs).depart();
    expect(gateOf(ours).empty).toBe(true);
  });
});

test('tryLock() of a taken lock returns false, around and through the capacitor, and leaves no agent inside', () => {
  const { ours, theirs } = wrap(arena, other, MUTEX, SKIPS);
  ours.lock();
  expect([theirs.tryLock(), theirs.tryLock(5), insideOf(theirs), gateOf(ours).empty]).toEqual([false, false, 0, true]);
  ours.unlock();
});

test('run() and runAsync() of a third party’s lock skip, too', async () => {
  const lock = CapacitorLock.create(new PrivateLock(), { arena, ...SKIPS });
  expect(lock.run(() => insideOf(lock))).toBe(0);
  expect(await lock.runAsync(() => insideOf(lock))).toBe(0);
  expect(gateOf(lock).empty).toBe(true);
});

test('run() and runAsync() of an owned lock always arrive, because they may have to pass on a dead owner’s notice', async () => {
  const { ours } = wrap(arena, other, MUTEX, SKIPS);
  expect(ours.run(() => insideOf(ours))).toBe(1);
  expect(await ours.runAsync(() => insideOf(ours))).toBe(1);
  expect(gateOf(ours).empty).toBe(true);
});

test('without skipWhenUncontended no caller skips the capacitor; with it the inner tryLock() is called once, without a timeout', async () => {
  for (const skipWhenUncontended of [false, true]) {
    const inner = new ScriptedLock();
    const tried: (number | undefined)[] = [];
    inner.tryLock = (timeoutMs) => {
      tried.push(timeoutMs);
      return false;
    };
    const lock = CapacitorLock.create(inner, { arena, bypassLimit: 10, skipWhenUncontended });
    lock.lock();
    expect(insideOf(lock)).toBe(1);
    lock.unlock();
    await lock.lockAsync();
    expect(insideOf(lock)).toBe(1);
    lock.unlock();
    expect(tried).toEqual(skipWhenUncontended ? [0, 0] : []);
  }
});

test('an error of the inner tryLock() while skipping reaches the caller, and no agent is inside', async () => {
  const inner = new ScriptedLock();
  const failure = new Error('broken');
  inner.tryLock = () => {
    throw failure;
  };
  const lock = CapacitorLock.create(inner, { arena, ...SKIPS });
  expect(() => lock.lock()).toThrow(failure);
  expect(() => lock.tryLock()).toThrow(failure);
  await expect(lock.lockAsync()).rejects.toBe(failure);
  expect([insideOf(lock), lock.owned, gateOf(lock).empty]).toEqual([0, false, true]);
});

test('skipWhenUncontended works with a turnstile and with lanes', () => {
  for (const options of [
    { bypassLimit: 'adaptive' },
    { lanes: 2 },
    { lanes: { count: 2, order: 'random' } },
  ] as const) {
    const { ours, inner } = wrap(arena, other, MUTEX, { ...options, skipWhenUncontended: true, name: 'skipped' });
    const held = (): number[] => (arena.inspect().agents[0]?.holds ?? []).map(({ address }) => address);
    const before = held();
    ours.lock();
    expect(held()).toEqual([...before, inner.handle.address]);
    ours.unlock();
    ours.free();
  }
});
