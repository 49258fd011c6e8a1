// One agent acts at every point of another agent's change of the slots, and dies at every point of its own.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { actAnywhere, killAnywhere, Scene, tolerate, type Inset, type User } from './support/scene.ts';

type Play = (inset: Inset, before: (victim: User) => void) => Promise<void>;

/** Returns the number of plays. */
async function everywhere(play: Play): Promise<number> {
  let plays = 0;
  await actAnywhere(async (inset) => {
    await killAnywhere(async (before) => {
      plays += 1;
      inset.begin();
      await play(inset, before);
    });
  });
  return plays;
}

/** Sets the concurrency, or dies on the way. */
function set(user: User, size: number): void {
  tolerate(() => (user.limit.concurrency = size));
}

test.each([
  [1, 4, 4],
  [1, 4, 3],
  [1, 3, 5],
])('two agents change %i to %i and to %i at once: no more functions run than allowed', async (from, one, two) => {
  const plays = await everywhere(async (inset, before) => {
    const scene = new Scene(from);
    const [victim, other] = [scene.join(), scene.join()];
    await scene.play(scene.first, ...'abcdefgh'.split(''));
    before(victim);
    inset.during(victim, () => (other.limit.concurrency = two));
    set(victim, one);
    victim.life.between = undefined;
    scene.bury(victim);
    await scene.world.settle();
    // At most as many functions have begun as the largest number that was ever set.
    expect(scene.stage.running.length).toBeLessThanOrEqual(inset.done ? Math.max(one, two) : one);
    const size = scene.first.limit.concurrency;
    while (scene.stage.running.length > 0) await scene.end(...scene.stage.running);
    await scene.expectRest(size);
  });
  expect(plays).toBeGreaterThan(10);
});

test.each([
  [2, 1],
  [3, 1],
  [2, 4],
])('functions of two agents end after %i became %i: no slot is lost or doubled', async (from, to) => {
  const plays = await everywhere(async (inset, before) => {
    const scene = new Scene(from);
    const [victim, other] = [scene.join(), scene.join()];
    await scene.play(victim, 'a');
    const slots = scene.slots(other);
    expect(slots.tryTake()).toBe(true);
    scene.first.limit.concurrency = to;
    before(victim);
    inset.during(victim, () => slots.giveBack());
    await scene.end('a');
    victim.life.between = undefined;
    scene.bury(victim);
    if (!inset.done) slots.giveBack();
    await scene.expectRest(to);
  });
  expect(plays).toBeGreaterThan(5);
});

test.each([
  [3, 1, 2],
  [3, 1, 4],
  [1, 3, 1],
  [4, 2, 1],
])(
  'one agent changes %i to %i, another to %i at every point of that change, while a function runs: no slot is lost or doubled',
  async (from, one, two) => {
    const plays = await everywhere(async (inset, before) => {
      const scene = new Scene(from);
      const [victim, other] = [scene.join(), scene.join()];
      await scene.play(scene.first, 'runs');
      before(victim);
      inset.during(victim, () => (other.limit.concurrency = two));
      set(victim, one);
      victim.life.between = undefined;
      scene.bury(victim);
      const size = scene.first.limit.concurrency;
      await scene.end('runs');
      await scene.expectRest(size);
    });
    expect(plays).toBeGreaterThan(5);
  },
);

test('one agent sets the concurrency while the other makes a call, with slots that a dead agent left', async () => {
  const plays = await everywhere(async (inset, before) => {
    const scene = new Scene(3);
    const [victim, other, dead] = [scene.join(), scene.join(), scene.join()];
    await scene.play(dead, 'a', 'b', 'c');
    scene.first.limit.concurrency = 1;
    scene.bury(dead);
    before(victim);
    inset.during(victim, () => (other.limit.concurrency = 2));
    victim.limit(() => undefined).catch(() => undefined);
    await scene.world.settle();
    victim.life.between = undefined;
    scene.bury(victim);
    await scene.expectRest(inset.done ? 2 : 1);
  });
  expect(plays).toBeGreaterThan(5);
});
