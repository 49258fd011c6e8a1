// Agents of one thread die at every point while the concurrency is set and while functions end. Other agents act at
// every point in between. Afterwards the number of slots is right, and no permit is lost or duplicated.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { World } from '../../core/test/support/crash-world.ts';
import { Semaphore } from '../../core/src/index.ts';
import { createLimit } from '../src/index.ts';
import { actAnywhere, killAnywhere, Scene, tolerate } from './support/scene.ts';
import './support/kernel.ts';

describe('the death of an agent', () => {
  test.each([
    [2, 5],
    [5, 2],
    [4, 1],
    [1, 6],
  ])(
    'the death of an agent at any point of a change from %i to %i leaves the right number of slots',
    async (from, to) => {
      const deaths = await killAnywhere(async (before) => {
        const scene = new Scene(from);
        const setter = scene.join();
        before(setter);
        const set = tolerate(() => (setter.limit.concurrency = to));
        const size = scene.first.limit.concurrency;
        expect(set ? [to] : [from, to]).toContain(size);
        scene.bury(setter);
        await scene.expectRest(size);
      });
      expect(deaths).toBeGreaterThan(2);
    },
  );

  test.each([
    [2, 5],
    [5, 2],
    [3, 3],
  ])(
    'within a step of a change from %i to %i, with engine js: a slot may be lost, none is doubled',
    async (from, to) => {
      const deaths = await killAnywhere(
        async (before) => {
          const scene = new Scene(from, 'js');
          const victim = scene.join();
          await scene.play(victim, 'a');
          before(victim);
          tolerate(() => (victim.limit.concurrency = to));
          if (!victim.life.isDead) await scene.end('a');
          scene.bury(victim);
          await scene.play(scene.first, ...'bcdefgh'.split(''));
          const running = scene.stage.running.filter((name) => name !== 'a').length;
          const [should, are] = scene.word;
          expect(are).toBeGreaterThanOrEqual(should);
          // One of them is a surplus slot that the dead agent left.
          expect(running).toBeLessThanOrEqual(Math.max(should, 1));
        },
        ['step', 'write', 'parking', 'inner'],
      );
      expect(deaths).toBeGreaterThan(5);
    },
  );

  test('the death of an agent at any point while its function ends and there are surplus slots leaves the right number', async () => {
    const deaths = await killAnywhere(async (before) => {
      const scene = new Scene(4);
      const victim = scene.join();
      await scene.play(scene.first, 'a', 'b');
      await scene.play(victim, 'c', 'd');
      await scene.play(scene.first, 'e', 'f');
      scene.first.limit.concurrency = 1;
      before(victim);
      await scene.end('c');
      if (scene.stage.running.includes('d')) await scene.end('d');
      scene.bury(victim);
      await scene.world.settle();
      await scene.end('a', 'b');
      while (scene.stage.running.length > 0) await scene.end(...scene.stage.running);
      await scene.expectRest(1);
    });
    expect(deaths).toBeGreaterThan(2);
  });

  test('the death of an agent at any point while its function ends, after the death of the agent that raised the number, leaves the right number', async () => {
    const deaths = await killAnywhere(async (before) => {
      const scene = new Scene(1);
      const [setter, victim] = [scene.join(), scene.join()];
      await scene.play(victim, 'a');
      // The agent dies right after it has written the number.
      setter.life.count(['step', 'write', 'parking'], 1);
      tolerate(() => (setter.limit.concurrency = 3));
      scene.bury(setter);
      expect(scene.first.limit.concurrency).toBe(3);
      before(victim);
      await scene.end('a');
      scene.bury(victim);
      await scene.expectRest(3);
    });
    expect(deaths).toBeGreaterThan(2);
  });

  test('the death of an agent while all functions run and there are surplus slots leaves the right number', async () => {
    const scene = new Scene(3);
    const victim = scene.join();
    await scene.play(victim, 'a', 'b', 'c');
    scene.first.limit.concurrency = 1;
    scene.bury(victim);
    await scene.play(scene.first, 'x', 'y');
    expect(scene.stage.running.filter((name) => name === 'x' || name === 'y')).toEqual(['x']);
    await scene.end('x');
    await scene.end('y');
    await scene.expectRest(1);
  });
});

