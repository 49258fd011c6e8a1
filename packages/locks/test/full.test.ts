// In an arena that is full.

import type { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { records } from '../../core/src/arena/pool.ts';
import { HEADER_LEDGER_POOL, OWNER } from '../../core/src/kernel/layout.ts';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { fullLockSuite } from '../../core/test/support/full-lock-suite.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { KINDS, MCS, TICKET, TTS, type AnyLock } from './support/kinds.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

describe.each(KINDS)('$what', (kind) => {
  // An agent's first ticket lock takes a ledger for it.
  fullLockSuite(kind, (arena) => (kind === TICKET ? kind.create({ arena }) : undefined));

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

  test('hold() for which there is no element is refused', () => {
    const { prepared } = fullArena((arena) => {
      const ours = kind.create({ arena });
      openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle)).lock();
      return ours;
    });
    expect(() => prepared.hold()).toThrow(REFUSED);
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
