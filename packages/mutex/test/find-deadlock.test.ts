// Tests findDeadlock() while waits change during the search. Lasting cycles: owned-lock-scenes.test.ts.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { records } from '../../core/src/memory/records.ts';
import { GATE, HEADER_ELEMENT_POOL, LIMIT, MODE_BLOCKING } from '../../core/src/kernel/layout.ts';
import { CANCELLED, CANCELLED_LEFT_BEHIND, GRANTED, WAITING } from '../../core/src/kernel/states.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { pick, Table } from '../../core/test/support/owned-lock/find-deadlock.ts';
import type { MutexKernel } from '../src/kinds.ts';
import { asElement, asLine } from '../../core/src/kernel/addresses.ts';
import { MUTEX, MUTEX_IN_TURNS, RECURSIVE, RECURSIVE_IN_TURNS } from './support/kinds.ts';

/**
 * At one read of the search, agent `one` cancels its wait for lock 1 and takes lock 0, and `two`, which owns lock 1,
 * begins to wait for that.
 */
function whileItChanges(read: number): { found: unknown; changed: boolean } {
  const table = new Table([MUTEX, RECURSIVE]);
  const [one, two] = [table.join(), table.join(1)];
  two.context.refill();
  let reads = 0;
  const change = (): void => {
    if (reads++ !== read) return;
    const { words, kernel, agent } = one.context;
    const [wait] = [...records(words, HEADER_ELEMENT_POOL)].filter(({ owner }) => owner === one.id);
    expect([CANCELLED, CANCELLED_LEFT_BEHIND]).toContain(kernel.cancelWait(agent, asElement(wait?.record ?? 0), 0, 0));
    one.context.finishWalk();
    one.locks[0]?.lock();
    const { address, tag } = pick(table.locks, 0).handle;
    two.context.begin(
      asElement((two.context.kernel as MutexKernel).enqueueAtMutex(asLine(address), tag, two.context.agent, 1, 0)),
      0,
      MODE_BLOCKING,
    );
  };
  const found = blockAll([[one, () => one.locks[1]?.lock()]], () => {
    table.watcher.life.between = change;
    return table.watcher.arena.findDeadlock();
  });
  return { found, changed: reads > read };
}

test('findDeadlock() reports no cycle of waits that never existed at the same time, at whichever read they change', () => {
  let reads = 0;
  for (let changed = true; changed; reads++) {
    const outcome = whileItChanges(reads);
    expect(outcome.found, `changed at read ${reads}`).toBeUndefined();
    changed = outcome.changed;
  }
  expect(reads).toBeGreaterThan(10);
});

test.each([
  { kind: MUTEX_IN_TURNS, what: 'has not checked' },
  { kind: MUTEX_IN_TURNS, what: 'has looked' },
  { kind: RECURSIVE_IN_TURNS, what: 'has looked' },
])(
  'findDeadlock() finds a cycle through the async successor of a mutex that is free in a turn: the successor $what',
  ({ kind, what }) => {
    const table = new Table([kind, kind]);
    const [ann, bob, eve] = [table.join(), table.join(1), table.join(0)];
    const { words } = table.watcher.context;
    // The state after turns that were measured.
    words.put32(pick(table.locks, 0).handle.address + LIMIT, 1000);
    ann.locks[0]?.lockAsync({ ref: false }).catch(() => undefined);
    // It is Eve's turn, and she has locked again in it, so Bob waits in line. Ann's wait has a permit, and she does not
    // see it while she blocks.
    for (let pass = 0; pass < 3; pass++) {
      eve.locks[0]?.unlock();
      if (pass < 2) eve.locks[0]?.lock();
    }
    if (what === 'has looked') {
      const [wait] = [...records(words, HEADER_ELEMENT_POOL)].filter(
        ({ owner, record }) => owner === ann.id && words.load32(record + GATE) === GRANTED,
      );
      expect((ann.context.kernel as MutexKernel).pollMutex(asElement(wait?.record ?? 0))).toBe(WAITING);
    }
    expect(table.found([ann, 1], [bob, 0])).toEqual([
      [ann.id, 'lock 1', bob.id],
      [bob.id, 'lock 0', ann.id],
    ]);
  },
);
