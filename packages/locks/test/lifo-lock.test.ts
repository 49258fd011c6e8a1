// The stack of waiters: last come, first served.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { LIFO } from './support/kinds.ts';
import { Scene } from './support/scene.ts';

describe.each(['wasm', 'js'] as const)('LifoLock (%s)', (engine) => {
  const newScene = (): Scene => new Scene(LIFO, { engine });

  test('who came last is served first, also when it came later than those that wait already', async () => {
    const scene = newScene();
    const [one, two, three, four] = scene.joinAll(1, 2, 3, 4);
    scene.first.lock.lock();
    for (const user of [one, two]) scene.wait(user);
    const order = [scene.passOn()];
    await scene.settle();
    // The second one owns it.
    for (const user of [three, four]) scene.wait(user);
    order.push(...(await scene.passThrough()));
    expect(order).toEqual([scene.first, two, four, three, one].map(({ id }) => id));
    scene.expectAtRest();
  });

  test('the first to come waits as long as others come', async () => {
    const scene = newScene();
    const [starves, one, other] = scene.joinAll('starves', 'one', 'other');
    scene.first.lock.lock();
    const wait = scene.wait(starves);
    for (let time = 0; time < 50; time++) {
      scene.wait(time % 2 === 0 ? one : other);
      scene.passOn();
      await scene.settle();
    }
    expect([wait.outcome, scene.owner]).toEqual(['waits', other.id]);
    expect(await scene.passThrough()).toEqual([other.id, starves.id]);
    expect(wait.outcome).toBe('in');
    scene.expectAtRest();
  });

  test('but nobody takes it past those that wait without having stood on top of them', async () => {
    const scene = newScene();
    const [next, third] = scene.joinAll('next', 'third');
    scene.first.lock.lock();
    scene.wait(next);
    scene.first.lock.unlock();
    expect([scene.owner, third.lock.tryLock(), next.lock.owned]).toEqual([next.id, false, false]);
    await scene.settle();
    expect([scene.owner, next.lock.owned]).toEqual([next.id, true]);
  });

  test('who comes on top of a place that was given up is served before those under it', async () => {
    const scene = newScene();
    const [low, gone, high] = scene.joinAll('low', 'gone', 'high');
    scene.first.lock.lock();
    scene.wait(low);
    scene.wait(gone).leave();
    scene.wait(high);
    expect(scene.first.lock.inspect()).toMatchObject({ waiters: [{}, {}], abandoned: 1 });
    expect(await scene.passThrough()).toEqual([scene.first, high, low].map(({ id }) => id));
    scene.expectAtRest();
  });
});
