// Agents that die inside a capacitor over each semaphore of the family.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { World } from '../../core/test/support/crash-world.ts';
import { SemaphoreCapacitor } from '../src/index.ts';
import { ROWS } from './support/gate-semaphores.ts';

const B = 3;

describe.each(ROWS)('SemaphoreCapacitor over a $name ($engine)', ({ Class, engine }) => {
  test('the next waiter gets the place of an agent that dies inside, and the platoon still ends', async () => {
    const world = new World({ engine, pages: 4 });
    const [first, gone] = [world.join(), world.join()];
    const semaphore = Class.create(B, { arena: first.arena });
    const ours = SemaphoreCapacitor.create(semaphore);
    const theirs = SemaphoreCapacitor.from(
      world.handle(ours.handle, gone),
      Class.from(world.handle(semaphore.handle, gone) as never),
    );
    for (const gate of [ours, theirs, theirs]) gate.arrive();
    theirs.depart();
    const next = ours.arriveAsync({ ref: false });
    gone.life.die();
    first.arena.reclaim(gone.context.id);
    await world.settle();
    await next;
    expect(ours.inspect()).toMatchObject({ open: 0, departuresLeft: 2 });
    for (let count = 0; count < 2; count++) ours.depart();
    expect(ours.inspect()).toMatchObject({ open: B, departuresLeft: B, inside: [] });
  });
});
