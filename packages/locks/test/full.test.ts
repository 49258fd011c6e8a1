// In an arena that is full.

import type { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { records } from '../../core/src/arena/pool.ts';
import { HEADER_LEDGER_POOL, OWNER } from '../../core/src/kernel/layout.ts';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { KINDS, MCS, TICKET, TTS, type AnyLock } from './support/kinds.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

describe.each(KINDS)('$what', (kind) => {
  test('one that does not fit leaves everything as it was', () => {
    // An agent's first ticket lock takes a ledger for it.
    const { arena } = fullArena((arena) => (kind === TICKET ? kind.create({ arena }) : undefined));
    const before = arena.inspect();
    expect(() => kind.create({ arena })).toThrow(REFUSED);
    expect(arena.inspect()).toEqual(before);
  });

  test('one needs its own line and nothing else', () => {
    const { arena } = fullArena((arena) => (kind === TICKET ? kind.create({ arena }) : undefined), 1);
    const lock = kind.create({ arena });
    expect(() => kind.create({ arena })).toThrow(REFUSED);
    lock.lock();
    lock.unlock();
    lock.free();
    kind.create({ arena }).free();
  });

  /** A free one, where an agent that never waited finds no element. */
  function createInFullArena(): { readonly arena: Arena; readonly ours: AnyLock } {
    const { arena, prepared } = fullArena((arena) => kind.create({ arena }));
    return { arena, ours: prepared };
  }

  test('who need not wait needs no element', async () => {
    const { arena, ours } = createInFullArena();
    const takes: readonly (() => unknown)[] = [() => ours.tryLock(), () => ours.tryLock(5), () => ours.hold(), () => ours.lockAsync()];
    for (const take of takes) {
      await take();
      expect(ours.owned).toBe(true);
      ours.unlock();
    }
    expect(await ours.runAsync(() => ours.owned)).toBe(true);
    expect(arena.inspect().elements.total).toBe(0);
    expectAtRest(arena, ours.handle);
  });

  // It is refused with an ArenaFullError.
  test.runIf(kind !== TTS).fails('nor does who runs a callback', () => {
    const { ours } = createInFullArena();
    expect(ours.run(() => ours.owned)).toBe(true);
  });

  test('a wait for which there is no element is refused before it is counted', async () => {
    const { arena, prepared } = fullArena((arena) => {
      const ours = kind.create({ arena });
      const theirs = openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle));
      theirs.lock();
      return { ours, theirs };
    });
    const { ours, theirs } = prepared;
    const before = [ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)];
    const blocking = [() => ours.lock(), () => ours.tryLock(5), () => ours.hold(), () => ours.run(() => 0)];
    for (const call of blocking) expect(call).toThrow(REFUSED);
    for (const call of [() => ours.lockAsync(), () => ours.lockAsync({ timeout: 5 }), () => ours.runAsync(() => 0)]) {
      await expect(call()).rejects.toMatchObject(FULL);
    }
    expect([ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)]).toEqual(before);
    expect(ours.tryLock()).toBe(false);
    theirs.unlock();
    ours.lock();
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('giving up needs no memory: with every element in use all waiters may leave', async () => {
    const controllers = Array.from({ length: 16 }, () => new AbortController());
    const { arena, prepared } = fullArena((arena) => {
      const ours = kind.create({ arena });
      const theirs = openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle));
      ours.lock();
      return { ours, waits: controllers.map(({ signal }) => theirs.lockAsync({ signal }).catch((reason: unknown) => reason)) };
    });
    const { ours, waits } = prepared;
    expect(arena.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
    const { used } = arena.inspect();
    for (const [index, controller] of controllers.entries()) if (index % 2 === 0) controller.abort('even');
    for (const controller of controllers) controller.abort('odd');
    expect(await Promise.all(waits)).toEqual(controllers.map((_, index) => (index % 2 === 0 ? 'even' : 'odd')));
    expect(arena.inspect().used).toBe(used);
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });
});

/** All ledgers that there are belong to some agent. */
function takeLedgers(arena: Arena): void {
  const { words } = contextOf(arena);
  for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) if (owner === 0) words.store32(record + OWNER, arena.agentId);
}

test('an agent for whose ledger there is no room cannot open a ticket lock, and takes no part in it', () => {
  const { arena, prepared } = fullArena((arena) => {
    const ours = TICKET.create({ arena });
    takeLedgers(arena);
    return { ours, other: secondAgent(arena) };
  });
  const { ours, other } = prepared;
  const before = [ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)];
  expect(() => openAs(other, ours.handle, (handle) => TICKET.from(handle))).toThrow(REFUSED);
  expect([ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)]).toEqual(before);
  ours.lock();
  ours.unlock();
});

test('a ticket lock for which there is room, but not for its creator’s ledger, leaves everything as it was', () => {
  const { arena } = fullArena(() => undefined, 1);
  const before = arena.inspect();
  expect(() => TICKET.create({ arena })).toThrow(REFUSED);
  expect(arena.inspect()).toEqual(before);
  MCS.create({ arena }).free();
});
