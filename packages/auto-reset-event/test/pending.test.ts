// The recovery of a dead waiter of an event, by an agent that has not loaded the event's kind.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { AutoResetEvent } from '../src/index.ts';
import './support/kinds.ts';

test.each([
  { what: 'waits', signals: false },
  { what: 'was granted a signal and had not learned of it', signals: true },
])('the recovery of an agent that $what waits for an agent with the kind', async ({ signals }) => {
  const world = new World({ engine: 'wasm' });
  const [first, victim, watcher] = [world.join(), world.join(), world.joinWithoutKinds()];
  const event = AutoResetEvent.create({ arena: first.arena, name: 'work' });
  const open = (agent: Agent): AutoResetEvent => AutoResetEvent.from(world.handle(event.handle, agent));
  const { address } = event.handle;
  open(victim)
    .waitAsync({ ref: false })
    .catch(() => undefined);
  if (signals) event.signal();
  victim.life.die();
  expect(watcher.arena.reclaim(victim.context.id)).toMatchObject({ pending: [{ name: 'work', address }], permits: [] });
  expect(event.inspect().signalled).toBe(false);
  const later = open(world.joinWithoutKinds());
  await world.settle();
  expect(later.inspect()).toMatchObject({ signalled: signals, waiters: [] });
  expectAtRest(first.arena, event.handle, signals ? 1n : 0n);
  expect(first.arena.inspect().agents.map(({ agent }) => agent)).not.toContain(victim.context.id);
});
