// Agents of one thread that block on a barrier or have parties of it, and die.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { freePrimitive } from '../../core/src/primitive/block.ts';
import { BrokenBarrierError } from '../../core/src/index.ts';
import { asBlock } from '../../core/src/kernel/addresses.ts';
import { SLEEP_WORD } from '../../core/src/kernel/layout.ts';
import { kindCode } from '../../core/src/agent/kind.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { Barrier, type BarrierOptions } from '../src/index.ts';
import { BARRIER_CODE } from '../src/kernel/layout.ts';
import { BARRIER } from '../src/kinds.ts';
import './support/kinds.ts';
import { expectBarrierAtRest } from './support/barrier-rest.ts';
import { joinWithoutKinds } from '../../core/test/support/agent-without-kinds.ts';

interface User extends Agent {
  readonly barrier: Barrier;
}

/** The outcome of a wait, or `waits` until it has one. */
function ending(wait: Promise<unknown>): { is: unknown } {
  const seen: { is: unknown } = { is: 'waits' };
  wait.then(
    (result) => (seen.is = result),
    (failure: unknown) => (seen.is = failure),
  );
  return seen;
}

test("the kernel's BARRIER_CODE equals the code of the kind", () => {
  expect([BARRIER_CODE, BARRIER.code]).toEqual([kindCode('barri'), kindCode('barri')]);
});

