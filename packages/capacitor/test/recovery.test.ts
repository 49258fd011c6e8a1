// Members of a platoon that die at any point: the platoon continues without them.

import { afterEach, describe, expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { Death } from '../../core/test/support/crash.ts';
import { Capacitor, Turnstile } from '../src/index.ts';
import { MUTEX, TTS } from './support/inner-kinds.ts';
import { inherited, Scene, type Member, type SceneOptions } from './support/scene.ts';

const OPTIONS: readonly SceneOptions[] = [
  { bypassLimit: 1 },
  { bypassLimit: 2 },
  { bypassLimit: 2, lanes: 2 },
  { bypassLimit: 2, lanes: { count: 2, order: 'random' } },
  { bypassLimit: 'adaptive' },
  { bypassLimit: 2, skipWhenUncontended: true },
  { bypassLimit: 2, fraction: 0.5 },
];
const CASES = OPTIONS.flatMap((options) => (['wasm', 'js'] as const).map((engine) => ({ ...options, engine })));

afterEach(() => void vi.restoreAllMocks());

describe.each(CASES)('%j', (options) => {
  const newScene = (): Scene => new Scene(options);

  /** Repairs after a death if needed, and unlocks. */
  async function passOn(
    scene: Scene,
    members: readonly Member[],
    waits: readonly ReturnType<Scene['wait']>[],
  ): Promise<void> {
    for (let served = 0; served < members.length; served++) {
      await scene.pass();
      const at = members.findIndex(({ lock }) => lock.owned);
      expect(at, 'no waiter got the lock').toBeGreaterThanOrEqual(0);
      const outcome = waits[at]?.outcome;
      if (typeof outcome === 'object') outcome.markConsistent();
      members[at]?.lock.unlock();
    }
    await scene.world.settle();
  }

  test('the recovery departs for an agent that dies with the lock, and the next agent inherits', async () => {
    const scene = newScene();
    const [dies, ...others] = Array.from({ length: 4 }, () => scene.join());
    if (dies === undefined) throw new Error('a wait is missing');
    dies.lock.lock();
    const waits = others.map((member) => scene.wait(member));
    await scene.world.settle();
    const report = await scene.bury(dies);
    expect(report).toMatchObject({
      locksOrphaned: [{ address: scene.first.inner.handle.address }],
      ticketsWithdrawn: 0,
    });
    for (const { name, permits } of report.permits) expect([name, permits]).toEqual(['gate', 1]);
    if (options.fraction === undefined && options.skipWhenUncontended === undefined)
      expect(report.permits).toHaveLength(1);
    await passOn(scene, others, waits);
    expect(waits.filter(({ outcome }) => typeof outcome === 'object')).toHaveLength(1);
    scene.expectAtRest();
  });

  test.each([0, 1, 2, 3])('an agent that dies while it waits, as number %i, delays no other agent', async (index) => {
    const scene = newScene();
    const members = Array.from({ length: 4 }, () => scene.join());
    scene.first.lock.lock();
    const waits = members.map((member) => scene.wait(member));
    await scene.world.settle();
    const [dies] = members.splice(index, 1);
    waits.splice(index, 1);
    if (dies === undefined) throw new Error('a wait is missing');
    const report = await scene.bury(dies);
    expect(report.locksOrphaned).toEqual([]);
    expect(report.ticketsWithdrawn).toBe(1);
    scene.first.lock.unlock();
    await passOn(scene, members, waits);
    expect(waits.map(({ outcome }) => outcome)).toEqual(['clean', 'clean', 'clean']);
    scene.expectAtRest();
  });

  test('the recovery departs for an agent that dies right after its admission, and reports no death of an owner', async () => {
    const scene = newScene();
    const [dies, next] = [scene.join(), scene.join()];
    scene.first.lock.lock();
    scene.wait(dies);
    await scene.world.settle();
    const wait = scene.wait(next);
    await scene.world.settle();
    scene.first.lock.unlock();
    const report = await scene.bury(dies);
    expect(report.locksOrphaned).toEqual([]);
    await passOn(scene, [next], [wait]);
    expect(wait.outcome).toBe('clean');
    scene.expectAtRest();
  });

  test('an agent that dies in its sleep, admitted or not, keeps no other agent out', async () => {
    for (const letIn of [false, true]) {
      const scene = newScene();
      const dies = scene.join();
      scene.first.lock.lock();
      dies.life.meanwhile.push(() => {
        if (letIn) scene.first.lock.unlock();
        dies.life.die();
      });
      expect(() => dies.lock.lock()).toThrow('dead');
      expect(await scene.bury(dies)).toMatchObject({ locksOrphaned: [] });
      if (!letIn) scene.first.lock.unlock();
      await scene.world.settle();
      scene.expectAtRest();
    }
  });

  test('all agents inside and all waiters may die', async () => {
    const scene = newScene();
    const members = Array.from({ length: 6 }, () => scene.join());
    members[0]?.lock.lock();
    for (const member of members.slice(1)) scene.wait(member);
    await scene.world.settle();
    for (const { life } of members) life.die();
    expect(scene.first.arena.reclaimDead()).toHaveLength(6);
    await scene.world.settle();
    const guard = inherited(await scene.outcome(() => scene.first.lock.lock()));
    guard.markConsistent();
    guard.release();
    scene.expectAtRest();
  });
});

describe.each([MUTEX, TTS])('an agent with a $name', (kind) => {
  test.each(OPTIONS)(
    'an agent that dies before any of its steps leaves a lock that others can acquire: %j',
    async (options) => {
      let deaths = 0;
      for (let step = 0; ; step++) {
        // The ways are the same each time, and so are the steps.
        let drawn = 0;
        vi.spyOn(Math, 'random').mockImplementation(() => (drawn++ % 2 === 0 ? 0.75 : 0.25));
        const scene = new Scene({ ...options, kind });
        const [victim, waiter] = [scene.join(), scene.join()];
        let wait: ReturnType<Scene['wait']> | undefined;
        victim.life.count(['step', 'write', 'parking'], step);
        try {
          victim.lock.lock();
          wait = scene.wait(waiter);
          await scene.world.settle();
          victim.lock.unlock();
          if (victim.lock.tryLock(1)) victim.lock.unlock();
        } catch (failure) {
          if (!(failure instanceof Death)) throw failure;
        }
        if (!victim.life.isDead) break;
        deaths += 1;
        wait ??= scene.wait(waiter);
        await scene.bury(victim);
        await scene.pass();
        expect(waiter.lock.owned).toBe(true);
        if (typeof wait.outcome === 'object') wait.outcome.markConsistent();
        waiter.lock.unlock();
        await scene.pass();
        expect(await scene.outcome(() => scene.first.lock.lock())).toBe('clean');
        scene.first.lock.unlock();
        scene.expectAtRest();
      }
      expect(deaths).toBeGreaterThan(6);
    },
  );
});

const ENGINES = ['wasm', 'js'] as const;

test.each(ENGINES)('the recovery departs as often as the dead agent was inside a capacitor (%s)', async (engine) => {
  const scene = new Scene({ engine, bypassLimit: 4 });
  const dies = scene.join();
  const { gate } = dies.lock.handle;
  if (gate.kind !== 'sluice.capacitor') throw new Error('no plain capacitor');
  const [theirs, ours] = [dies, scene.first].map((agent) => Capacitor.from(scene.world.handle(gate, agent)));
  if (theirs === undefined || ours === undefined) throw new Error('no capacitors');
  for (let times = 0; times < 3; times++) theirs.arrive();
  ours.arrive();
  expect(ours.tryArrive()).toBe(false);
  const report = await scene.bury(dies);
  expect(report).toMatchObject({ permits: [{ name: 'gate', permits: 3 }], locksOrphaned: [], ticketsWithdrawn: 0 });
  expect(ours.inspect()).toMatchObject({ departuresLeft: 1, open: 0, inside: [{ times: 1 }] });
  ours.depart();
  expect([ours.empty, ours.inspect().open]).toEqual([true, 4]);
});

test.each(ENGINES)(
  'the recovery ends the turn of an agent that died inside a turnstile, and one that died outside delays no other (%s)',
  async (engine) => {
    for (const inside of [false, true]) {
      const scene = new Scene({ engine, bypassLimit: 'adaptive' });
      const [dies, next] = [scene.join(), scene.join()];
      const [theirs, others] = [dies, next].map(({ lock, ...agent }) => {
        const { gate } = lock.handle;
        if (gate.kind !== 'sluice.turnstile') throw new Error('no turnstile');
        return Turnstile.from(scene.world.handle(gate, agent));
      });
      theirs?.arrive();
      let isIn = false;
      others?.arriveAsync({ ref: false }).then(
        () => (isIn = true),
        () => undefined,
      );
      if (!inside) theirs?.depart();
      dies.life.die();
      await scene.world.settle();
      expect(isIn).toBe(!inside);
      const report = await scene.bury(dies);
      expect([isIn, report.locksOrphaned, report.permits.length]).toEqual([true, [], inside ? 1 : 0]);
      others?.depart();
      expect(others?.empty).toBe(true);
    }
  },
);

test.each(ENGINES)(
  'the recovery reports a waiter of a lane that died as cancelled, and departs for it when its turn comes (%s)',
  async (engine) => {
    const scene = new Scene({ engine, bypassLimit: 2, lanes: 2 });
    const [holds, dies, ...others] = Array.from({ length: 5 }, () => scene.join());
    if (holds === undefined || dies === undefined) throw new Error('a wait is missing');
    holds.lock.lock();
    const second = scene.wait(scene.first);
    await scene.world.settle();
    scene.wait(dies);
    const waits = others.map((other) => scene.wait(other));
    await scene.world.settle();
    expect(await scene.bury(dies)).toMatchObject({ ticketsWithdrawn: 1, permits: [], locksOrphaned: [] });
    holds.lock.unlock();
    await scene.pass();
    expect(second.outcome).toBe('clean');
    scene.first.lock.unlock();
    for (let served = 0; served < others.length; served++) {
      await scene.pass();
      const owner = others.find(({ lock }) => lock.owned);
      expect(owner).toBeDefined();
      owner?.lock.unlock();
    }
    expect(waits.map(({ outcome }) => outcome)).toEqual(['clean', 'clean', 'clean']);
    scene.expectAtRest();
  },
);
