// Agents of one thread that wait for an event count and die.

import { describe, expect, test } from 'vitest';
import '../../../core/test/support/crash-injection.ts';
import { World } from '../../../core/test/support/crash-world.ts';
import { blockAll } from '../../../core/test/support/deadlock-fixture.ts';
import { EventCount } from '../../src/index.ts';
import { expectEventCountAtRest } from './support/event-count-rest.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('EventCount (%s)', (engine) => {
  function scene() {
    const world = new World({ engine, pages: 1 });
    const agent = world.join();
    const first = { ...agent, event: EventCount.create({ arena: agent.arena, name: 'written' }) };
    const join = () => {
      const other = world.join();
      return { ...other, event: EventCount.from(world.handle(first.event.handle, other)) };
    };
    return { world, first, join };
  }

  test('advance() admits a sleeping waiter, and none of a later value', () => {
    const { first, join } = scene();
    const { event, life } = join();
    life.meanwhile.push(
      () => first.event.advance(),
      () => first.event.advance(),
    );
    event.await(2);
    expect(event.read()).toBe(2);
    expectEventCountAtRest(first.arena, first.event);
  });

  test('tryAwait(n, ms) returns true when the count reaches the value at the moment of its timeout', () => {
    const { first, join } = scene();
    const { event, life } = join();
    life.meanwhile.push(() => {
      first.event.advance();
      return 'timed-out';
    });
    expect(event.tryAwait(1, 5)).toBe(true);
    expectEventCountAtRest(first.arena, first.event);
  });

  test('agents that block on an event count are reported, but not as a deadlock', () => {
    const { first, join } = scene();
    const [one, other] = [join(), join()];
    const { found, waits } = blockAll(
      [
        [one, () => one.event.await(1)],
        [other, () => other.event.await(2)],
      ],
      () => ({
        found: first.arena.findDeadlock(),
        waits: first.arena.inspect().agents.map((agent) => agent.waits.map(({ kind, how }) => [kind, how])),
      }),
    );
    expect([found, waits]).toEqual([undefined, [[], [['event count', 'blocking']], [['event count', 'blocking']]]]);
  });

  test('the recovery cancels the wait of a dead waiter, and changes nothing for one that was admitted', async () => {
    for (const isAdmitted of [false, true]) {
      const { world, first, join } = scene();
      const [gone, stays] = [join(), join()];
      let isOver = false;
      void gone.event.awaitAsync(1, { ref: false }).catch(() => undefined);
      void stays.event.awaitAsync(2, { ref: false }).then(() => (isOver = true));
      if (isAdmitted) first.event.advance();
      gone.life.die();
      expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [], ticketsWithdrawn: isAdmitted ? 0 : 1 });
      expect(first.event.read()).toBe(isAdmitted ? 1 : 0);
      first.event.advance(2);
      await world.settle();
      expect(isOver).toBe(true);
      expectEventCountAtRest(first.arena, first.event);
    }
  });
});
