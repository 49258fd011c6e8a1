// An agent dies at every point of every operation at a limit with an interval. Afterwards the calls of the others
// start, and the count is right.

import { byDepth } from '@sluice/harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../core/test/support/controller-by-hand.ts';
import type { Deed } from '../../core/test/support/crash.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import type { Limit, LimitHandle } from '../src/index.ts';
import { createIntervalLimit, openIntervalLimit } from '../src/interval/open-interval.ts';
import { asOf } from './support/agents.ts';
import './support/kernel.ts';

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

/**
 * Code of a dead agent that continues after an `await` throws the agent's death, too. This is not a failure of the
 * test.
 */
const others = process.listeners('unhandledRejection');
const passOn = (failure: unknown, promise: Promise<unknown>): void => {
  if (!isDeath(failure)) for (const listener of others) listener(failure, promise);
};
beforeAll(() => {
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', passOn);
});
afterAll(() => {
  process.off('unhandledRejection', passOn);
  for (const listener of others) process.on('unhandledRejection', listener);
});

function isDeath(failure: unknown): boolean {
  return failure instanceof Error && failure.message.startsWith('dead before');
}

interface User extends Agent {
  readonly limit: Limit;
}

type Engine = 'wasm' | 'js';

/**
 * Deaths happen only between two kernel steps, even with the kernel in TypeScript. Within a step the permit of the line
 * may be lost, as with any semaphore.
 */
const DEEDS: readonly Deed[] = ['step', 'write', 'parking'];
const CAP = 2;

class Scene {
  readonly world: World;
  readonly first: User;
  readonly #handle: LimitHandle;
  #now = 1000;
  /** Each reading of the clock advances it, so a sleep of these agents ends at once. */
  readonly #clock = (): number => (this.#now += 0.1);
  /** The outcomes of the calls of other agents. */
  readonly ended: string[] = [];

  constructor(engine: Engine, strict: boolean) {
    this.world = new World({ engine });
    const agent = this.world.join();
    const limit = createIntervalLimit(
      { concurrency: 2, interval: 1, intervalCap: CAP, strict, arena: agent.arena },
      this.#clock,
    );
    this.first = { ...agent, limit };
    this.#handle = limit.handle;
  }

  join(): User {
    const agent = this.world.join();
    this.world.handle(this.#handle.slots, agent);
    return { ...agent, limit: openIntervalLimit(asOf(agent.arena.id, this.#handle), {}, this.#clock) };
  }

  /** A call of another agent. */
  call(): void {
    this.first.limit
      .run(() => undefined, { ref: false })
      .then(
        () => this.ended.push('ran'),
        (failure: unknown) => this.ended.push((failure as { readonly code: string }).code),
      );
  }

  /** A wake-up of a dead agent throws its death. */
  async settle(): Promise<void> {
    try {
      await this.world.settle();
    } catch (death) {
      if (!isDeath(death)) throw death;
    }
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await this.settle();
      await new Promise((later) => setTimeout(later, 1));
    }
  }
}

/** The operation of the victim. Resolves when it has ended. */
type Operation = (scene: Scene, victim: User) => Promise<unknown>;

const run = (limit: Limit): Promise<unknown> => limit.run(() => undefined, { ref: false });

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'starts calls at once and at the head': (_, { limit }) =>
    Promise.all([run(limit), run(limit), run(limit), run(limit)]),
  'waits behind another agent': (scene, { limit }) => {
    for (let call = 0; call < 4; call++) scene.call();
    return run(limit);
  },
  'waits ahead of another agent': (scene, { limit }) => {
    const calls = [run(limit), run(limit), run(limit)];
    scene.call();
    scene.call();
    return Promise.all(calls);
  },
  'is aborted at the head': async (scene, { limit }) => {
    const leave = new ControllerByHand();
    const calls = [run(limit), run(limit)];
    const late = limit.run(() => undefined, { ref: false, signal: leave.signal as never }).catch(() => undefined);
    scene.call();
    leave.abort();
    await Promise.all([...calls, late]);
  },
  'raises the concurrency while calls wait': async (scene, { limit }) => {
    for (let call = 0; call < 3; call++) scene.call();
    limit.concurrency = 3;
    await run(limit);
    limit.concurrency = 2;
  },
};

async function die(engine: Engine, strict: boolean, operation: Operation, last: number): Promise<boolean> {
  const scene = new Scene(engine, strict);
  const victim = scene.join();
  victim.life.count(DEEDS, last);
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  try {
    operation(scene, victim).then(end, end);
  } catch (death) {
    if (!isDeath(death)) throw death;
  }
  await scene.until(() => isOver || victim.life.isDead);
  const hasDied = victim.life.isDead;
  victim.life.die();
  scene.first.arena.reclaim(victim.context.id);
  // The calls of the other agents run, and the line is free.
  await scene.until(() => scene.first.limit.pendingCount === 0 && scene.first.limit.activeCount === 0);
  expect(scene.ended.filter((how) => how !== 'ran')).toEqual([]);
  const probe = scene.join();
  let began = 0;
  const calls = Array.from({ length: 3 * CAP }, () => probe.limit.run(() => void (began += 1), { ref: false }));
  await scene.until(() => began === calls.length);
  await Promise.all(calls);
  expect(probe.limit.inspect()).toMatchObject({ activeCount: 0, waiters: [], abandoned: 0 });
  return hasDied;
}

/**
 * A short run cuts each operation at every third point. Over all engines and modes it cuts at each point at least once.
 */
const STEP = byDepth({ quick: 3, ci: 3, full: 1 });
const FIRST: Readonly<Record<string, number>> = STEP === 1 ? {} : { 'wasm true': 1, 'js false': 2 };

test.each(
  Object.entries(OPERATIONS).flatMap(([name, operation]) =>
    (['wasm', 'js'] as const).flatMap((engine) =>
      [false, true].map((strict) => [name, engine, strict, operation] as const),
    ),
  ),
)('an agent that %s can die at any point (%s, strict: %s)', async (_, engine, strict, operation) => {
  let last = FIRST[`${engine} ${strict}`] ?? 0;
  while (await die(engine, strict, operation, last)) last += STEP;
  expect(last).toBeGreaterThan(3);
});

test('an agent that dies while it closes leaves the limit open or closed, and another close ends all calls', async () => {
  let last = 0;
  for (let hasDied = true; hasDied; last++) {
    const scene = new Scene('wasm', false);
    const victim = scene.join();
    for (let call = 0; call < CAP + 2; call++) scene.call();
    victim.life.count(DEEDS, last);
    try {
      victim.limit.close();
    } catch {
      // The agent's death.
    }
    hasDied = victim.life.isDead;
    victim.life.die();
    scene.first.arena.reclaim(victim.context.id);
    scene.first.limit.close();
    await scene.until(() => scene.ended.length === CAP + 2);
    expect(scene.ended.every((how) => how === 'SLUICE_CLOSED' || how === 'ran')).toBe(true);
    expect(scene.first.limit.inspect()).toMatchObject({ state: 'closed', waiters: [] });
    scene.first.limit.free();
  }
  expect(last).toBeGreaterThan(2);
});