describe('two agents at once', () => {
  test.each([
    [4, 2, 1],
    [2, 5, 1],
    [5, 1, 3],
    [1, 3, 4],
  ])('change %i to %i and to %i, one of them at every point of the other', async (from, one, two) => {
    const places = await actAnywhere(async (inset) => {
      const scene = new Scene(from);
      const [first, second] = [scene.join(), scene.join()];
      inset.during(first, () => (second.limit.concurrency = two));
      first.limit.concurrency = one;
      first.life.between = undefined;
      const size = scene.first.limit.concurrency;
      expect(inset.done ? [one, two] : [one]).toContain(size);
      const { slots } = scene.first.limit.handle;
      // Both agents have ended, so nothing is left to repair.
      expect(scene.balance(slots)).toBe(BigInt(size));
      await scene.expectRest(size);
    });
    expect(places).toBeGreaterThan(2);
  });

  test('both raise the concurrency while calls wait, and at most as many calls begin as allowed', async () => {
    const places = await actAnywhere(async (inset) => {
      const scene = new Scene(1);
      const [first, second] = [scene.join(), scene.join()];
      await scene.play(scene.first, 'a', 'b', 'c', 'd', 'e', 'f');
      inset.during(first, () => (second.limit.concurrency = 3));
      first.limit.concurrency = 3;
      first.life.between = undefined;
      await scene.world.settle();
      expect(scene.stage.running).toEqual(['a', 'b', 'c']);
    });
    expect(places).toBeGreaterThan(2);
  });

  test.each([
    [3, 2],
    [3, 1],
    [3, 4],
  ])('end functions after %i became %i', async (from, to) => {
    const places = await actAnywhere(async (inset) => {
      const scene = new Scene(from);
      const [first, second] = [scene.join(), scene.join()];
      const [one, two] = [scene.slots(first), scene.slots(second)];
      expect([one.tryTake(), two.tryTake(), from]).toEqual([true, true, 3]);
      await scene.play(scene.first, 'third');
      scene.first.limit.concurrency = to;
      inset.during(second, () => one.giveBack());
      two.giveBack();
      second.life.between = undefined;
      if (!inset.done) one.giveBack();
      const { slots } = scene.first.limit.handle;
      expect(scene.balance(slots)).toBe(BigInt(to) - 1n);
      await scene.end('third');
      await scene.expectRest(to);
    });
    expect(places).toBeGreaterThan(2);
  });

  test('one sets the concurrency while a function of the other ends', async () => {
    for (const [from, to] of [
      [3, 1],
      [1, 3],
      [2, 1],
    ] as const) {
      await actAnywhere(async (inset) => {
        const scene = new Scene(from);
        const [ender, setter] = [scene.join(), scene.join()];
        await scene.play(ender, 'a');
        inset.during(ender, () => (setter.limit.concurrency = to));
        await scene.end('a');
        ender.life.between = undefined;
        if (!inset.done) setter.limit.concurrency = to;
        expect(scene.balance(scene.first.limit.handle.slots)).toBe(BigInt(to));
        await scene.expectRest(to);
      });
    }
  });
});

test('the slot of a dead agent goes to the next waiting call', async () => {
  const scene = new Scene(1);
  const victim = scene.join();
  await scene.play(victim, 'lost');
  await scene.play(scene.first, 'next');
  expect(scene.stage.running).toEqual(['lost']);
  scene.bury(victim);
  await scene.world.settle();
  expect(scene.stage.running).toEqual(['lost', 'next']);
  await scene.end('next');
  await scene.expectRest(1);
});

test('a semaphore without recovery keeps the permits of a dead agent', async () => {
  const world = new World({ engine: 'wasm' });
  const [first, victim] = [world.join(), world.join()];
  const slots = Semaphore.create(1, { arena: first.arena, recovery: false });
  const limit = createLimit(Semaphore.from(world.handle(slots.handle, victim)));
  limit(() => new Promise(() => undefined)).catch(() => undefined);
  await world.settle();
  victim.life.die();
  first.arena.reclaim(victim.context.id);
  expect([slots.available, createLimit(slots).concurrency, createLimit(slots).inspect().activeCount]).toEqual([
    0, 1, 0,
  ]);
});
