// A lock, its owner and its waiters when agents die at any point, and the report of the recovery.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { HEADER_VERSION, LAYOUT_VERSION } from '../../core/src/kernel/layout.ts';
import { servesLastFirst } from '../../core/test/support/owned-lock/kind.ts';
import { KINDS, TTS } from './support/kinds.ts';
import { repairAndUnlock, Scene, type User, type Wait } from '../../core/test/support/owned-lock/scene.ts';

const ENGINES = ['wasm', 'js'] as const;
const CASES = ENGINES.flatMap((engine) => KINDS.map((kind) => ({ name: `${kind.what} (${engine})`, kind, engine })));
const NOTHING = {
  permits: [],
  ticketsWithdrawn: 0,
  chainsFinished: 0,
  locksOrphaned: [],
  buffersInterrupted: [],
  blocksFreed: 0,
  pending: [],
  finished: [],
};

describe.each(CASES)('$name', ({ kind, engine }) => {
  const newScene = (): Scene => new Scene(kind, { engine });

  test('the recovery of an agent that has unlocked reports nothing', () => {
    const scene = newScene();
    const user = scene.join();
    user.lock.lock();
    user.lock.unlock();
    expect(user.lock.tryLock()).toBe(true);
    user.lock.unlock();
    expect(scene.killAndReclaim(user)).toEqual({ agent: user.id, ...NOTHING });
    scene.expectAtRest();
  });

  test('the recovery of an owner reports the lock, and a blocked waiter becomes its next owner', () => {
    const scene = newScene();
    const [dies, blocks] = scene.joinAll('dies', 'blocks');
    const { address } = scene.first.lock.handle;
    dies.lock.lock();
    blocks.life.meanwhile.push(() => {
      expect(scene.killAndReclaim(dies)).toEqual({
        agent: dies.id,
        ...NOTHING,
        locksOrphaned: [{ name: 'scene', address }],
        chainsFinished: 0,
      });
    });
    expect(() => blocks.lock.lock()).toThrow(expect.objectContaining({ code: 'SLUICE_OWNER_DIED' }) as Error);
    expect(blocks.lock.inspect()).toMatchObject({ owner: blocks.id, consistency: 'inherited' });
    blocks.lock.markConsistent();
    blocks.lock.unlock();
    scene.expectAtRest();
  });

  test('reclaimDead() recovers a dead owner and a dead waiter in one call', async () => {
    const scene = newScene();
    const [owner, gone, stays] = scene.joinAll('owner', 'gone', 'stays');
    owner.lock.lock();
    const [, wait] = scene.waitInTurn([gone, stays]);
    for (const { life } of [owner, gone]) life.die();
    const reports = scene.first.arena.reclaimDead();
    expect(reports.map(({ agent }) => agent).sort()).toEqual([owner.id, gone.id].sort());
    expect(reports.flatMap(({ locksOrphaned }) => locksOrphaned)).toHaveLength(1);
    await scene.settle();
    if (wait !== undefined) repairAndUnlock(stays, wait);
    expect(wait?.outcome).toBeTypeOf('object');
    scene.expectAtRest();
  });

  test('the recovery of an owner skips cancelled waiters', async () => {
    const scene = newScene();
    const [owner, leaves, stays] = scene.joinAll('owner', 'leaves', 'stays');
    owner.lock.lock();
    const [gone, other, wait] = scene.waitInTurn([leaves, leaves, stays]);
    for (const one of [gone, other]) one?.leave();
    scene.killAndReclaim(owner);
    await scene.settle();
    expect([scene.owner, scene.first.lock.inspect().abandoned]).toEqual([stays.id, 0]);
    if (wait !== undefined) repairAndUnlock(stays, wait);
    scene.expectAtRest();
  });

  test.each([0, 1, 2])(
    'the remaining waiters are served in order after waiter number %i of three has died in its sleep',
    async (index) => {
      const scene = newScene();
      const [dies, ...others] = scene.joinAll('dies', 'one', 'other');
      scene.first.lock.lock();
      const come = (from: number, to?: number): Wait[] => others.slice(from, to).map((user) => scene.wait(user));
      const waits = come(0, index);
      dies.life.meanwhile.push(() => {
        waits.push(...come(index));
        dies.life.die();
      });
      expect(() => dies.lock.lock()).toThrow('dead');
      expect(scene.first.arena.reclaim(dies.id)).toMatchObject({ ...NOTHING, ticketsWithdrawn: 1 });
      const served = await scene.unlockUntilFree();
      const inOrder = others.map(({ id }) => id);
      expect(served).toEqual([scene.first.id, ...(servesLastFirst(kind) ? inOrder.reverse() : inOrder)]);
      expect(waits.map(({ outcome }) => outcome)).toEqual(['in', 'in']);
      scene.expectAtRest();
    },
  );

  test('unlock() of an agent that has not learned that it got the lock throws, and the recovery of the agent frees the lock', () => {
    const scene = newScene();
    const dies = scene.join();
    scene.first.lock.lock();
    for (let waits = 0; waits < 2; waits++) scene.wait(dies);
    scene.first.lock.unlock();
    expect(() => dies.lock.unlock()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    scene.killAndReclaim(dies);
    expect(scene.world.words.load32(HEADER_VERSION)).toBe(LAYOUT_VERSION);
    expect(scene.first.lock.tryLock()).toBe(true);
    scene.first.lock.unlock();
    scene.expectAtRest();
  });

  test('the lock is free after the next unlock when all waiters have died', () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2, 3);
    scene.first.lock.lock();
    for (const user of users) scene.wait(user);
    for (const { life } of users) life.die();
    const reports = scene.first.arena.reclaimDead();
    expect(reports.map(({ ticketsWithdrawn }) => ticketsWithdrawn)).toEqual([1, 1, 1]);
    expect(scene.first.lock.inspect().waiters).toEqual([]);
    scene.first.lock.unlock();
    scene.expectAtRest();
  });

  test('a blocked waiter that dies between the hand-off and its wake-up leaves no notice', async () => {
    const scene = newScene();
    const [dies, next] = scene.joinAll('dies', 'next');
    scene.first.lock.lock();
    const waits = servesLastFirst(kind) ? [scene.wait(next)] : [];
    dies.life.meanwhile.push(() => {
      if (!servesLastFirst(kind)) waits.push(scene.wait(next));
      scene.first.lock.unlock();
      dies.life.die();
    });
    expect(() => dies.lock.lock()).toThrow('dead');
    expect(scene.first.arena.reclaim(dies.id)).toMatchObject({
      ...NOTHING,
      chainsFinished: expect.any(Number) as number,
      ticketsWithdrawn: 1,
    });
    await scene.settle();
    expect([waits.map(({ outcome }) => outcome), scene.first.lock.inspect().consistency]).toEqual([
      ['in'],
      'consistent',
    ]);
    next.lock.unlock();
    scene.expectAtRest();
  });

  test('an async waiter that dies before it learns that it got the lock leaves no notice, even with cancelled waiters behind it', async () => {
    const scene = newScene();
    const [dies, leaves, next] = scene.joinAll('dies', 'leaves', 'next');
    scene.first.lock.lock();
    const [, gone, other, wait] = scene.waitInTurn([dies, leaves, leaves, next]);
    for (const one of [gone, other]) one?.leave();
    scene.first.lock.unlock();
    expect(scene.killAndReclaim(dies)).toMatchObject({
      ...NOTHING,
      chainsFinished: expect.any(Number) as number,
      ticketsWithdrawn: 1,
    });
    await scene.settle();
    expect([wait?.outcome, scene.first.lock.inspect().consistency]).toEqual(['in', 'consistent']);
    next.lock.unlock();
    scene.expectAtRest();
  });

  test('the notice of a death goes to each next owner until one repairs, even if an heir dies', async () => {
    const scene = newScene();
    const [owner, looked, blind, last] = scene.joinAll('owner', 'looked', 'blind', 'last');
    owner.lock.lock();
    const waits = scene.waitInTurn([looked, blind, last]);
    scene.killAndReclaim(owner);
    await scene.settle();
    expect(waits.map(({ outcome }) => typeof outcome)).toEqual(['object', 'string', 'string']);
    looked.life.die();
    expect(scene.first.arena.reclaim(looked.id)).toMatchObject({ locksOrphaned: [{ name: 'scene' }] });
    // The lock was handed to the second waiter, whose event loop does not turn any more.
    blind.life.die();
    expect(scene.first.arena.reclaim(blind.id)).toMatchObject({
      ...NOTHING,
      chainsFinished: expect.any(Number) as number,
      ticketsWithdrawn: 1,
    });
    await scene.settle();
    const [, , wait] = waits;
    expect(typeof wait?.outcome).toBe('object');
    if (wait !== undefined) repairAndUnlock(last, wait);
    scene.expectAtRest();
  });

  test('the recovery cancels all waits of a dead agent', async () => {
    const scene = newScene();
    const [dies, stays] = scene.joinAll('dies', 'stays');
    scene.first.lock.lock();
    const [, , wait] = scene.waitInTurn([dies, dies, stays, dies]);
    expect(scene.killAndReclaim(dies)).toMatchObject({ ...NOTHING, ticketsWithdrawn: 3 });
    expect(await scene.unlockUntilFree()).toEqual([scene.first.id, stays.id]);
    expect(wait?.outcome).toBe('in');
    scene.expectAtRest();
  });

  test('free() works on an orphaned and on an unrecoverable lock', () => {
    for (const doubtful of [false, true]) {
      const scene = newScene();
      const owner = scene.join();
      owner.lock.lock();
      scene.killAndReclaim(owner);
      if (doubtful) {
        expect(() => scene.first.lock.lock()).toThrow();
        scene.first.lock.unlock();
        expect(scene.first.lock.inspect().consistency).toBe('unrecoverable');
      }
      scene.first.lock.free();
      expect(() => scene.first.lock.inspect()).toThrow('was freed');
    }
  });

  /** The action of an agent during which it dies. `owns`: whether it owns the lock before. */
  const ACTS: readonly (readonly [what: string, owns: boolean, act: (scene: Scene, victim: User) => unknown])[] = [
    ['unlocks', true, (_, { lock }) => lock.unlock()],
    ['waits and times out', false, (_, { lock }) => lock.tryLock(5)],
    ['waits and gets the lock', false, sleepAndGet],
    ['waits asynchronously', false, (_, { lock }) => void lock.lockAsync({ ref: false }).catch(() => undefined)],
  ];

  test.each(ACTS)(
    'after a death at any point while the agent %s every waiter gets the lock, and at most one learns of the death',
    async (_, owns, act) => {
      let died = true;
      let deaths = 0;
      for (; died; deaths++) {
        const scene = newScene();
        const [victim, leaves, ...others] = scene.joinAll('victim', 'leaves', 'one', 'other');
        (owns ? victim : scene.first).lock.lock();
        const [one, gone, other] = scene.waitInTurn([others[0], leaves, others[1]]) as [Wait, Wait, Wait];
        gone.leave();
        victim.life.count(['step', 'write', 'parking'], deaths);
        try {
          act(scene, victim);
        } catch (failure) {
          if (!victim.life.isDead) throw failure;
        }
        died = victim.life.isDead;
        victim.life.die();
        const { locksOrphaned } = scene.first.arena.reclaim(victim.id);
        if (scene.first.lock.owned) scene.first.lock.unlock();
        const late = scene.wait(scene.first);
        const told = await scene.serve([...others, scene.first], [one, other, late]);
        const report = `died at point ${deaths}`;
        expect(
          [one, other, late].map(({ outcome }) => outcome),
          report,
        ).not.toContain('waits');
        expect(told, report).toBe(locksOrphaned.length);
        expect(scene.first.lock.inspect(), report).toMatchObject({
          owner: 0,
          waiters: [],
          abandoned: 0,
          consistency: 'consistent',
        });
        scene.expectAtRest();
      }
      expect(deaths).toBeGreaterThan(2);
    },
  );

  /** The owners unlock while it sleeps, until it owns the lock. */
  function sleepAndGet(scene: Scene, { life, lock }: User): void {
    const passOn = (): unknown => scene.unlockByOwner();
    life.meanwhile.push(passOn, passOn, passOn, passOn);
    lock.lock();
  }
});

