// The arena's resources that these locks need, in addition to the suite of all owned locks.

import type { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { records } from '../../core/src/memory/records.ts';
import { HEADER_LEDGER_POOL, OWNER } from '../../core/src/kernel/layout.ts';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { KINDS, MCS, TICKET, TTS } from './support/kinds.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

describe.each(KINDS)('$what in a full arena', (kind) => {
  test('tryLock(), hold() and lockAsync() acquire a free lock without an element', async () => {
    const { arena, prepared: ours } = fullArena((arena) => kind.create({ arena }));
    const takes: readonly (() => unknown)[] = [
      () => ours.tryLock(),
      () => ours.tryLock(5),
      () => ours.hold(),
      () => ours.lockAsync(),
    ];
    for (const take of takes) {
      await take();
      expect(ours.owned).toBe(true);
      ours.unlock();
    }
    expect(await ours.runAsync(() => ours.owned)).toBe(true);
    expect(arena.inspect().elements.total).toBe(0);
    expectAtRest(arena, ours.handle);
  });

  // A limitation: `run` throws an ArenaFullError.
  test.runIf(kind !== TTS).fails('run() acquires a free lock without an element', () => {
    const { prepared: ours } = fullArena((arena) => kind.create({ arena }));
    expect(ours.run(() => ours.owned)).toBe(true);
  });

  test('hold() of an owned lock throws an ArenaFullError without a free element', () => {
    const { prepared } = fullArena((arena) => {
      const ours = kind.create({ arena });
      openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle)).lock();
      return ours;
    });
    expect(() => prepared.hold()).toThrow(REFUSED);
  });
});

describe.each(KINDS.filter(({ isQueued }) => isQueued))('$what in a full arena', (kind) => {
  test('lockAsync() after a timed-out tryLock() reuses the abandoned element', async () => {
    const { arena, prepared } = fullArena((arena) => {
      const [ours, others] = [kind.create({ arena }), kind.create({ arena })];
      const theirs = openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle));
      theirs.lock();
      expect(ours.tryLock(1)).toBe(false);
      others.lock();
      // Until no element is left.
      const waits: Promise<unknown>[] = [];
      while (arena.inspect().elements.free > 0) waits.push(others.lockAsync().then(() => others.unlock()));
      return { ours, theirs, others, waits };
    });
    const { ours, theirs, others, waits } = prepared;
    expect(arena.inspect().elements).toMatchObject({ free: 0, abandoned: 1 });
    expect(ours.tryLock(1)).toBe(false);
    const wait = ours.lockAsync();
    // There is one place, and now it is taken.
    await expect(ours.lockAsync()).rejects.toMatchObject(FULL);
    expect(arena.inspect().elements).toMatchObject({ free: 0, abandoned: 0 });
    theirs.unlock();
    await wait;
    ours.unlock();
    others.unlock();
    await Promise.all(waits);
    expectAtRest(arena, ours.handle);
  });
});

/** Gives all ledgers of the arena to its agent. */
function takeLedgers(arena: Arena): void {
  const { words } = contextOf(arena);
  for (const { record, owner } of records(words, HEADER_LEDGER_POOL))
    if (owner === 0) words.store32(record + OWNER, arena.agentId);
}

test('from() of a ticket lock throws an ArenaFullError without a free ledger, and changes nothing', () => {
  const { arena, prepared } = fullArena((arena) => {
    const ours = TICKET.create({ arena });
    takeLedgers(arena);
    return { ours, other: secondAgent(arena) };
  });
  const { ours, other } = prepared;
  const before = [ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)];
  expect(() => openAs(other, ours.handle, (handle) => TICKET.from(handle))).toThrow(REFUSED);
  expect(withoutAges([ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)])).toEqual(
    withoutAges(before),
  );
  ours.lock();
  ours.unlock();
});

test('create() of a ticket lock throws an ArenaFullError with room for the lock and without a ledger, and changes nothing', () => {
  const { arena } = fullArena(() => undefined, 1);
  const before = arena.inspect();
  expect(() => TICKET.create({ arena })).toThrow(REFUSED);
  expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
  MCS.create({ arena }).free();
});
