// Agents of one thread that run the initialiser of a once, or wait for it, and die.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { ClosedError } from '../../core/src/index.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { Lazy, Once } from '../src/index.ts';
import './support/kinds.ts';
import { expectOnceAtRest } from './support/once-rest.ts';

interface User extends Agent {
  readonly once: Once;
}

/** An initialiser that never ends by itself. */
const endless = (): Promise<void> => new Promise(() => undefined);

function never(): never {
  throw new Error('the initialiser ran');
}

describe.each(['wasm', 'js'] as const)('Once (%s)', (engine) => {
  class Scene {
    readonly world = new World({ engine });
    readonly first: User;

    constructor() {
      const agent = this.world.join();
      this.first = { ...agent, once: Once.create({ arena: agent.arena, name: 'table' }) };
    }

    join(): User {
      const agent = this.world.join();
      return { ...agent, once: Once.from(this.world.handle(this.first.once.handle, agent)) };
    }

    killAndReclaim(user: User): ReturnType<User['arena']['reclaim']> {
      user.life.die();
      return this.first.arena.reclaim(user.context.id);
    }
  }

  test('a sleeping call returns when another agent has initialised', () => {
    const scene = new Scene();
    const [gone, waits] = [scene.join(), scene.join()];
    void gone.once.runAsync(endless).catch(() => undefined);
    let ran = 0;
    waits.life.meanwhile.push(() => {
      scene.killAndReclaim(gone);
      scene.first.once.run(() => (ran += 1));
    });
    waits.once.run(never);
    waits.once.wait();
    expect(ran).toBe(1);
    expectOnceAtRest(scene.first.arena, scene.first.once, 'done');
  });

  test('a sleeping wait() lasts over failed attempts until one succeeds', () => {
    const scene = new Scene();
    const { once, life } = scene.join();
    const failed: unknown[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      life.meanwhile.push(() => {
        try {
          scene.first.once.run(never);
        } catch (failure) {
          failed.push(failure);
        }
      });
    }
    life.meanwhile.push(() => scene.first.once.run(() => undefined));
    once.wait();
    expect([failed.length, once.inspect().failures]).toEqual([3, 3]);
    expectOnceAtRest(scene.first.arena, scene.first.once, 'done');
  });

  test('a sleeping call and a sleeping wait() throw ClosedError when the once is closed', () => {
    const scene = new Scene();
    const [runs, one, other] = [scene.join(), scene.join(), scene.join()];
    void runs.once.runAsync(endless).catch(() => undefined);
    one.life.meanwhile.push(() => scene.first.once.close());
    expect(() => one.once.run(never)).toThrow(ClosedError);
    const next = Once.create({ arena: scene.first.arena });
    const theirs = Once.from(scene.world.handle(next.handle, other));
    other.life.meanwhile.push(() => next.close());
    expect(() => theirs.wait()).toThrow(ClosedError);
  });

  test('a call that times out at the moment at which the attempt ends checks once more', () => {
    const scene = new Scene();
    const [gone, next] = [scene.join(), scene.join()];
    void gone.once.runAsync(endless).catch(() => undefined);
    next.life.meanwhile.push(() => {
      scene.killAndReclaim(gone);
      return 'timed-out';
    });
    let ran = 0;
    expect([next.once.tryRun(() => (ran += 1), 5), ran]).toEqual([true, 1]);
    expectOnceAtRest(scene.first.arena, scene.first.once, 'done');
  });

  test('after the recovery of an agent that ran an attempt, a waiting call begins the next, and wait() continues', async () => {
    const scene = new Scene();
    const [gone, next, waits] = [scene.join(), scene.join(), scene.join()];
    const ran: string[] = [];
    void gone.once.runAsync(endless).catch(() => undefined);
    void next.once.runAsync(() => void ran.push('next'), { ref: false });
    void waits.once.waitAsync({ ref: false }).then(() => ran.push('wait'));
    await scene.world.settle();
    expect([ran, scene.first.once.inspect()]).toMatchObject([[], { state: 'running', runner: gone.context.id }]);
    expect(scene.killAndReclaim(gone)).toMatchObject({
      permits: [{ name: 'table', permits: 1 }],
      ticketsWithdrawn: 0,
      locksOrphaned: [],
    });
    await scene.world.settle();
    expect([ran, scene.first.once.inspect().failures]).toEqual([['next', 'wait'], 1]);
    expectOnceAtRest(scene.first.arena, scene.first.once, 'done');
  });

  test('a sleeping call begins the next attempt when the dead agent is reclaimed', () => {
    const scene = new Scene();
    const [gone, next] = [scene.join(), scene.join()];
    void gone.once.runAsync(endless).catch(() => undefined);
    next.life.meanwhile.push(() => void scene.killAndReclaim(gone));
    let ran = 0;
    next.once.run(() => (ran += 1));
    expect(ran).toBe(1);
    expectOnceAtRest(scene.first.arena, scene.first.once, 'done');
  });

  test('the recovery of an agent whose attempt has ended changes nothing', () => {
    for (const how of ['done', 'idle', 'closed'] as const) {
      const scene = new Scene();
      const gone = scene.join();
      if (how === 'done') gone.once.run(() => undefined);
      else if (how === 'idle') expect(() => gone.once.run(never)).toThrow('the initialiser ran');
      else gone.once.close();
      expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 0 });
      expectOnceAtRest(scene.first.arena, scene.first.once, how);
    }
  });

  test('the recovery of an agent whose attempt was closed leaves the once closed', () => {
    const scene = new Scene();
    const gone = scene.join();
    void gone.once.runAsync(endless).catch(() => undefined);
    scene.first.once.close();
    scene.killAndReclaim(gone);
    expectOnceAtRest(scene.first.arena, scene.first.once, 'closed');
    scene.first.once.free();
  });

  test('the recovery cancels the wait of a dead waiter, and changes nothing for one that was admitted', async () => {
    for (const isAdmitted of [false, true]) {
      const scene = new Scene();
      const [gone, stays] = [scene.join(), scene.join()];
      let isOver = false;
      const report = { permits: [], ticketsWithdrawn: isAdmitted ? 0 : 1 };
      scene.first.once.run(() => {
        void gone.once.runAsync(never, { ref: false }).catch(() => undefined);
        void stays.once.waitAsync({ ref: false }).then(() => (isOver = true));
        if (!isAdmitted) expect(scene.killAndReclaim(gone)).toMatchObject(report);
      });
      if (isAdmitted) expect(scene.killAndReclaim(gone)).toMatchObject(report);
      await scene.world.settle();
      expect(isOver).toBe(true);
      expectOnceAtRest(scene.first.arena, scene.first.once, 'done');
    }
  });

  test('the recovery of an attempt by an agent without the kind stays pending until an agent with the kind runs it', () => {
    const scene = new Scene();
    const gone = scene.join();
    void gone.once.runAsync(endless).catch(() => undefined);
    gone.life.die();
    expect(scene.world.joinWithoutKinds().arena.reclaim(gone.context.id)).toMatchObject({
      permits: [],
      pending: [{ name: 'table' }],
    });
    expect(scene.first.once.inspect().state).toBe('running');
    let ran = 0;
    scene.first.once.run(() => (ran += 1));
    expect(ran).toBe(1);
    expectOnceAtRest(scene.first.arena, scene.first.once, 'done');
  });

  test("agents that run initialisers and block on each other's onces are reported as a deadlock", () => {
    const scene = new Scene();
    const [one, other] = [scene.join(), scene.join()];
    const second = Once.create({ arena: one.arena, name: 'index' });
    const theirs = Once.from(scene.world.handle(second.handle, other));
    void theirs.runAsync(endless).catch(() => undefined);
    const calls = [
      [one, () => one.once.run(() => second.run(never))],
      [other, () => other.once.run(never)],
    ] as const;
    const found = blockAll(calls, () => scene.first.arena.findDeadlock());
    expect(found?.map(({ agent, waitsFor, ownedBy }) => [agent, waitsFor.name, ownedBy])).toEqual([
      [one.context.id, 'index', other.context.id],
      [other.context.id, 'table', one.context.id],
    ]);
  });

  test('the bytes that a dead agent has written do not become the value', () => {
    const world = new World({ engine });
    const agent = world.join();
    const lazy = Lazy.create<string>({ arena: agent.arena });
    const other = world.join();
    // The agent dies after its codec was called, and before the word says that the value is there.
    const dying = Lazy.from<string>(world.handle(lazy.handle, other));
    const die = (): string => {
      other.life.die();
      return 'half';
    };
    expect(() => dying.get(die)).toThrow('dead');
    agent.arena.reclaim(other.context.id);
    expect([lazy.value, lazy.get(() => 'whole')]).toEqual([undefined, 'whole']);
  });
});
