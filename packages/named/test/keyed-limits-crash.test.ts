// An agent dies at every point of every operation at a keyed limit and at a keyed rate limiter. Afterwards the others
// get their slots and their permits, and the dead agent holds nothing.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import type { Deed } from '../../core/test/support/crash.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { hasCode } from '../../core/src/index.ts';
import { KeyedLimit, type KeyedRateLimiter } from '../src/index.ts';
import { createWithClock, openWithClock } from '../src/rates/keyed-rate-limiter.ts';
import './support/kinds.ts';
import { unseeded } from './support/unseeded.ts';

type Engine = 'wasm' | 'js';

/** Deaths happen only between two steps: within a step a slot may be lost, as with any semaphore. */
const DEEDS: readonly Deed[] = ['step', 'write', 'parking'];

/** The timers of a dead agent still fire in this process. Their callbacks throw the agent's death, which is ignored. */
const { setTimeout: after } = globalThis;
Object.assign(globalThis, {
  setTimeout: (act: () => void, ms: number) =>
    after(() => {
      try {
        act();
      } catch (death) {
        if (!isDeath(death)) throw death;
      }
    }, ms),
});

function isDeath(failure: unknown): boolean {
  return failure instanceof Error && failure.message.startsWith('dead before');
}

interface User extends Agent {
  readonly limit: KeyedLimit;
  readonly rates: KeyedRateLimiter;
}

class Scene {
  readonly world: World;
  readonly first: User;
  #now = 1000;
  /** Each reading of the clock advances it, so a sleep of these agents ends at once. */
  readonly #clock = (): number => (this.#now += 0.25);
  /** The outcomes of the calls of the first agent. */
  readonly ended: string[] = [];
  #asked = 0;

  constructor(engine: Engine) {
    this.world = new World({ engine, pages: 4 });
    const agent = this.world.join();
    const { arena } = agent;
    const limit = unseeded(() => KeyedLimit.create({ concurrency: 1, total: 1, arena, name: 'slots' }));
    const rates = unseeded(() => createWithClock({ permits: 1, interval: 1, burst: 2, arena }, this.#clock));
    this.first = { ...agent, limit, rates };
  }

  join(): User {
    const agent = this.world.join();
    const { limit, rates } = this.first;
    const { total, ...keys } = limit.handle;
    const arena = agent.arena.id;
    const handle = { ...keys, arena, ...(total === undefined ? {} : { total: { ...total, arena } }) };
    this.world.handle(keys, agent);
    return {
      ...agent,
      limit: KeyedLimit.from(handle),
      rates: openWithClock({ ...rates.handle, arena }, this.#clock),
    };
  }

  /** A call of the first agent, which takes its slots and releases them. */
  pass(key: string): void {
    this.#asked += 1;
    this.#count(this.first.limit.runAsync(key, () => undefined, { ref: false }));
  }

  /** A call of the first agent for permits. */
  take(key: string, weight: number): void {
    this.#asked += 1;
    this.#count(this.first.rates.acquireAsync(key, weight, { ref: false }));
  }

  /** Recovers the victim, unless another agent that waited for it has done so. */
  reclaim({ context }: User): void {
    try {
      this.first.arena.reclaim(context.id);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_MISUSE')) throw failure;
    }
  }

  get isQuiet(): boolean {
    return this.ended.length === this.#asked;
  }

  /** A wake-up of a dead agent throws its death. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      try {
        await this.world.settle();
      } catch (death) {
        if (!isDeath(death)) throw death;
      }
      await new Promise((later) => setTimeout(later, 1));
    }
  }

  #count(call: Promise<void>): void {
    call.then(
      () => this.ended.push('taken'),
      (failure: unknown) => this.ended.push((failure as { readonly code: string }).code),
    );
  }
}

/** The operation of the victim. Resolves when it has ended. */
type Operation = (scene: Scene, victim: User) => unknown;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'takes slots and releases them': (_, { limit }) => {
    limit.hold('a').release();
    limit.run('b', () => limit.tryHold('a'));
  },
  'releases slots for which others wait': (scene, { limit }) => {
    const guard = limit.hold('a');
    scene.pass('a');
    scene.pass('b');
    guard.release();
  },
  'waits for both slots': async (scene, { limit }) => {
    const guard = scene.first.limit.hold('a');
    const call = limit.runAsync('a', () => undefined, { ref: false });
    const other = limit.runAsync('b', () => undefined, { ref: false });
    guard.release();
    await Promise.all([call, other]);
  },
  'times out at a slot': (scene, { limit }) => {
    const guard = scene.first.limit.hold('a');
    try {
      limit.tryHold('a', 0.01);
      limit.tryHold('b', 0.01);
    } finally {
      guard.release();
    }
  },
  'takes permits at once and at the head': (_, { rates }) => {
    rates.acquire('k', 2);
    rates.acquire('k', 1);
    rates.tryAcquire('k', 2, 100);
  },
  'waits for permits before another agent': async (scene, { rates }) => {
    while (rates.tryAcquire('k'));
    const call = rates.acquireAsync('k', 2, { ref: false });
    scene.take('k', 2);
    await call;
  },
  'blocks, rewards and resets a key for which another agent waits': (scene, { rates }) => {
    rates.block('k', 5);
    scene.take('k', 2);
    rates.penalty('k', 3);
    rates.reward('k', 2);
    rates.unblock('k');
    rates.reset('k');
    rates.consume('k');
  },
};

async function die(engine: Engine, operation: Operation, last: number): Promise<boolean> {
  const scene = new Scene(engine);
  const victim = scene.join();
  victim.life.count(DEEDS, last);
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  try {
    const call = operation(scene, victim);
    if (call instanceof Promise) call.then(end, end);
    else end();
  } catch (death) {
    if (!isDeath(death)) throw death;
  }
  await scene.until(() => isOver || victim.life.isDead);
  const hasDied = victim.life.isDead;
  victim.life.die();
  scene.reclaim(victim);
  await scene.until(() => scene.isQuiet);
  expect(scene.ended.filter((outcome) => outcome !== 'taken')).toEqual([]);
  const { limit, rates } = scene.join();
  expect(limit.inspect()).toMatchObject({ running: 0, waiters: [], keys: [] });
  for (const key of ['a', 'b']) limit.hold(key).release();
  expect(rates.tryAcquire('k', 2, 1e6)).toBe(true);
  expect(limit.inspect()).toMatchObject({ running: 0, waiters: [], keys: [] });
  expect(rates.inspect().keys.every(({ head, waiters }) => head === 0 && waiters.length === 0)).toBe(true);
  limit.free();
  rates.free();
  return hasDied;
}

test.each(
  Object.entries(OPERATIONS).flatMap(([name, operation]) =>
    (['wasm', 'js'] as const).map((engine) => [name, engine, operation] as const),
  ),
)('an agent that %s can die at any point (%s)', async (_, engine, operation) => {
  let last = 0;
  while (await die(engine, operation, last)) last += 1;
  expect(last).toBeGreaterThan(3);
});
