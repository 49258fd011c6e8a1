// Agents of one thread that block on an event, or die.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { AutoResetEvent } from '../src/index.ts';
import './support/kinds.ts';

interface User extends Agent {
  readonly event: AutoResetEvent;
}

interface Wait {
  went: boolean;
  readonly over: Promise<unknown>;
}

describe.each(['wasm', 'js'] as const)('AutoResetEvent (%s)', (engine) => {
  class Scene {
    readonly world = new World({ engine });
    readonly first: User;

    constructor() {
      const agent = this.world.join();
      this.first = { ...agent, event: AutoResetEvent.create({ arena: agent.arena, name: 'work' }) };
    }

    join(): User {
      const agent = this.world.join();
      return { ...agent, event: AutoResetEvent.from(this.world.handle(this.first.event.handle, agent)) };
    }

    wait({ event }: User): Wait {
      const wait: Wait = {
        went: false,
        over: event.waitAsync({ ref: false }).then(
          () => (wait.went = true),
          () => undefined,
        ),
      };
      return wait;
    }

    killAndReclaim(user: User): ReturnType<User['arena']['reclaim']> {
      user.life.die();
      return this.first.arena.reclaim(user.context.id);
    }

    expectAtRest(signalled: boolean): void {
      expectAtRest(this.first.arena, this.first.event.handle, signalled ? 1n : 0n);
    }
  }

  test('blocking and async waiters are served in the order of arrival', async () => {
    const scene = new Scene();
    const [before, blocks, behind] = [scene.join(), scene.join(), scene.join()];
    const first = scene.wait(before);
    let third: Wait | undefined;
    blocks.life.meanwhile.push(
      () => {
        third = scene.wait(behind);
        scene.first.event.signal();
      },
      () => scene.first.event.signal(),
    );
    blocks.event.wait();
    await scene.world.settle();
    expect([first.went, third?.went]).toEqual([true, false]);
    scene.first.event.signal();
    await scene.world.settle();
    expect(third?.went).toBe(true);
    scene.expectAtRest(false);
  });

  // A WebAssembly step hides its operations, so this test runs only with the TypeScript kernel.
  test.runIf(engine === 'js')('a signal to a signalled event writes to the event', () => {
    const { first } = new Scene();
    for (let count = 0; count < 3; count++) {
      first.life.count(['inner'], Infinity);
      first.event.signal();
      expect(first.life.deeds).toEqual(['cas32']);
    }
  });

  test('tryWait(ms) consumes a signal that arrives at the moment of its timeout', () => {
    const scene = new Scene();
    const { event, life } = scene.join();
    life.meanwhile.push(() => {
      scene.first.event.signal();
      return 'timed-out';
    });
    expect(event.tryWait(5)).toBe(true);
    scene.expectAtRest(false);
  });

  test('agents that block on events are reported, but not as a deadlock', () => {
    const scene = new Scene();
    const [one, other] = [scene.join(), scene.join()];
    const second = AutoResetEvent.create({ arena: one.arena });
    const theirs = AutoResetEvent.from(scene.world.handle(second.handle, other));
    const calls = [
      [one, () => one.event.wait()],
      [other, () => theirs.wait()],
    ] as const;
    const { found, waits } = blockAll(calls, () => ({
      found: scene.first.arena.findDeadlock(),
      waits: scene.first.arena.inspect().agents.map(({ waits }) => waits.map(({ kind, how }) => [kind, how])),
    }));
    expect([found, waits]).toEqual([undefined, [[], [['event', 'blocking']], [['event', 'blocking']]]]);
  });

  test('a signal granted to a waiter that dies before it learns of it goes to the next waiter', async () => {
    const scene = new Scene();
    const [gone, next] = [scene.join(), scene.join()];
    scene.wait(gone);
    const wait = scene.wait(next);
    scene.first.event.signal();
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 1, locksOrphaned: [] });
    await scene.world.settle();
    expect(wait.went).toBe(true);
    scene.expectAtRest(false);
  });

  test('a signal granted to the only waiter is kept if the waiter dies before it learns of it, and collapses with a kept one', () => {
    for (const more of [0, 1, 3]) {
      const scene = new Scene();
      const gone = scene.join();
      scene.wait(gone);
      for (let count = 0; count <= more; count++) scene.first.event.signal();
      scene.killAndReclaim(gone);
      scene.expectAtRest(true);
      expect([scene.first.event.tryWait(), scene.first.event.tryWait()]).toEqual([true, false]);
    }
  });

  test('a signal granted to a blocked waiter is kept if the waiter dies before it wakes', () => {
    const scene = new Scene();
    const gone = scene.join();
    gone.life.meanwhile.push(() => {
      scene.first.event.signal();
      gone.life.die();
    });
    expect(() => gone.event.wait()).toThrow('dead');
    scene.first.arena.reclaim(gone.context.id);
    scene.expectAtRest(true);
    scene.first.event.wait();
    scene.expectAtRest(false);
  });

  test('the recovery does not restore a signal that the dead agent had consumed', () => {
    const scene = new Scene();
    const gone = scene.join();
    scene.first.event.signal();
    gone.event.wait();
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 0 });
    scene.expectAtRest(false);
    expect(scene.first.event.tryWait()).toBe(false);
  });

  test('the recovery does not restore a signal that an async wait of the dead agent had consumed', async () => {
    const scene = new Scene();
    const gone = scene.join();
    const wait = scene.wait(gone);
    scene.first.event.signal();
    await scene.world.settle();
    expect(wait.went).toBe(true);
    scene.killAndReclaim(gone);
    scene.expectAtRest(false);
  });

  test('a waiter that dies takes no signal with it, at any position in the queue', async () => {
    for (const index of [0, 1, 2]) {
      const scene = new Scene();
      const users = [0, 1, 2].map(() => scene.join());
      const waits = users.map((user) => scene.wait(user));
      const gone = users[index];
      if (gone !== undefined) expect(scene.killAndReclaim(gone)).toMatchObject({ ticketsWithdrawn: 1 });
      scene.first.event.signal();
      scene.first.event.signal();
      await scene.world.settle();
      expect(waits.map(({ went }) => went)).toEqual([0, 1, 2].map((at) => at !== index));
      scene.expectAtRest(false);
    }
  });

  test('signals granted to several waits of a dead agent go to the same number of other waiters', async () => {
    const scene = new Scene();
    const gone = scene.join();
    for (let count = 0; count < 3; count++) scene.wait(gone);
    for (let count = 0; count < 3; count++) scene.first.event.signal();
    const waits = [scene.join(), scene.join(), scene.join()].map((user) => scene.wait(user));
    scene.killAndReclaim(gone);
    await scene.world.settle();
    expect(waits.map(({ went }) => went)).toEqual([true, true, true]);
    scene.expectAtRest(false);
  });

  test('the recovery reports each granted wait of a dead agent as a withdrawn ticket', () => {
    const scene = new Scene();
    const gone = scene.join();
    for (let count = 0; count < 3; count++) scene.wait(gone);
    for (let count = 0; count < 3; count++) scene.first.event.signal();
    expect(scene.killAndReclaim(gone)).toMatchObject({ ticketsWithdrawn: 3, permits: [] });
  });

  test('free() throws while a waiter has not learned of its signal', async () => {
    const scene = new Scene();
    const next = scene.join();
    const wait = scene.wait(next);
    scene.first.event.signal();
    expect(() => {
      scene.first.event.free();
    }).toThrow('cannot be freed');
    await scene.world.settle();
    expect(wait.went).toBe(true);
    scene.first.event.free();
  });

  test('the recovery of a signaller that died between its steps wakes the waiter', async () => {
    const scene = new Scene();
    const [gone, next] = [scene.join(), scene.join()];
    const wait = scene.wait(next);
    gone.life.before.set('walk', () => gone.life.die());
    expect(() => gone.event.signal()).toThrow('dead');
    expect(scene.first.arena.reclaim(gone.context.id)).toMatchObject({ chainsFinished: 1 });
    await scene.world.settle();
    expect(wait.went).toBe(true);
    scene.expectAtRest(false);
  });
});
