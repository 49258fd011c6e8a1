// Agents of one thread that block on a condition, are moved to the line of its lock, and die.

import { describe, expect, test } from 'vitest';
import '../../../core/test/support/crash-injection.ts';
import { hasCode, type OwnerDiedError } from '../../../core/src/index.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { joinWithoutKinds } from '../../../core/test/support/agent-without-kinds.ts';
import { Condition, type ConditionLock } from '../../src/index.ts';
import { expectConditionAtRest } from './support/at-rest.ts';
import './support/kinds.ts';
import { SORTS, type Opened, type Sort } from './support/sorts.ts';

interface User extends Agent {
  readonly lock: ConditionLock;
  readonly condition: Condition;
}

class Scene {
  readonly world: World;
  readonly sort: Sort;
  readonly first: User;
  readonly made: Opened;

  constructor(engine: 'wasm' | 'js', sort: Sort) {
    this.world = new World({ engine });
    this.sort = sort;
    const agent = this.world.join();
    this.made = sort.create(agent.arena, 'lock');
    this.first = { ...agent, lock: this.made.lock, condition: Condition.create(this.made.lock, { name: 'changed' }) };
  }

  join(): User {
    const agent = this.world.join();
    const lock = this.sort.from(this.world.handle(this.made.handle, agent));
    return { ...agent, lock, condition: Condition.from(this.world.handle(this.first.condition.handle, agent), lock) };
  }

  reclaim(user: User): ReturnType<User['arena']['reclaim']> {
    user.life.die();
    return this.first.arena.reclaim(user.context.id);
  }
}

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  SORTS.map((sort) => ({ name: `${sort.name}, ${engine}`, engine, sort })),
);

/** Thrown through the calls of sleeping agents, to end them. */
class Seen extends Error {}

