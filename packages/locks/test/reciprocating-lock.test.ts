// The lock of Dice & Kogan: who came in the meantime is served before anybody who comes later, the last first.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { RECIPROCATING } from './support/kinds.ts';
import { Scene, type User } from './support/scene.ts';

describe.each(['wasm', 'js'] as const)('ReciprocatingLock (%s)', (engine) => {
  const newScene = (): Scene => new Scene(RECIPROCATING, { engine });
  const ids = (...users: User[]): number[] => users.map(({ id }) => id);

  test('those that came before an unlock are served, the last first, before any that come later', async () => {
    const scene = newScene();
    const [a, b, c, d, e, f] = scene.joinAll(1, 2, 3, 4, 5, 6);
    scene.first.lock.lock();
    for (const user of [a, b, c]) scene.wait(user);
    const order = [scene.passOn()];
    for (const user of [d, e]) scene.wait(user);
    order.push(scene.passOn());
    scene.wait(f);
    expect([...order, ...(await scene.passThrough())]).toEqual(ids(scene.first, c, b, a, f, e, d));
    scene.expectAtRest();
  });

  test('a segment ends when it is served: the next one is all that came until then', async () => {
    const scene = newScene();
    const [a, b, c, d] = scene.joinAll(1, 2, 3, 4);
    scene.first.lock.lock();
    scene.wait(a);
    const order = [scene.passOn()];
    for (const user of [b, c]) scene.wait(user);
    // The segment is empty by now, so this takes the two.
    order.push(scene.passOn());
    scene.wait(d);
    expect([...order, ...(await scene.passThrough())]).toEqual(ids(scene.first, a, c, b, d));
    scene.expectAtRest();
  });

  test('nobody starves: who waits is passed at most once by each agent that always comes back', async () => {
    const scene = newScene();
    const [waits, ...others] = scene.joinAll('waits', 1, 2, 3);
    scene.first.lock.lock();
    const wait = scene.wait(waits);
    for (const user of others) scene.wait(user);
    const passed: number[] = [];
    scene.passOn();
    await scene.settle();
    while (wait.outcome === 'waits') {
      const owner = others.find(({ id }) => id === scene.owner);
      if (owner === undefined) throw new Error('Somebody else owns it.');
      passed.push(scene.passOn());
      scene.wait(owner);
      await scene.settle();
    }
    expect(passed).toEqual(ids(...others).reverse());
    expect(await scene.passThrough()).toEqual(ids(waits, ...others));
    scene.expectAtRest();
  });

  test('of two agents that always come back one gets it at most twice as often as the other', async () => {
    const scene = newScene();
    const counts = new Map(scene.joinAll(1, 2, 3).map((user) => [user.id, { user, count: 0 }]));
    scene.first.lock.lock();
    for (const { user } of counts.values()) scene.wait(user);
    scene.passOn();
    for (let time = 0; time < 300; time++) {
      await scene.settle();
      const back = counts.get(scene.passOn());
      if (back === undefined) throw new Error('Somebody else owns it.');
      back.count += 1;
      scene.wait(back.user);
    }
    const all = [...counts.values()].map(({ count }) => count);
    expect(Math.max(...all) <= 2 * Math.min(...all) + 1).toBe(true);
    await scene.passThrough();
    scene.expectAtRest();
  });

  test('places that were given up are passed over, in the segment and among those that came later', async () => {
    const scene = newScene();
    const [a, b, c, d, e] = scene.joinAll(1, 2, 3, 4, 5);
    scene.first.lock.lock();
    const [first, second] = [a, b, c].map((user) => scene.wait(user));
    const order = [scene.passOn()];
    await scene.settle();
    const [late] = [d, e].map((user) => scene.wait(user));
    for (const wait of [first, second, late]) wait?.leave();
    expect(scene.first.lock.inspect()).toMatchObject({ abandoned: 3, waiters: [{ agent: e.id }] });
    expect([...order, ...(await scene.passThrough())]).toEqual(ids(scene.first, c, e));
    scene.expectAtRest();
  });
});
