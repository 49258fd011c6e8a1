// Agents of one thread that wait for a cell, or set its value, and die.

import { describe, expect, test } from 'vitest';
import { asLine } from '../../../core/src/kernel/addresses.ts';
import { TAKEN } from '../../../core/src/kernel/states.ts';
import '../../../core/test/support/crash-injection.ts';
import { World } from '../../../core/test/support/crash-world.ts';
import { blockAll } from '../../../core/test/support/deadlock-fixture.ts';
import { WatchCell } from '../../src/index.ts';
import { SLOTS } from '../../src/watch/kernel/layout.ts';
import type { WatchKernel } from '../../src/watch/kinds.ts';
import { expectCellAtRest, slotsInUse } from './support/cell-rest.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('WatchCell (%s)', (engine) => {
  function scene() {
    const world = new World({ engine });
    const agent = world.join();
    const first = { ...agent, cell: WatchCell.create(0, { arena: agent.arena, name: 'state', codec: 'int32' }) };
    const join = () => {
      const other = world.join();
      return { ...other, cell: WatchCell.from<number>(world.handle(first.cell.handle, other)) };
    };
    return { world, first, join };
  }

  test('set() admits a sleeping waiter', () => {
    const { first, join } = scene();
    const { cell, life } = join();
    cell.get();
    life.meanwhile.push(() => first.cell.set(1));
    expect(cell.changed()).toBe(1);
    expectCellAtRest(first.arena, first.cell);
  });

  test('tryChanged(ms) returns the value that is set at the moment of its timeout', () => {
    const { first, join } = scene();
    const { cell, life } = join();
    cell.get();
    life.meanwhile.push(() => {
      first.cell.set(1);
      return 'timed-out';
    });
    expect(cell.tryChanged(5)).toBe(1);
    expectCellAtRest(first.arena, first.cell);
  });

  test('agents that block on a cell are reported, but not as a deadlock', () => {
    const { first, join } = scene();
    const [one, other] = [join(), join()];
    for (const { cell } of [one, other]) cell.get();
    const { found, waits } = blockAll(
      [
        [one, () => one.cell.changed()],
        [other, () => other.cell.changed()],
      ],
      () => ({
        found: first.arena.findDeadlock(),
        waits: first.arena.inspect().agents.map((agent) => agent.waits.map(({ kind, how }) => [kind, how])),
      }),
    );
    expect([found, waits]).toEqual([undefined, [[], [['watch cell', 'blocking']], [['watch cell', 'blocking']]]]);
  });

  test('the recovery cancels the wait of a dead waiter, and changes nothing for one that was admitted', async () => {
    for (const isAdmitted of [false, true]) {
      const { world, first, join } = scene();
      const [gone, stays] = [join(), join()];
      for (const { cell } of [gone, stays]) cell.get();
      let got: number | undefined;
      void gone.cell.changedAsync({ ref: false }).catch(() => undefined);
      void stays.cell.changedAsync({ ref: false }).then((value) => (got = value));
      if (isAdmitted) first.cell.set(1);
      gone.life.die();
      expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [], ticketsWithdrawn: isAdmitted ? 0 : 1 });
      first.cell.set(2);
      await world.settle();
      expect(got).toBe(2);
      expectCellAtRest(first.arena, first.cell);
    }
  });

  test('a writer that dies with a slot leaves the previous value, and the recovery frees its slot', () => {
    const { first, join } = scene();
    first.cell.set(7);
    for (let death = 0; death < 20; death++) {
      const { cell, life, context } = join();
      const { address, tag } = cell.handle;
      const { claimWatchSlot } = context.kernel as WatchKernel;
      const { entry } = context.lineState(asLine(address), tag, { recorded: true });
      for (let slot = 0; slot < SLOTS && slotsInUse(first.arena, first.cell) === 0; slot++)
        claimWatchSlot(asLine(address), tag, entry, slot);
      expect(slotsInUse(first.arena, first.cell)).not.toBe(0);
      life.die();
      expect(first.arena.reclaim(context.id)).toMatchObject({ permits: [], ticketsWithdrawn: 0 });
      expect([first.cell.get(), first.cell.version]).toEqual([7, 1]);
      expectCellAtRest(first.arena, first.cell);
    }
    expect([first.cell.set(8), first.cell.get()]).toEqual([2, 8]);
  });

  test('set() finishes pending recoveries before it gives up', () => {
    const { world, first, join } = scene();
    const bare = world.joinWithoutKinds();
    // All agents join first: an agent that loads the kind finishes recoveries, too.
    const victims = Array.from({ length: SLOTS - 1 }, join);
    for (const { cell, life, context } of victims) {
      const { address, tag } = cell.handle;
      const { claimWatchSlot } = context.kernel as WatchKernel;
      const { entry } = context.lineState(asLine(address), tag, { recorded: true });
      const slots = Array.from({ length: SLOTS }, (_, slot) => slot);
      expect(slots.find((slot) => claimWatchSlot(asLine(address), tag, entry, slot) === TAKEN)).toBeDefined();
      life.die();
      expect(bare.arena.reclaim(context.id).pending).toHaveLength(1);
    }
    first.cell.set(8);
    expect(first.cell.get()).toBe(8);
    expectCellAtRest(first.arena, first.cell);
  });
});
