// Guards of several permits of an agent that dies.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { PermitGuard, Semaphore } from '../src/index.ts';
import { World } from './support/crash-world.ts';

test.each(['wasm', 'js'] as const)('the recovery of a dead agent releases what its guards hold, and not what they have forgotten (%s)', (engine) => {
  const world = new World({ engine });
  const [first, gone] = [world.join(), world.join()];
  const ours = Semaphore.create(6, { arena: first.arena, name: 'slots' });
  const guard = PermitGuard.hold(Semaphore.from(world.handle(ours.handle, gone)), 5);
  guard.split(2).forget();
  guard.split(1).release();
  gone.life.die();
  expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [{ name: 'slots', permits: 2 }] });
  expect([ours.available, ours.inspect().holders]).toEqual([4, []]);
});

test.each(['wasm', 'js'] as const)('the recovery of a dead agent does not give back what the guard of another agent has forgotten (%s)', (engine) => {
  const world = new World({ engine });
  const [first, gone] = [world.join(), world.join()];
  const ours = Semaphore.create(6, { arena: first.arena, name: 'slots' });
  Semaphore.from(world.handle(ours.handle, gone)).acquire(3);
  new PermitGuard(ours, 2).forget();
  gone.life.die();
  expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [{ name: 'slots', permits: 1 }] });
  expect([ours.available, ours.inspect().holders]).toEqual([4, []]);
});
