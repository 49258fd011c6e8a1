// Tests what a dead agent leaves at a resizable semaphore.

import { expect, test } from 'vitest';
import { World } from '../../core/test/support/crash-world.ts';
import '../../core/test/support/crash-injection.ts';
import { ResizableSemaphore } from '../src/index.ts';
import { PermitGuard } from '../src/permit-guard.ts';
import './support/kinds.ts';

test.each(['wasm', 'js'] as const)(
  'the recovery of a dead agent releases the permits of its guards, but not forgotten permits (%s)',
  (engine) => {
    const world = new World({ engine });
    const [first, gone] = [world.join(), world.join()];
    const ours = ResizableSemaphore.create(6, { arena: first.arena, name: 'slots' });
    const guard = ResizableSemaphore.from(world.handle(ours.handle, gone)).acquireGuard(5);
    guard.split(2).forget();
    guard.split(1).release();
    gone.life.die();
    expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [{ name: 'slots', permits: 2 }] });
    expect([ours.available, ours.size, ours.inspect().holders]).toEqual([4, 4, []]);
  },
);

test.each(['wasm', 'js'] as const)(
  'the recovery of a dead agent does not release permits that a guard of another agent has forgotten (%s)',
  (engine) => {
    const world = new World({ engine });
    const [first, gone] = [world.join(), world.join()];
    const ours = ResizableSemaphore.create(6, { arena: first.arena, name: 'slots' });
    ResizableSemaphore.from(world.handle(ours.handle, gone)).acquire(3);
    new PermitGuard(ours, 2).forget();
    gone.life.die();
    expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [{ name: 'slots', permits: 1 }] });
    expect([ours.available, ours.size, ours.inspect().holders]).toEqual([4, 4, []]);
  },
);

test.each(['wasm', 'js'] as const)('the recovered permits of a dead agent pay the debt first (%s)', (engine) => {
  const world = new World({ engine });
  const [first, gone] = [world.join(), world.join()];
  const ours = ResizableSemaphore.create(3, { arena: first.arena, name: 'slots' });
  ResizableSemaphore.from(world.handle(ours.handle, gone)).acquire(3);
  ours.resize(1);
  expect(ours.debt).toBe(2);
  gone.life.die();
  expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [{ name: 'slots', permits: 3 }] });
  expect([ours.available, ours.size, ours.debt]).toEqual([1, 1, 0]);
});

test.each(['wasm', 'js'] as const)(
  'an agent that dies in waitForUnlock() holds no permit, whether one was free or not (%s)',
  async (engine) => {
    for (const isFree of [false, true]) {
      const world = new World({ engine });
      const [first, gone] = [world.join(), world.join()];
      const ours = ResizableSemaphore.create(1, { arena: first.arena, name: 'slots' });
      ours.acquire();
      ResizableSemaphore.from(world.handle(ours.handle, gone))
        .waitForUnlockAsync(1, { ref: false })
        .catch(() => undefined);
      await Promise.resolve();
      if (isFree) ours.release();
      gone.life.die();
      expect(first.arena.reclaim(gone.context.id)).toMatchObject({ permits: [], ticketsWithdrawn: 1 });
      expect(ours.available).toBe(isFree ? 1 : 0);
    }
  },
);