describe.each(ENGINES)('TtsLock (%s)', (engine) => {
  test.each([true, false])('a woken waiter that dies leaves no other waiter asleep (lock owned: %s)', async (owned) => {
    const scene = new Scene(TTS, { engine });
    const [dies, next] = scene.joinAll('dies', 'next');
    scene.first.lock.lock();
    const [, wait] = [dies, next].map((user) => scene.wait(user));
    scene.first.lock.unlock();
    if (owned) scene.first.lock.lock();
    expect(scene.killAndReclaim(dies)).toMatchObject({ ...NOTHING, ticketsWithdrawn: 1 });
    await scene.settle();
    if (owned) {
      expect(wait?.outcome).toBe('waits');
      scene.first.lock.unlock();
      await scene.settle();
    }
    expect(wait?.outcome).toBe('in');
    next.lock.unlock();
    scene.expectAtRest();
  });
});

test('the report of an agent that owned locks of all kinds lists each of them', () => {
  const scene = new Scene(TTS);
  const user = scene.join();
  user.lock.lock();
  const names = KINDS.map((kind) => {
    const lock = kind.create({ arena: user.arena, name: kind.what });
    lock.lock();
    return lock.name;
  });
  const { locksOrphaned, permits } = scene.killAndReclaim(user);
  expect([locksOrphaned.map(({ name }) => name).sort(), permits]).toEqual([['scene', ...names].sort(), []]);
});
