// The lock of Mellor-Crummey & Scott: a queue of its own.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { MCS } from './support/kinds.ts';
import { Scene } from './support/scene.ts';

describe.each(['wasm', 'js'] as const)('McsLock (%s)', (engine) => {
  const newScene = (): Scene => new Scene(MCS, { engine });

  test('who waits is served in the order in which they came, also those that come meanwhile', async () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2, 3, 4);
    scene.first.lock.lock();
    for (const user of users.slice(0, 2)) scene.wait(user);
    const first = scene.passOn();
    for (const user of users.slice(2)) scene.wait(user);
    scene.wait(scene.first);
    expect([first, ...(await scene.passThrough())]).toEqual([scene.first.id, ...users.map(({ id }) => id), scene.first.id]);
    scene.expectAtRest();
  });

  test("from an unlock on the lock is the next one's, which owns it when it has looked", async () => {
    const scene = newScene();
    const [next, third] = scene.joinAll('next', 'third');
    scene.first.lock.lock();
    scene.wait(next);
    scene.first.lock.unlock();
    expect([scene.owner, third.lock.tryLock(), next.lock.owned]).toEqual([next.id, false, false]);
    for (const { lock } of [scene.first, next]) expect(() => lock.unlock()).toThrow('does not own it');
    await scene.settle();
    expect([scene.owner, next.lock.owned]).toEqual([next.id, true]);
  });

  test('who comes when all before it were served stands first in a queue that begins again', async () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2);
    for (let round = 0; round < 3; round++) {
      scene.first.lock.lock();
      for (const user of users) scene.wait(user);
      expect(await scene.passThrough()).toEqual([scene.first.id, ...users.map(({ id }) => id)]);
      scene.expectAtRest();
    }
  });

  test('who comes behind a place that was given up is found past it, wherever it was', async () => {
    for (const gone of [0, 1, 2]) {
      const scene = newScene();
      const users = scene.joinAll(1, 2, 3);
      scene.first.lock.lock();
      const waits = users.map((user) => scene.wait(user));
      waits[gone]?.leave();
      const late = scene.join();
      scene.wait(late);
      const stay = users.filter((_, index) => index !== gone);
      expect(await scene.passThrough()).toEqual([scene.first, ...stay, late].map(({ id }) => id));
      scene.expectAtRest();
    }
  });
});
