// An agent dies at every point of every operation at a rate limiter. Afterwards the line is free, and the others get
// their permits.

import { expect, test } from 'vitest';
import '../../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../../core/test/support/controller-by-hand.ts';
import type { Deed } from '../../../core/test/support/crash.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { createWithClock, openWithClock, type RateLimiter } from '../../src/rate/rate-limiter.ts';
import type { RateLimiterHandle } from '../../src/rate/handle.ts';
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

function isDeath(failure: unknown): boolean {
  return failure instanceof Error && failure.message.startsWith('dead before');
}

interface User extends Agent {
  readonly limiter: RateLimiter;
}

type Engine = 'wasm' | 'js';

/**
 * Deaths happen only between two steps, even with the kernel in TypeScript. Within a step the permit of the line may be
 * lost, as with any semaphore.
 */
const DEEDS: readonly Deed[] = ['step', 'write', 'parking'];

class Scene {
  readonly world: World;
  readonly first: User;
  readonly #handle: RateLimiterHandle;
  #now = 1000;
  /** Each reading of the clock advances it, so a sleep of these agents ends at once. */
  readonly #clock = (): number => (this.#now += 0.25);
  /** The outcomes of the calls of other agents. */
  readonly ended: string[] = [];

  constructor(engine: Engine) {
    this.world = new World({ engine });
    const agent = this.world.join();
    const limiter = createWithClock({ permits: 1, interval: 1, burst: 2, arena: agent.arena }, this.#clock);
    this.first = { ...agent, limiter };
    this.#handle = limiter.handle;
  }

  join(): User {
    const agent = this.world.join();
    this.world.handle(this.#handle.line, agent);
    return { ...agent, limiter: openWithClock(asOf(agent.arena.id, this.#handle), this.#clock) };
  }

  /** A call of another agent that has to wait. */
  wait(weight = 1): void {
    const { limiter } = this.first;
    while (limiter.tryAcquire());
    limiter.acquireAsync(weight, { ref: false }).then(
      () => this.ended.push('taken'),
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
type Operation = (scene: Scene, victim: User) => unknown;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'takes permits at once and at the head': (_, { limiter }) => {
    limiter.acquire(2);
    limiter.acquire(1);
    limiter.tryAcquire(2, 100);
  },
  'times out at the head': (_, { limiter }) => {
    limiter.acquire(2);
    limiter.tryAcquire(2, 0.001);
  },
  'waits behind another agent': async (scene, { limiter }) => {
    scene.wait(2);
    await limiter.acquireAsync(2, { ref: false });
  },
  'waits ahead of another agent, and is aborted behind it': async (scene, { limiter }) => {
    limiter.acquire(2);
    const head = limiter.acquireAsync(2, { ref: false }).catch(() => undefined);
    scene.wait();
    const leave = new ControllerByHand();
    const late = limiter.acquireAsync(1, { ref: false, signal: leave.signal as never }).catch(() => undefined);
    await scene.settle();
    leave.abort();
    await Promise.all([head, late]);
  },
  'books, and cancels while another agent waits': (scene, { limiter }) => {
    // The bookings' times do not come during the operation.
    for (let booking = 0; booking < 5; booking++) limiter.reserve(2);
    const [first, second] = [limiter.reserve(), limiter.reserve(2)];
    scene.wait();
    second.cancel();
    first.cancel();
  },
};

async function die(engine: Engine, operation: Operation, last: number): Promise<boolean> {
  const scene = new Scene(engine);
  const victim = scene.join();
  const others = scene.ended;
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
  const waits = scene.first.limiter.waiting;
  victim.life.die();
  scene.first.arena.reclaim(victim.context.id);
  // The calls of the other agents end, and the line is free.
  await scene.until(() => scene.first.limiter.waiting === 0);
  expect(
    others.filter((end) => end !== 'taken'),
    `${waits} waited`,
  ).toEqual([]);
  const probe = scene.join();
  expect(probe.limiter.tryAcquire(2, 1e6)).toBe(true);
  expect(probe.limiter.inspect()).toMatchObject({ waiters: [], abandoned: 0 });
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

test('an agent that dies while it closes leaves the limiter open or closed, and another close ends all calls', async () => {
  let last = 0;
  for (let hasDied = true; hasDied; last++) {
    const scene = new Scene('wasm');
    const victim = scene.join();
    scene.wait();
    scene.wait();
    victim.life.count(DEEDS, last);
    try {
      victim.limiter.close();
    } catch {
      // The agent's death.
    }
    hasDied = victim.life.isDead;
    victim.life.die();
    scene.first.arena.reclaim(victim.context.id);
    scene.first.limiter.close();
    await scene.until(() => scene.ended.length === 2);
    expect(scene.ended.every((end) => end === 'SLUICE_CLOSED' || end === 'taken')).toBe(true);
    expect(scene.first.limiter.inspect()).toMatchObject({ state: 'closed', waiters: [] });
    scene.first.limiter.free();
  }
  expect(last).toBeGreaterThan(2);
});
