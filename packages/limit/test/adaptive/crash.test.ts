// An agent dies at every point while it adds samples, changes the size, or has waiting calls. Another agent acts at
// every point in between. Afterwards the size is the estimated one, the lock is free, and no place is lost.

import { describe, expect, test } from 'vitest';
import '../../../core/test/support/crash-injection.ts';
import type { Deed } from '../../../core/test/support/crash.ts';
import { World, type Agent } from '../../../core/test/support/crash-world.ts';
import { Control } from '../../src/control/control.ts';
import type { Tuner } from '../../src/adaptive/tuner.ts';
import { createLimit, type Limit, type LimitHandle } from '../../src/index.ts';
import { sizedParts } from '../../src/slots/open.ts';
import { SizedSlots } from '../../src/slots/sized-slots.ts';
import { asOf } from '../support/agents.ts';
import { ignoreLateDeaths, isDeath, tolerate } from '../support/deaths.ts';
import { Stage } from '../support/gate.ts';
import '../support/kernel.ts';

const DEEDS: readonly Deed[] = ['step', 'write', 'parking'];

interface User extends Agent {
  readonly limit: Limit;
  readonly slots: SizedSlots;
  readonly tuner: Tuner;
}

class Scene {
  readonly world: World;
  readonly first: User;
  readonly #handle: LimitHandle;

  constructor(engine: 'wasm' | 'js', initial: number) {
    this.world = new World({ engine });
    const agent = this.world.join();
    const limit = createLimit({ adaptive: { min: 1, max: 8, initial }, maxWaiting: 2, arena: agent.arena });
    this.#handle = limit.handle;
    this.first = this.#opened(agent);
  }

  join(): User {
    return this.#opened(this.world.join());
  }

  #opened(agent: Agent): User {
    this.world.handle(this.#handle.slots, agent);
    const handle = asOf(agent.arena.id, this.#handle);
    const { semaphore, word } = sizedParts(handle);
    const slots = new SizedSlots(semaphore, word);
    const tuner = Control.from(handle.control, slots).tuner(slots, () => 0, undefined) as Tuner;
    return { ...agent, slots, tuner, limit: createLimit.from(handle) };
  }

  /** A call that takes all slots, and ends after 10 ms. */
  static call({ tuner, slots }: User, ms = 10): void {
    const taken = Array.from({ length: 8 }, () => slots.tryTake()).filter(Boolean).length;
    tuner.ended(tuner.epoch, ms);
    for (let slot = 0; slot < taken; slot++) slots.giveBack();
  }

  bury(user: User): void {
    user.life.die();
    this.first.arena.reclaim(user.context.id);
  }

  /** The estimate is within its bounds, the size follows it, and further calls change it. */
  expectRest(): void {
    const { limit } = this.first;
    // As many as an agent collects before it adds them, and repairs the size if it has to.
    for (let call = 0; call < 8; call++) Scene.call(this.first);
    const { concurrency, adaptive } = limit.inspect();
    expect(concurrency).toBe(Math.floor(adaptive?.estimate as number));
    expect(concurrency).toBeGreaterThanOrEqual(1);
    expect(concurrency).toBeLessThanOrEqual(8);
    // Without the lock it would stay as it is.
    for (let call = 0; call < 200; call++) Scene.call(this.first);
    expect(limit.inspect()).toMatchObject({ concurrency: 8, activeCount: 0, adaptive: { estimate: 8, baseline: 10 } });
  }
}

ignoreLateDeaths();

describe.each(['wasm', 'js'] as const)('with the engine %s', (engine) => {
  test.each([
    ['adds samples', 1, 4, 10],
    ['raises the size', 1, 30, 10],
    ['begins a probe', 4, 30, 10],
  ])('an agent that %s can die at any point', (_, initial, before, ms) => {
    let hasDied = true;
    let last = 0;
    for (; hasDied; last++) {
      const scene = new Scene(engine, initial);
      for (let call = 0; call < before; call++) Scene.call(scene.first);
      const victim = scene.join();
      victim.life.count(DEEDS, last);
      tolerate(() => {
        for (let call = 0; call < 2; call++) Scene.call(victim, ms);
      });
      hasDied = victim.life.isDead;
      scene.bury(victim);
      scene.expectRest();
    }
    expect(last).toBeGreaterThan(8);
  });

  test('another agent can add its samples at any point at which an agent raises the size', () => {
    let isOver = false;
    let at = 0;
    for (; !isOver; at++) {
      const scene = new Scene(engine, 1);
      for (let call = 0; call < 30; call++) Scene.call(scene.first);
      const one = scene.join();
      const other = scene.join();
      let count = 0;
      let isInside = false;
      isOver = true;
      one.life.between = () => {
        if (isInside || count++ !== at) return;
        isInside = true;
        isOver = false;
        for (let call = 0; call < 4; call++) other.tuner.ended(other.tuner.epoch, 10);
        isInside = false;
      };
      for (let call = 0; call < 2; call++) Scene.call(one);
      one.life.between = undefined;
      const { concurrency, adaptive } = scene.first.limit.inspect();
      // One of the two agents completed the window, once.
      expect([concurrency, adaptive?.estimate]).toEqual([2, 2]);
      expect(adaptive?.samples).toBeLessThanOrEqual(4);
      scene.expectRest();
    }
    expect(at).toBeGreaterThan(10);
  });
});

test.each([1, 2, 3])('the places of an agent that dies with %i waiting calls are free again', async (calls) => {
  let hasDied = true;
  let last = 0;
  for (; hasDied; last++) {
    const scene = new Scene('wasm', 1);
    const stage = new Stage();
    const play = async (user: User, count: number): Promise<unknown[]> => {
      const failures: unknown[] = [];
      for (let call = 0; call < count; call++)
        user.limit(stage.play, `${user.context.id} ${call}`).catch((failure: unknown) => failures.push(failure));
      await scene.world.settle();
      return failures;
    };
    await play(scene.first, 1);
    const victim = scene.join();
    victim.life.count(DEEDS, last);
    for (let call = 0; call < calls; call++) void victim.limit(stage.play, 'victim').catch(() => undefined);
    try {
      await scene.world.settle();
    } catch (death) {
      if (!isDeath(death)) throw death;
    }
    hasDied = victim.life.isDead;
    scene.bury(victim);
    await scene.world.settle();
    // One call runs already, so two may wait, and a third is shed.
    const failures = await play(scene.first, 3);
    expect(failures).toMatchObject([{ code: 'SLUICE_OVERLOADED' }]);
    expect(scene.first.limit.inspect()).toMatchObject({ activeCount: 1, pendingCount: 2 });
  }
  expect(last).toBeGreaterThan(3);
});
