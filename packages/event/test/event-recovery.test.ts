// Agents of one thread that wait for an event and die.

import { describe, expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { MIN_LEFT_BEHIND } from '../../core/src/agent/compaction.ts';
import '../../core/test/support/crash-injection.ts';
import type { Kernel } from '../../core/src/kernel/kernel.ts';
import { World } from '../../core/test/support/crash-world.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { ManualResetEvent } from '../src/index.ts';
import './support/kinds.ts';
import { expectEventAtRest } from './support/event-rest.ts';

/** So many waits that one walk for each would take millions of steps. */
const WAITS = 2000;

describe.each(['wasm', 'js'] as const)('ManualResetEvent (%s)', (engine) => {
  function scene(pages = 1) {
    const world = new World({ engine, pages });
    const agent = world.join();
    const first = { ...agent, event: ManualResetEvent.create({ arena: agent.arena, name: 'ready' }) };
    const join = () => {
      const other = world.join();
      return { ...other, event: ManualResetEvent.from(world.handle(first.event.handle, other)) };
    };
    return { world, first, join };
  }

  test('set() admits a sleeping waiter, even if reset() follows', () => {
    const { first, join } = scene();
    const { event, life } = join();
    life.meanwhile.push(() => {
      first.event.set();
      first.event.reset();
    });
    event.wait();
    expect(event.isSet).toBe(false);
    expectEventAtRest(first.arena, first.event);
  });

  test('tryWait(ms) returns true when the event is set at the moment of its timeout', () => {
    const { first, join } = scene();
    const { event, life } = join();
    life.meanwhile.push(() => {
      first.event.set();
      return 'timed-out';
    });
    expect(event.tryWait(5)).toBe(true);
    expectEventAtRest(first.arena, first.event);
  });

  test('agents that block on an event are reported, but not as a deadlock', () => {
    const { first, join } = scene();
    const [one, other] = [join(), join()];
    const { found, waits } = blockAll(
      [
        [one, () => one.event.wait()],
        [other, () => other.event.wait()],
      ],
      () => ({
        found: first.arena.findDeadlock(),
        waits: first.arena.inspect().agents.map((agent) => agent.waits.map(({ kind, how }) => [kind, how])),
      }),
    );
    expect([found, waits]).toEqual([undefined, [[], [['event', 'blocking']], [['event', 'blocking']]]]);
  });

  test('the recovery cancels the wait of a dead waiter, and changes nothing for one that was admitted', async () => {
    for (const isAdmitted of [false, true]) {
      const { world, first, join } = scene();
      const [gone, stays] = [join(), join()];
      let isOver = false;
      void gone.event.waitAsync({ ref: false }).catch(() => undefined);
      void stays.event.waitAsync({ ref: false }).then(() => (isOver = true));
      if (isAdmitted) first.event.set();
      gone.life.die();
      expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [], ticketsWithdrawn: isAdmitted ? 0 : 1 });
      expect(first.event.isSet).toBe(isAdmitted);
      first.event.set();
      await world.settle();
      expect(isOver).toBe(true);
      expectEventAtRest(first.arena, first.event);
    }
  });

  test('the recovery of an agent with thousands of waits does not walk the whole chain for each', async () => {
    const { world, first, join } = scene(16);
    const [gone, stays] = [join(), join()];
    for (let wait = 0; wait < WAITS; wait++) void gone.event.waitAsync({ ref: false }).catch(() => undefined);
    const waits = Array.from({ length: 10 }, () => stays.event.waitAsync({ ref: false }));
    gone.life.die();
    const { kernel, waiting } = contextOf(first.arena);
    let steps = 0;
    for (const target of [kernel, waiting] as { walk: Kernel['walk'] }[]) {
      const { walk } = target;
      target.walk = (agent) => {
        steps += 1;
        return walk(agent);
      };
    }
    expect(first.arena.reclaim(gone.context.id)).toMatchObject({ ticketsWithdrawn: WAITS });
    expect(steps).toBeGreaterThan(WAITS);
    expect(steps).toBeLessThan(32 * WAITS);
    const { total, free, waiting: left } = first.arena.inspect().elements;
    expect(left).toBe(10);
    // Gathers the elements that the recovery left in the chain.
    expect(total - free).toBeLessThan(512);
    first.event.set();
    for (let turn = 0; turn < 10; turn++) await world.settle();
    await Promise.all(waits);
    expectEventAtRest(first.arena, first.event);
  });

  test.each(['die', 'leave'] as const)(
    'agents that %s in turn, each with some cancelled waits, leave a bounded number of elements behind',
    async (how) => {
      const { world, first, join } = scene(16);
      const stays = join();
      const wait = stays.event.waitAsync({ ref: false });
      let most = 0;
      for (let n = 0; n < 60; n++) {
        const gone = join();
        // One at a time: of several agents, only the oldest is in a chain.
        for (let wait = 0; wait < MIN_LEFT_BEHIND / 2; wait++) {
          const controller = new AbortController();
          const cancelled = gone.event.waitAsync({ ref: false, signal: controller.signal }).catch(() => undefined);
          controller.abort();
          await cancelled;
        }
        if (how === 'leave') gone.arena.leave();
        else {
          gone.life.die();
          first.arena.reclaim(gone.context.id);
        }
        const { total, free } = first.arena.inspect().elements;
        most = Math.max(most, total - free);
      }
      // An agent gathers before it lets the pool grow.
      expect(most).toBeLessThan(2 * MIN_LEFT_BEHIND);
      first.event.set();
      await world.settle();
      await wait;
      expectEventAtRest(first.arena, first.event);
    },
  );
});
