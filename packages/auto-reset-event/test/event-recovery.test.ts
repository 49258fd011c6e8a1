// Agents of one thread that block on an event, and die.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { blockAll } from '../../core/test/support/knot.ts';
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
      const wait: Wait = { went: false, over: event.waitAsync({ ref: false }).then(() => (wait.went = true), () => undefined) };
      return wait;
    }

    bury(user: User): ReturnType<User['arena']['reclaim']> {
      user.life.die();
      return this.first.arena.reclaim(user.context.id);
    }

    expectAtRest(signalled: boolean): void {
      expectAtRest(this.first.arena, this.first.event.handle, signalled ? 1n : 0n);
    }
  }

  test('who blocks and who waits async are served in the order in which they came', async () => {
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

  // What a step of WebAssembly does inside cannot be seen.
  test.runIf(engine === 'js')('a signal of a signalled event is a write like any other, not a mere look', () => {
    const { first } = new Scene();
    for (let count = 0; count < 3; count++) {
      first.life.count(['inner'], Infinity);
      first.event.signal();
      expect(first.life.deeds).toEqual(['cas32']);
    }
  });

  test('a signal at the moment of the timeout is had', () => {
    const scene = new Scene();
    const { event, life } = scene.join();
    life.meanwhile.push(() => {
      scene.first.event.signal();
      return 'timed-out';
    });
    expect(event.tryWait(5)).toBe(true);
    scene.expectAtRest(false);
  });

  test('agents that wait for events are shown, and are no deadlock', () => {
    const scene = new Scene();
    const [one, other] = [scene.join(), scene.join()];
    const second = AutoResetEvent.create({ arena: one.arena });
    const theirs = AutoResetEvent.from(scene.world.handle(second.handle, other));
    const calls = [[one, () => one.event.wait()], [other, () => theirs.wait()]] as const;
    const { found, waits } = blockAll(calls, () => ({
      found: scene.first.arena.findDeadlock(),
      waits: scene.first.arena.inspect().agents.map(({ waits }) => waits.map(({ kind, how }) => [kind, how])),
    }));
    expect([found, waits]).toEqual([undefined, [[], [['event', 'blocking']], [['event', 'blocking']]]]);
  });

  test('a signal whose receiver dies before it looks goes to the next in line', async () => {
    const scene = new Scene();
    const [gone, next] = [scene.join(), scene.join()];
    scene.wait(gone);
    const wait = scene.wait(next);
    scene.first.event.signal();
    expect(scene.bury(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 1, locksOrphaned: [] });
    await scene.world.settle();
    expect(wait.went).toBe(true);
    scene.expectAtRest(false);
  });

  test('or it is kept for the next to come, and collapses with one that is kept already', () => {
    for (const more of [0, 1, 3]) {
      const scene = new Scene();
      const gone = scene.join();
      scene.wait(gone);
      for (let count = 0; count <= more; count++) scene.first.event.signal();
      scene.bury(gone);
      scene.expectAtRest(true);
      expect([scene.first.event.tryWait(), scene.first.event.tryWait()]).toEqual([true, false]);
    }
  });

  test('the same for one that blocks and dies in its sleep', () => {
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

  test('a signal that an agent took before it died is gone, and its death is no signal', () => {
    const scene = new Scene();
    const gone = scene.join();
    scene.first.event.signal();
    gone.event.wait();
    expect(scene.bury(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 0 });
    scene.expectAtRest(false);
    expect(scene.first.event.tryWait()).toBe(false);
  });

  test('one that it took after a wait, too', async () => {
    const scene = new Scene();
    const gone = scene.join();
    const wait = scene.wait(gone);
    scene.first.event.signal();
    await scene.world.settle();
    expect(wait.went).toBe(true);
    scene.bury(gone);
    scene.expectAtRest(false);
  });

  test('an agent that dies in line takes no signal with it, wherever it stood', async () => {
    for (const index of [0, 1, 2]) {
      const scene = new Scene();
      const users = [0, 1, 2].map(() => scene.join());
      const waits = users.map((user) => scene.wait(user));
      const gone = users[index];
      if (gone !== undefined) expect(scene.bury(gone)).toMatchObject({ ticketsWithdrawn: 1 });
      scene.first.event.signal();
      scene.first.event.signal();
      await scene.world.settle();
      expect(waits.map(({ went }) => went)).toEqual([0, 1, 2].map((at) => at !== index));
      scene.expectAtRest(false);
    }
  });

  test('signals of several waits of one agent that dies go to as many others', async () => {
    const scene = new Scene();
    const gone = scene.join();
    for (let count = 0; count < 3; count++) scene.wait(gone);
    for (let count = 0; count < 3; count++) scene.first.event.signal();
    const waits = [scene.join(), scene.join(), scene.join()].map((user) => scene.wait(user));
    scene.bury(gone);
    await scene.world.settle();
    expect(waits.map(({ went }) => went)).toEqual([true, true, true]);
    scene.expectAtRest(false);
  });

  test('and are reported as so many waits that were given up', () => {
    const scene = new Scene();
    const gone = scene.join();
    for (let count = 0; count < 3; count++) scene.wait(gone);
    for (let count = 0; count < 3; count++) scene.first.event.signal();
    expect(scene.bury(gone)).toMatchObject({ ticketsWithdrawn: 3, permits: [] });
  });

  test('an event whose signal was given and not seen yet is in use, and cannot be freed', async () => {
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

  test('a signaller that dies between its steps has signalled, and whoever it should have woken is woken', async () => {
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
