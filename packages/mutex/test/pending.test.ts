// Tests the recovery of a dead owner that is left to an agent with the mutex's kind.

import { afterEach, describe, expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { livenessPollerOf } from '../../core/src/recovery/probe-schedule.ts';
import { recoverThread } from '../../core/src/recovery/claim-dead-agent.ts';
import { OwnerDiedError, Semaphore, type ReclaimReport } from '../../core/src/index.ts';
import type { Engine } from '../../core/src/kernel/kernel.ts';
import { AGENT_THREAD, HEADER_PENDING } from '../../core/src/kernel/layout.ts';
import { ownTimers } from '../../core/src/platform/own-timers.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';
import './support/kinds.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Creates a victim that owns a mutex and holds a permit, an agent with the kind, and an agent without it. */
class Scene {
  readonly world: World;
  readonly living: Agent;
  readonly bare: Agent;
  readonly victim: Agent;
  readonly mutex: Mutex;
  readonly permits: Semaphore;

  constructor(engine: Engine) {
    this.world = new World({ engine });
    this.living = this.world.join();
    this.bare = this.world.join(undefined, false);
    this.victim = this.world.join();
    this.mutex = Mutex.create({ arena: this.living.arena, name: 'table' });
    this.permits = Semaphore.create(2, { arena: this.living.arena, name: 'slots' });
    Semaphore.from(this.world.handle(this.permits.handle, this.victim)).acquire();
    this.openAs(this.victim).lock();
  }

  openAs(agent: Agent): Mutex {
    return Mutex.from(this.world.handle(this.mutex.handle, agent));
  }

  get id(): number {
    return this.victim.context.id;
  }

  /** Kills the victim. Then the agent without the kind reclaims it. */
  killAndReclaim(): ReclaimReport {
    this.victim.life.die();
    return this.bare.arena.reclaim(this.id);
  }

  get announced(): number {
    return this.world.words.load32(HEADER_PENDING);
  }

  get agents(): readonly number[] {
    return this.bare.arena.inspect().agents.map(({ agent }) => agent);
  }
}

/** Calls `lock`, which must report the owner's death. Repairs and unlocks. */
function inherit(lock: () => unknown): void {
  try {
    lock();
  } catch (failure) {
    if (!(failure instanceof OwnerDiedError)) throw failure;
    failure.guard?.markConsistent();
    return failure.guard?.release();
  }
  throw new Error('The next owner was not told.');
}

describe.each(['wasm', 'js'] as const)('with engine %s', (engine) => {
  test('reclaim() by an agent without the kind restores permits at once and reports the mutex as pending', () => {
    const scene = new Scene(engine);
    expect(scene.killAndReclaim()).toMatchObject({
      agent: scene.id,
      permits: [{ name: 'slots', permits: 1 }],
      locksOrphaned: [],
      pending: [{ name: 'table', address: scene.mutex.handle.address }],
    });
    expect(scene.permits.available).toBe(2);
    expect(scene.mutex.inspect().owner).toBe(scene.id);
    expect(scene.agents).toContain(scene.id);
  });

  test('reclaim() again by an agent without the kind reports the mutex again; by an agent with it, its recovery', () => {
    const scene = new Scene(engine);
    scene.killAndReclaim();
    expect(scene.bare.arena.reclaim(scene.id)).toMatchObject({ permits: [], pending: [{ name: 'table' }] });
    expect(scene.living.arena.reclaim(scene.id)).toMatchObject({
      permits: [],
      locksOrphaned: [{ name: 'table' }],
      pending: [],
    });
    expect(() => scene.bare.arena.reclaim(scene.id)).toThrow(`There is no agent ${scene.id}`);
    expect(scene.agents).not.toContain(scene.id);
  });

  test('reclaimDead() reports a pending agent once to agents without the kind, and its recovery to an agent with it', () => {
    const scene = new Scene(engine);
    scene.victim.life.die();
    expect(scene.bare.arena.reclaimDead()).toMatchObject([{ agent: scene.id, pending: [{ name: 'table' }] }]);
    const announced = scene.announced;
    expect(scene.bare.arena.reclaimDead()).toEqual([]);
    expect(scene.announced).toBe(announced);
    expect(scene.living.arena.reclaimDead()).toMatchObject([{ agent: scene.id, locksOrphaned: [{ name: 'table' }] }]);
    inherit(() => scene.mutex.lock());
  });

  test('two agents without the kind that watch one thread report its pending agent once', () => {
    const scene = new Scene(engine);
    const THREAD = 77;
    scene.world.words.store32(scene.victim.context.agent + AGENT_THREAD, THREAD);
    scene.victim.life.die();
    const other = scene.world.join(undefined, false);
    expect(recoverThread(scene.bare.context, THREAD)).toMatchObject({ reports: [{ agent: scene.id }], done: true });
    expect(recoverThread(other.context, THREAD)).toEqual({ reports: [], done: true });
    expect(recoverThread(scene.living.context, THREAD)).toMatchObject({
      reports: [{ locksOrphaned: [{ name: 'table' }] }],
      done: true,
    });
  });

  test('an agent without the kind that probes all agents reports a pending agent once', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(ownTimers, 'after').mockImplementation((run, delayMs) => setTimeout(run, delayMs));
    const scene = new Scene(engine);
    const told: number[] = [];
    const stop = livenessPollerOf(scene.bare.context).add(({ agent }) => told.push(agent));
    scene.victim.life.die();
    for (let round = 0; round < 20; round++) {
      scene.world.lot.clock += 1000;
      vi.advanceTimersByTime(50);
    }
    stop();
    expect(told).toEqual([scene.id]);
    inherit(() => scene.mutex.lock());
  });

  test.each([
    ['lock()', (mutex: Mutex) => mutex.lock()],
    ['tryLock()', (mutex: Mutex) => mutex.tryLock()],
    ['tryLock(1)', (mutex: Mutex) => mutex.tryLock(1)],
    ['hold()', (mutex: Mutex) => mutex.hold()],
  ])('%s of a pending mutex finishes the recovery and inherits the mutex', (_, lock) => {
    const scene = new Scene(engine);
    scene.killAndReclaim();
    inherit(() => lock(scene.mutex));
    expect(scene.mutex.inspect()).toMatchObject({ owner: 0, consistency: 'consistent', waiters: [] });
    expect(scene.agents).not.toContain(scene.id);
  });

  test('lockAsync() of a pending mutex finishes the recovery', async () => {
    const scene = new Scene(engine);
    scene.killAndReclaim();
    const wait = scene.mutex.lockAsync({ ref: false });
    const told = expect(wait).rejects.toThrow(OwnerDiedError);
    await scene.world.settle();
    await told;
    expect(scene.mutex.inspect().owner).toBe(scene.living.context.id);
  });

  test('async waiters are woken and finish the recovery, in the order of their tickets', async () => {
    const scene = new Scene(engine);
    const second = scene.openAs(scene.world.join());
    const order: string[] = [];
    const inherits = scene.mutex.lockAsync({ ref: false }).catch((failure: unknown) => {
      order.push(failure instanceof OwnerDiedError ? 'first inherits' : String(failure));
      inherit(() => {
        throw failure;
      });
    });
    const follows = second.lockAsync({ ref: false }).then(() => {
      order.push('second');
      second.unlock();
    });
    scene.killAndReclaim();
    for (let turns = 0; turns < 5; turns++) await scene.world.settle();
    expect(order).toEqual(['first inherits', 'second']);
    await Promise.all([inherits, follows]);
    expect(scene.mutex.inspect()).toMatchObject({ owner: 0, waiters: [] });
  });

  test('a blocking waiter that is woken finishes the recovery', () => {
    const scene = new Scene(engine);
    const waiter = scene.world.join();
    const mutex = scene.openAs(waiter);
    waiter.life.meanwhile.push(() => scene.killAndReclaim());
    inherit(() => mutex.lock());
    expect(scene.agents).not.toContain(scene.id);
  });

  test('a dead waiter is skipped once an agent with the kind waits behind it', async () => {
    const scene = new Scene(engine);
    const owner = scene.openAs(scene.victim);
    const dead = scene.world.join();
    void scene
      .openAs(dead)
      .lockAsync({ ref: false })
      .catch(() => undefined);
    dead.life.die();
    expect(scene.bare.arena.reclaim(dead.context.id)).toMatchObject({
      ticketsWithdrawn: 0,
      pending: [{ name: 'table' }],
    });
    const wait = scene.mutex.lockAsync({ ref: false });
    await scene.world.settle();
    owner.unlock();
    await scene.world.settle();
    await wait;
    expect(scene.mutex.owned).toBe(true);
  });

  test.each([
    ['opens the mutex', (scene: Scene, agent: Agent) => scene.openAs(agent)],
    ['creates another one', (_: Scene, { arena }: Agent) => Mutex.create({ arena })],
  ])('an agent that %s loads the kind and finishes the recovery', (_, load) => {
    const scene = new Scene(engine);
    const later = scene.world.join(undefined, false);
    scene.killAndReclaim();
    load(scene, later);
    expect(scene.mutex.inspect().owner).toBe(0);
    expect(scene.agents).not.toContain(scene.id);
  });

  test('free() succeeds on a mutex whose dead owner is pending', () => {
    const scene = new Scene(engine);
    scene.killAndReclaim();
    scene.mutex.free();
    expect(scene.living.arena.reclaimDead()).toEqual([]);
    expect(scene.agents).not.toContain(scene.id);
    expect(scene.bare.arena.inspect().blocks.map(({ name }) => name)).not.toContain('table');
  });

  test('two agents that have loaded one kind each finish the recovery of an agent with two kinds', () => {
    const scene = new Scene(engine);
    const deep = RecursiveMutex.create({ arena: scene.living.arena, name: 'deep' });
    RecursiveMutex.from(scene.world.handle(deep.handle, scene.victim)).lock();
    const [plain, recursive] = [scene.world.join(undefined, false), scene.world.join(undefined, false)];
    expect(scene.killAndReclaim().pending).toHaveLength(2);
    const theirs = scene.openAs(plain);
    expect([scene.mutex.inspect().owner, deep.inspect().owner]).toEqual([0, scene.id]);
    inherit(() => theirs.lock());
    RecursiveMutex.from(scene.world.handle(deep.handle, recursive));
    expect(deep.inspect().owner).toBe(0);
    expect(scene.agents).not.toContain(scene.id);
  });

  test.each([
    ['before it releases the mutex', false],
    ['between the release of the mutex and its second half', true],
  ])('an agent that fails %s tells the other waiters', async (_, released) => {
    const scene = new Scene(engine);
    const deep = RecursiveMutex.create({ arena: scene.living.arena });
    RecursiveMutex.from(scene.world.handle(deep.handle, scene.victim)).lock();
    // This agent never loads the kind of the other mutex, so a part of the recovery is always left.
    const waiter = scene.world.join(undefined, false);
    const theirs = scene.openAs(waiter);
    scene.killAndReclaim();
    // The waiter tries first, but another agent has the record at that moment.
    let wait: Promise<unknown> = Promise.resolve();
    const { before } = scene.living.life;
    const fail = (): never => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    before.set('releaseMutexForDeadOwner', () => {
      wait = theirs.lockAsync({ ref: false }).catch((failure: unknown) => failure);
      if (released) before.set('walk', fail);
      else fail();
    });
    expect(() => scene.mutex.tryLock()).toThrow(RangeError);
    await scene.world.settle();
    expect(await wait).toBeInstanceOf(OwnerDiedError);
    expect(theirs.owned).toBe(true);
    expect(scene.world.words.load32(scene.victim.context.agent)).toBe(scene.id);
  });

  test('an agent that leaves the arena leaves pending recoveries to others', () => {
    const scene = new Scene(engine);
    const leaver = scene.world.join();
    scene.killAndReclaim();
    leaver.arena.leave();
    inherit(() => scene.mutex.lock());
    expect(scene.agents).not.toContain(scene.id);
  });
});

test('agents may join while an agent is pending, and its record is reused after its recovery', () => {
  const scene = new Scene('wasm');
  scene.killAndReclaim();
  const record = scene.victim.context.agent;
  // An agent with the kind would finish the recovery.
  const records = [scene.world.join(undefined, false), scene.world.join(undefined, false)].map(
    ({ context }) => context.agent,
  );
  expect(records).not.toContain(record);
  inherit(() => scene.mutex.lock());
  expect(scene.world.join().context.agent).toBe(record);
});