describe.each(['wasm', 'js'] as const)('Barrier (%s)', (engine) => {
  class Scene {
    readonly world = new World({ engine });
    readonly first: User;

    constructor(parties: number) {
      const agent = this.world.join();
      this.first = { ...agent, barrier: Barrier.create(parties, { arena: agent.arena, name: 'phase' }) };
    }

    join(options: Pick<BarrierOptions, 'action'> = {}): User {
      const agent = this.world.join();
      return { ...agent, barrier: Barrier.from(this.world.handle(this.first.barrier.handle, agent), options) };
    }

    killAndReclaim(user: User): ReturnType<User['arena']['reclaim']> {
      user.life.die();
      return this.first.arena.reclaim(user.context.id);
    }
  }

  test('the last party to arrive admits a sleeping waiter', () => {
    const scene = new Scene(3);
    const { barrier, life } = scene.join();
    void scene.first.barrier.waitAsync();
    life.meanwhile.push(() => void scene.first.barrier.waitAsync());
    expect(barrier.wait()).toEqual({ leader: false });
    expect(barrier.generation).toBe(1);
  });

  test('tryWait(ms) returns a result when the generation trips at the moment of its timeout', () => {
    const scene = new Scene(2);
    const { barrier, life } = scene.join();
    life.meanwhile.push(() => {
      void scene.first.barrier.waitAsync();
      return 'timed-out';
    });
    expect(barrier.tryWait(5)).toEqual({ leader: true });
  });

  test('a sleeping waiter throws when its generation is broken', () => {
    const scene = new Scene(2);
    const { barrier, life } = scene.join();
    life.meanwhile.push(() => scene.first.barrier.reset());
    expect(() => barrier.wait()).toThrow(BrokenBarrierError);
    expectBarrierAtRest(scene.first.arena, scene.first.barrier);
  });

  test('a sleeping waiter throws when its barrier is freed', () => {
    const scene = new Scene(2);
    const { barrier, life } = scene.join();
    const { address, tag } = scene.first.barrier.handle;
    // `free` throws if it sees a waiter. This waiter arrived after that check.
    life.meanwhile.push(() => freePrimitive({ ...scene.first, address: asBlock(address), tag }, 'The barrier'));
    expect(() => barrier.wait()).toThrow("The barrier 'phase' was freed and cannot be used any more.");
  });

  test('agents that block on barriers are reported, but not as a deadlock', () => {
    const scene = new Scene(3);
    const [one, other] = [scene.join(), scene.join()];
    one.barrier.claim();
    other.barrier.claim();
    const { found, waits } = blockAll(
      [
        [one, () => one.barrier.wait()],
        [other, () => other.barrier.wait()],
      ],
      () => ({
        found: scene.first.arena.findDeadlock(),
        waits: scene.first.arena.inspect().agents.map(({ waits: each }) => each.map(({ kind, how }) => [kind, how])),
      }),
    );
    expect([found, waits]).toEqual([undefined, [[], [['barrier', 'blocking']], [['barrier', 'blocking']]]]);
  });

  test('the death of an agent with a party breaks the generation, and the others continue without that party after a reset', async () => {
    const scene = new Scene(3);
    const [gone, other] = [scene.join(), scene.join()];
    gone.barrier.claim();
    const wait = ending(other.barrier.waitAsync({ ref: false }));
    await scene.world.settle();
    expect(wait.is).toBe('waits');
    expect(scene.killAndReclaim(gone)).toMatchObject({
      permits: [{ name: 'phase', permits: 1 }],
      ticketsWithdrawn: 0,
      locksOrphaned: [],
    });
    await scene.world.settle();
    expect(wait.is).toBeInstanceOf(BrokenBarrierError);
    expect(() => scene.first.barrier.wait()).toThrow("Barrier 'phase' is broken: an agent died.");
    scene.first.barrier.reset();
    expect(scene.first.barrier.parties).toBe(2);
    const next = ending(other.barrier.waitAsync({ ref: false }));
    expect(scene.first.barrier.wait()).toEqual({ leader: false });
    await scene.world.settle();
    expect(next.is).toEqual({ leader: true });
    expectBarrierAtRest(scene.first.arena, scene.first.barrier);
  });

  test('the death of a waiter breaks its generation, and another agent may arrive in its place', async () => {
    const scene = new Scene(3);
    const [gone, other] = [scene.join(), scene.join()];
    void gone.barrier.waitAsync({ ref: false }).catch(() => undefined);
    const wait = ending(other.barrier.waitAsync({ ref: false }));
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 1 });
    await scene.world.settle();
    expect([wait.is, scene.first.barrier.parties, scene.first.barrier.inspect().broken]).toMatchObject([
      { code: 'SLUICE_BROKEN_BARRIER' },
      3,
      'died',
    ]);
  });

  test('the death of an admitted agent that has not learned of it changes nothing', async () => {
    const scene = new Scene(2);
    const gone = scene.join();
    void gone.barrier.waitAsync({ ref: false }).catch(() => undefined);
    scene.first.barrier.wait();
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [], ticketsWithdrawn: 0 });
    expect([scene.first.barrier.broken, scene.first.barrier.generation]).toEqual([false, 1]);
    await scene.world.settle();
    expectBarrierAtRest(scene.first.arena, scene.first.barrier);
  });

  test('the death of an agent after its party has left breaks nothing', () => {
    const scene = new Scene(1);
    const gone = scene.join();
    gone.barrier.register(2);
    gone.barrier.deregister(2);
    expect(scene.killAndReclaim(gone)).toMatchObject({ permits: [] });
    expect(scene.first.barrier.wait()).toEqual({ leader: true });
    expectBarrierAtRest(scene.first.arena, scene.first.barrier);
  });

  test('the recovery of a party by an agent without the kind stays pending until an agent with the kind runs it', () => {
    const scene = new Scene(2);
    const gone = scene.join();
    gone.barrier.claim();
    gone.life.die();
    expect(joinWithoutKinds(scene.world, scene.first).reclaim(gone.context.id)).toMatchObject({
      permits: [],
      pending: [{ name: 'phase' }],
    });
    expect(scene.first.barrier.parties).toBe(2);
    expect(() => scene.first.barrier.tryWait()).toThrow('is broken: an agent died');
    expect([scene.first.barrier.parties, scene.first.barrier.broken]).toEqual([1, true]);
  });

  test('an agent without the kind wakes the sleepers for a dead party, and leaves nothing pending', () => {
    const scene = new Scene(3);
    const [gone, other] = [scene.join(), scene.join()];
    const sleepWord = (): number => scene.world.words.load32(scene.first.barrier.handle.address + SLEEP_WORD);
    let seen: unknown;
    other.life.meanwhile.push(() => {
      gone.life.before.set('wakeBarrierSleepers', () => gone.life.die());
      expect(() => gone.barrier.abort()).toThrow('dead before wakeBarrierSleepers');
      const before = sleepWord();
      const { pending, chainsFinished } = joinWithoutKinds(scene.world, scene.first).reclaim(gone.context.id) as {
        pending: unknown;
        chainsFinished: number;
      };
      seen = { pending, chainsFinished, rung: sleepWord() !== before };
    });
    expect(() => other.barrier.wait()).toThrow(BrokenBarrierError);
    expect(seen).toEqual({ pending: [], chainsFinished: 1, rung: true });
    scene.first.barrier.mend();
    expectBarrierAtRest(scene.first.arena, scene.first.barrier);
  });
});
