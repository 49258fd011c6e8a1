// Cycles of agents that block on each other's capacitors, alone or before a lock.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { Capacitor, LanedCapacitor, Turnstile } from '../src/index.ts';

const GATES = [
  ['Capacitor', Capacitor, { bypassLimit: 1 }],
  ['LanedCapacitor', LanedCapacitor, { bypassLimit: 2, lanes: 2 }],
  ['Turnstile', Turnstile, {}],
] as const;

test.each(GATES)(
  'findDeadlock() finds two agents that each block at the %s that the other is inside',
  (_, kind, options) => {
    const world = new World({ engine: 'wasm' });
    const watcher = world.join();
    const made = ['left', 'right'].map((name) => kind.create({ ...options, arena: watcher.arena, name } as never));
    const open = (agent: Agent) => made.map(({ handle }) => kind.from(world.handle(handle, agent) as never));
    const [ann, bob] = [world.join(), world.join()];
    const [annLeft, annRight] = open(ann);
    const [bobLeft, bobRight] = open(bob);
    const room = 'bypassLimit' in options ? options.bypassLimit : 1;
    for (let n = 0; n < room; n++) {
      annLeft?.arrive();
      bobRight?.arrive();
    }
    // This agent has not loaded the kind.
    const stranger = world.join();
    for (const { arena } of [watcher, stranger]) expect(arena.findDeadlock()).toBeUndefined();
    const looks = (): ReturnType<typeof watcher.arena.findDeadlock>[] =>
      [watcher, stranger].map(({ arena }) => arena.findDeadlock());
    const [circle = [], strangers] = blockAll(
      [
        [ann, () => annRight?.arrive()],
        [bob, () => bobLeft?.arrive()],
      ],
      looks,
    );
    expect(strangers).toEqual(circle);
    expect([...circle].sort((a, b) => a.agent - b.agent)).toMatchObject([
      { agent: ann.context.id, waitsFor: { name: 'right' }, ownedBy: bob.context.id },
      { agent: bob.context.id, waitsFor: { name: 'left' }, ownedBy: ann.context.id },
    ]);
  },
);
