// A blocking call that could return only after a task of its own agent has run throws a DeadlockError, for every kind
// of inner lock.

import { Arena, DeadlockError, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock } from '../src/index.ts';
import { LIFO, MUTEX, RECURSIVE } from './support/inner-kinds.ts';
import { gateOf, insideOf } from './support/routes.ts';
import { PrivateLock } from './support/third-party.ts';
import { wrap } from './support/wrapped.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);

const BLOCKING: readonly (readonly [call: string, block: (lock: CapacitorLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock(Infinity)', (lock) => lock.tryLock(Infinity)],
  ['hold()', (lock) => lock.hold()],
  ['run(body)', (lock) => lock.run(() => 0)],
];

describe.each(BLOCKING)('%s', (_, block) => {
  test('a blocking call throws DeadlockError behind an async wait of the same agent that was admitted and does not hold the lock yet', async () => {
    for (const kind of [MUTEX, LIFO, RECURSIVE]) {
      const { ours } = wrap(arena, other, kind, { bypassLimit: 1 });
      const wait = ours.lockAsync();
      expect(() => block(ours)).toThrow(DeadlockError);
      await wait;
      expect([ours.owned, insideOf(ours)]).toEqual([true, 1]);
      ours.unlock();
      expect(gateOf(ours).empty).toBe(true);
    }
  });

  test('a blocking call throws DeadlockError behind an async wait of the same agent for the inner lock, which another agent holds', async () => {
    const { ours, theirInner } = wrap(arena, other, MUTEX, { bypassLimit: 1 });
    theirInner.lock();
    const wait = ours.lockAsync();
    await turn();
    expect(() => block(ours)).toThrow(DeadlockError);
    theirInner.unlock();
    await wait;
    ours.unlock();
    expect(gateOf(ours).empty).toBe(true);
  });

  test('a blocking call throws DeadlockError behind an async wait of the same agent at the capacitor', async () => {
    const { ours, theirs } = wrap(arena, other, MUTEX, { bypassLimit: 1 });
    theirs.lock();
    const wait = ours.lockAsync();
    await turn();
    expect(() => block(ours)).toThrow(DeadlockError);
    theirs.unlock();
    await wait;
    ours.unlock();
    expect(gateOf(ours).empty).toBe(true);
  });

  test('a blocking call throws DeadlockError while the same agent holds a lock that is not recursive', async () => {
    const lock = CapacitorLock.create(new PrivateLock(), { arena, bypassLimit: 1 });
    await lock.lockAsync();
    expect(() => block(lock)).toThrow(DeadlockError);
    lock.unlock();
    const { ours } = wrap(arena, other, MUTEX, { bypassLimit: 1 });
    await ours.lockAsync();
    expect(() => block(ours)).toThrow(MisuseError);
    ours.unlock();
    expect([gateOf(lock).empty, gateOf(ours).empty]).toEqual([true, true]);
  });
});

test("a nested task of the lock's owner enters while another task waits", async () => {
  const { ours, theirs } = wrap(arena, other, RECURSIVE, { bypassLimit: 1 });
  ours.lock();
  const wait = theirs.lockAsync();
  await turn();
  ours.lock();
  await ours.lockAsync();
  expect(ours.run(() => 7)).toBe(7);
  for (let depth = 0; depth < 3; depth++) ours.unlock();
  await wait;
  theirs.unlock();
  expect(gateOf(ours).empty).toBe(true);
});