describe.each(PLACES)('Condition ($name)', ({ engine, sort }) => {
  test('a sleeping waiter that is notified is moved to the lock’s line: it wakes once, as the owner', () => {
    const scene = new Scene(engine, sort);
    const { first, made } = scene;
    const user = scene.join();
    let sleeps = 0;
    user.life.meanwhile.push(() => {
      sleeps += 1;
      first.lock.lock();
      expect(first.condition.notify()).toBe(1);
      expect([first.condition.waiting, waitersAt(made, first)]).toEqual([0, 1]);
      first.lock.unlock();
    });
    user.lock.lock();
    user.condition.wait();
    expect([user.lock.owned, sleeps]).toEqual([true, 1]);
    user.lock.unlock();
    expectConditionAtRest(first.arena, first.condition, made);
  });

  test('a waiter that is notified while the lock is free gets the lock', () => {
    const scene = new Scene(engine, sort);
    const { first, made } = scene;
    const user = scene.join();
    user.life.meanwhile.push(() => {
      first.condition.notifyAll();
      expect(first.lock.tryLock()).toBe(false);
    });
    user.lock.lock();
    user.condition.wait();
    expect(user.lock.owned).toBe(true);
    user.lock.unlock();
    expectConditionAtRest(first.arena, first.condition, made);
  });

  test('a notification at the moment of a timeout wins', () => {
    const scene = new Scene(engine, sort);
    const { first, made } = scene;
    const user = scene.join();
    user.life.meanwhile.push(() => {
      first.condition.notify();
      return 'timed-out';
    });
    user.lock.lock();
    expect(user.condition.tryWait(5)).toBe(true);
    user.lock.unlock();
    expectConditionAtRest(first.arena, first.condition, made);
  });

  test('a wait that times out returns false with the lock held', () => {
    const scene = new Scene(engine, sort);
    const user = scene.join();
    user.lock.lock();
    expect([user.condition.tryWait(5), user.lock.owned, scene.first.condition.notify()]).toEqual([false, true, 0]);
    user.lock.unlock();
    expectConditionAtRest(scene.first.arena, scene.first.condition, scene.made);
  });

  test('the notification of a waiter that died after it was moved goes to the next waiter', () => {
    const scene = new Scene(engine, sort);
    const { first, made } = scene;
    const [victim, next] = [scene.join(), scene.join()];
    const order: string[] = [];
    victim.life.meanwhile.push(() => {
      next.life.meanwhile.push(() => {
        first.lock.lock();
        expect(first.condition.notify()).toBe(1);
        expect([first.condition.waiting, waitersAt(made, first)]).toEqual([1, 1]);
        scene.reclaim(victim);
        expect(first.condition.waiting).toBe(0);
        first.lock.unlock();
      });
      next.lock.lock();
      next.condition.wait();
      order.push('next');
      next.lock.unlock();
      throw new Seen();
    });
    victim.lock.lock();
    expect(() => victim.condition.wait()).toThrow();
    expect(order).toEqual(['next']);
    expectConditionAtRest(first.arena, first.condition, made);
  });

  test('a waiter that died before a notification takes none', () => {
    const scene = new Scene(engine, sort);
    const { first, made } = scene;
    const victim = scene.join();
    victim.life.meanwhile.push(() => {
      expect(scene.reclaim(victim)).toMatchObject({ ticketsWithdrawn: 1, permits: [] });
      expect([first.condition.waiting, first.condition.notify()]).toEqual([0, 0]);
      throw new Seen();
    });
    victim.lock.lock();
    expect(() => victim.condition.wait()).toThrow();
    expectConditionAtRest(first.arena, first.condition, made);
  });

  test.each([false, true])(
    'an agent that has not loaded the kind leaves a dead waiter pending, and no notification is lost with it (notified first: %s)',
    async (isNotified) => {
      const scene = new Scene(engine, sort);
      const { world, first, made } = scene;
      const [gone, next] = [scene.join(), scene.join()];
      gone.lock.lock();
      void gone.condition.waitAsync({ ref: false }).catch(() => undefined);
      next.lock.lock();
      let isOver = false;
      const wait = next.condition.waitAsync({ ref: false }).then(() => {
        isOver = true;
        next.lock.unlock();
      });
      if (isNotified) expect(first.condition.notify()).toBe(1);
      gone.life.die();
      expect(joinWithoutKinds(world, first).reclaim(gone.context.id)).toMatchObject({ pending: [{ name: 'changed' }] });
      expect([isOver, isNotified ? 1 : first.condition.notify()]).toEqual([false, 1]);
      first.arena.reclaimDead();
      await world.settle();
      await wait;
      expect(isOver).toBe(true);
      expectConditionAtRest(first.arena, first.condition, made);
    },
  );

  test('a waiter that wakes as the heir of a dead owner is told of the death', () => {
    const scene = new Scene(engine, sort);
    const { first, made } = scene;
    const [owner, user] = [scene.join(), scene.join()];
    user.life.meanwhile.push(() => {
      owner.lock.lock();
      owner.condition.notify();
      scene.reclaim(owner);
    });
    user.lock.lock();
    let told: OwnerDiedError | undefined;
    try {
      user.condition.wait();
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_OWNER_DIED')) throw failure;
      told = failure;
    }
    expect(user.lock.owned).toBe(true);
    told?.guard?.markConsistent();
    told?.guard?.release();
    expect(told?.guard).toBeDefined();
    expectConditionAtRest(first.arena, first.condition, made);
  });

  test('a waiter that dies as the owner leaves the lock to the next agent with a notice', () => {
    const scene = new Scene(engine, sort);
    const { first } = scene;
    const victim = scene.join();
    victim.life.meanwhile.push(() => first.condition.notify());
    victim.lock.lock();
    victim.condition.wait();
    expect(scene.reclaim(victim)).toMatchObject({ locksOrphaned: [{ name: 'lock' }], permits: [] });
    expect(() => first.lock.lock()).toThrow('the agent that owned it died');
  });
});

function waitersAt({ handle }: Opened, { arena }: User): number {
  return arena
    .inspect()
    .agents.flatMap(({ waits }) => waits)
    .filter(({ address }) => address === handle.address).length;
}

describe('RecursiveMutex', () => {
  test('wait() unlocks a mutex of any depth, and restores the depth', () => {
    const sort = SORTS.find(({ name }) => name === 'recursive mutex');
    if (sort === undefined) throw new Error('There is no such lock.');
    const scene = new Scene('wasm', sort);
    const { first, made } = scene;
    const user = scene.join();
    const depth = (): unknown => (user.lock as object as { inspect(): { depth?: number } }).inspect().depth;
    user.life.meanwhile.push(() => {
      first.lock.lock();
      first.condition.notify();
      first.lock.unlock();
    });
    for (let times = 0; times < 3; times++) user.lock.lock();
    const before = depth();
    user.condition.wait();
    expect(depth()).toBe(before);
    for (let times = 0; times < 3; times++) user.lock.unlock();
    expect(user.lock.owned).toBe(false);
    expectConditionAtRest(first.arena, first.condition, made);
  });
});
