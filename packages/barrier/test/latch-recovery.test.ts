// Agents of one thread that block on a latch or have claims, and die.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { CountdownLatch } from '../src/index.ts';
import './support/kinds.ts';
import { expectLatchAtRest } from './support/latch-rest.ts';
import { joinWithoutKinds } from '../../core/test/support/agent-without-kinds.ts';

interface User extends Agent {
  readonly latch: CountdownLatch;
}

describe.each(['wasm', 'js'] as const)('CountdownLatch (%s)', (engine) => {
  class Scene {
    readonly world = new World({ engine });
    readonly first: User;

    constructor(count: number) {
      const agent = this.world.join();
      this.first = { ...agent, latch: CountdownLatch.create(count, { arena: agent.arena, name: 'parts' }) };
    }

    join(): User {
      const agent = this.world.join();
      return { ...agent, latch: CountdownLatch.from(this.world.handle(this.first.latch.handle, agent)) };
    }

    killAndReclaim(user: User): ReturnType<User['arena']['reclaim']> {
      user.life.die();
      return this.first.arena.reclaim(user.context.id);
    }
  }

  test('the done() that reaches 0 admits a sleeping waiter', () => {
    const scene = new Scene(2);
    const { latch, life } = scene.join();
    const counts: number[] = [];
    const countDown = (): void => {
      scene.first.latch.done();
      counts.push(scene.first.latch.count);
    };
    life.meanwhile.push(() => {
      countDown();
      countDown();
    });
    latch.wait();
    expect(counts).toEqual([1, 0]);
    expectLatchAtRest(scene.first.arena, scene.first.latch);
  });

  test('tryWait(ms) returns true when the round ends at the moment of its timeout', () => {
    const scene = new Scene(1);
    const { latch, life } = scene.join();
    life.meanwhile.push(() => {
      scene.first.latch.done();
      return 'timed-out';
    });
    expect(latch.tryWait(5)).toBe(true);
    expectLatchAtRest(scene.first.arena, scene.first.latch);
  });

  test('agents that block on latches are reported, but not as a deadlock', () => {
    const scene = new Scene(1);
    const [one, other] = [scene.join(), scene.join()];
    const second = CountdownLatch.create(1, { arena: one.arena });
    const theirs = CountdownLatch.from(scene.world.handle(second.handle, other));
    one.latch.claim();
    theirs.claim();
    const calls = [
      [one, () => second.wait()],
      [other, () => other.latch.wait()],
    ] as const;
    const { found, waits } = blockAll(calls, () => ({
      found: scene.first.arena.findDeadlock(),
      waits: scene.first.arena.inspect().agents.map(({ waits }) => waits.map(({ kind, how }) => [kind, how])),
    }));
    expect([found, waits]).toEqual([undefined, [[], [['latch', 'blocking']], [['latch', 'blocking']]]]);
  });

  test('the recovery counts down the claims of a dead agent, and the waiters are admitted', async () => {
    const scene = new Scene(3);
    const [gone, waits] = [scene.join(), scene.join()];
    let isOver = false;
    void waits.latch.waitAsync({ ref: false }).then(() => (isOver = true));
    gone.latch.claim(3);
    gone.latch.done();
    await scene.world.settle();
    expect(isOver).toBe(false);
    expect(scene.killAndReclaim(gone)).toMatchObject({
      permits: [{ name: 'parts', permits: 2 }],
      ticketsWithdrawn: 0,
      locksOrphaned: [],
    });
    await scene.world.settle();
    expect(isOver).toBe(true);
    expectLatchAtRest(scene.first.arena, scene.first.latch);
  });

  test('the recovery of an agent without a claim counts nothing down, even if the agent had called add()', () => {
    const scene = new Scene(1);
    const gone = scene.join();
    gone.latch.add(2);
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 0 });
    expect([scene.first.latch.count, scene.first.latch.inspect().claimedBy]).toEqual([3, []]);
  });

  test('the recovery does not count down a claim of an earlier round', () => {
    const scene = new Scene(1);
    const gone = scene.join();
    gone.latch.claim();
    scene.first.latch.done();
    scene.first.latch.add(2);
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [] });
    expect(scene.first.latch.count).toBe(2);
  });

  test('the recovery of a claim stops at 0 if another agent has counted down a part of it', () => {
    const scene = new Scene(3);
    const gone = scene.join();
    gone.latch.claim(3);
    scene.first.latch.done(2);
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [{ permits: 1 }] });
    expectLatchAtRest(scene.first.arena, scene.first.latch);
  });

  test('the recovery cancels the wait of a dead waiter, and changes nothing for one that was admitted', async () => {
    for (const isAdmitted of [false, true]) {
      const scene = new Scene(1);
      const [gone, stays] = [scene.join(), scene.join()];
      let isOver = false;
      void gone.latch.waitAsync({ ref: false }).catch(() => undefined);
      void stays.latch.waitAsync({ ref: false }).then(() => (isOver = true));
      if (isAdmitted) scene.first.latch.done();
      expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [], ticketsWithdrawn: isAdmitted ? 0 : 1 });
      if (!isAdmitted) scene.first.latch.done();
      await scene.world.settle();
      expect(isOver).toBe(true);
      expectLatchAtRest(scene.first.arena, scene.first.latch);
    }
  });

  test('the recovery of a claim by an agent without the kind stays pending until an agent with the kind runs it', () => {
    const scene = new Scene(1);
    const gone = scene.join();
    gone.latch.claim();
    gone.life.die();
    expect(joinWithoutKinds(scene.world, scene.first).reclaim(gone.context.id)).toMatchObject({
      permits: [],
      pending: [{ name: 'parts' }],
    });
    expect(scene.first.latch.count).toBe(1);
    expect(scene.first.latch.tryWait()).toBe(true);
    expectLatchAtRest(scene.first.arena, scene.first.latch);
  });
});
