// Tests read-write locks in a full arena.

import type { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock } from '../src/index.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

test('create() in an arena without room changes nothing', () => {
  for (const lines of [0, 1] as const) {
    const { arena } = fullArena(() => undefined, lines);
    const before = arena.inspect();
    expect(() => RwLock.create({ arena })).toThrow(REFUSED);
    expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
  }
});

test('create() without room for the agent’s ledger changes nothing', () => {
  const { arena } = fullArena(() => undefined, 2);
  const before = arena.inspect();
  expect(() => RwLock.create({ arena })).toThrow(REFUSED);
  expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
});

/** The number of ledgers in a pool's first block times the entries of each. A lock takes two entries. */
const FIRST_ENTRIES = 16 * 7;

test('from() without room for the agent’s ledger throws, and the lock is unchanged', () => {
  let other: Arena | undefined;
  const { arena, prepared: locks } = fullArena((arena) => {
    other = secondAgent(arena);
    return Array.from({ length: Math.floor(FIRST_ENTRIES / 2) }, () => RwLock.create({ arena }));
  });
  const [lock] = locks;
  if (other === undefined || lock === undefined) throw new Error('no other agent');
  const before = [arena.inspect(), officeAt(arena, lock.handle.address)];
  expect(() => openAs(other ?? arena, lock.handle, (handle) => RwLock.from(handle))).toThrow(REFUSED);
  expect(withoutAges([arena.inspect(), officeAt(arena, lock.handle.address)])).toEqual(withoutAges(before));
  lock.writer.lock();
  lock.writer.unlock();
  expectAtRest(arena, lock.handle);
});

const SIDES = ['reader', 'writer'] as const;

test.each(SIDES)('a wait as %s without a free element throws before it is counted', async (side) => {
  const { arena, prepared } = fullArena((arena) => {
    const ours = RwLock.create({ arena });
    const theirs = openAs(secondAgent(arena), ours.handle, (handle) => RwLock.from(handle));
    theirs.writer.lock();
    return { ours, theirs };
  });
  const { ours, theirs } = prepared;
  const before = [ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)];
  for (const call of [() => ours[side].lock(), () => ours[side].tryLock(5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => ours[side].lockAsync(), () => ours[side].lockAsync({ timeout: 5 })]) {
    await expect(call()).rejects.toMatchObject(FULL);
  }
  expect(withoutAges([ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)])).toEqual(
    withoutAges(before),
  );
  theirs.writer.unlock();
  ours[side].lock();
  ours[side].unlock();
  expectAtRest(arena, ours.handle);
});

test('all waiters of both sides can be aborted while every element is in use, since cancelling needs no memory', async () => {
  const controllers = Array.from({ length: 16 }, () => new AbortController());
  const { arena, prepared } = fullArena((arena) => {
    const ours = RwLock.create({ arena });
    const theirs = openAs(secondAgent(arena), ours.handle, (handle) => RwLock.from(handle));
    ours.writer.lock();
    const waits = controllers.map(({ signal }, index) =>
      theirs[index % 3 === 0 ? 'writer' : 'reader'].lockAsync({ signal }).catch((reason: unknown) => reason),
    );
    return { ours, waits };
  });
  const { ours, waits } = prepared;
  expect(arena.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
  for (const [index, controller] of controllers.entries()) if (index % 2 === 0) controller.abort('even');
  for (const controller of controllers) controller.abort('odd');
  expect(await Promise.all(waits)).toEqual(controllers.map((_, index) => (index % 2 === 0 ? 'even' : 'odd')));
  ours.writer.unlock();
  expectAtRest(arena, ours.handle);
});
