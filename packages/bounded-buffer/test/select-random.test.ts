// Random selections over random sources, with aborts and timeouts at any moment: each value comes out once, and no
// permit is lost.

import { AutoResetEvent } from '@sluice/auto-reset-event';
import { jsAutoResetEvent } from '@sluice/auto-reset-event/js';
import { Arena, Semaphore, type SluiceError } from '@sluice/core';
import { scale, Session, type Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { engineNamed, useJsKernel } from '../../core/test/support/engines.ts';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer } from '../src/index.ts';
import { select, selectAsync, type Source } from '../src/select.ts';
import { expectQuiet } from './support/rest.ts';
import './support/arena-kinds.ts';

useJsKernel(jsAutoResetEvent);

const PERMITS = 3;

/** All sources, and the values that were pushed to and taken from each. */
class Scene {
  readonly buffers: readonly BoundedBuffer<number>[];
  readonly semaphores: readonly Semaphore[];
  readonly event: AutoResetEvent;
  readonly put: readonly number[][];
  readonly taken: readonly number[][];
  held = 0;
  consumed = 0;
  #next = 0;

  constructor(arena: Arena, random: Random) {
    this.buffers = [1, 2, 5].map((capacity) =>
      BoundedBuffer.create({ arena, codec: 'int32', capacity: capacity + random.below(2) }),
    );
    this.semaphores = [0, 1].map(() => Semaphore.create(PERMITS, { arena, max: PERMITS }));
    this.event = AutoResetEvent.create({ arena });
    this.put = this.buffers.map(() => []);
    this.taken = this.buffers.map(() => []);
  }

  /** A source, and the effect of its win. */
  source(random: Random): readonly [Source<unknown>, (value: unknown) => void] {
    const n = random.below(this.buffers.length);
    const buffer = this.buffers[n] as BoundedBuffer<number>;
    const semaphore = random.pick(this.semaphores);
    switch (random.below(6)) {
      case 0: {
        const value = (this.#next += 1);
        return [select.put(buffer, value), () => void this.put[n]?.push(value)];
      }
      case 1: {
        const permits = random.between(1, 2);
        return [select.acquire(semaphore, permits), () => this.#hold(semaphore, permits)];
      }
      case 2:
        return [select.wait(this.event), () => void (this.consumed += 1)];
      default:
        return [select.take(buffer), (value) => void this.taken[n]?.push(value as number)];
    }
  }

  async #giveBackLater(semaphore: Semaphore, permits: number): Promise<void> {
    await turn();
    this.held -= permits;
    semaphore.release(permits);
  }

  #hold(semaphore: Semaphore, permits: number): void {
    this.held += permits;
    void this.#giveBackLater(semaphore, permits);
  }
}

async function selector(scene: Scene, random: Random, rounds: number, isOver: () => boolean): Promise<void> {
  for (let round = 0; round < rounds && !isOver(); round++) {
    const chosen = Array.from({ length: random.between(1, 4) }, () => scene.source(random));
    const controller = new AbortController();
    const options = {
      signal: controller.signal,
      ...(random.chance(30) ? { timeout: random.below(2) } : {}),
      order: random.pick(['random', 'listed'] as const),
    };
    const selected = selectAsync(
      chosen.map(([source]) => source),
      options,
    ).then(
      ({ key, value }) => chosen[key]?.[1](value),
      (failure: unknown) =>
        expect(['enough', 'SLUICE_TIMEOUT']).toContain((failure as Partial<SluiceError>).code ?? failure),
    );
    if (random.chance(70)) {
      for (let ticks = random.below(12); ticks > 0; ticks--) await Promise.resolve();
      if (random.chance(50)) await turn();
      controller.abort('enough');
    }
    await selected;
  }
}

/** Calls beside the selections, so that no selection waits forever. */
async function others(scene: Scene, random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    for (const [n, buffer] of scene.buffers.entries()) {
      const value = random.chance(40) ? buffer.tryPop() : undefined;
      if (value !== undefined) scene.taken[n]?.push(value);
      const extra = -1 - random.below(1000);
      if (random.chance(40) && buffer.tryPush(extra)) scene.put[n]?.push(extra);
    }
    if (random.chance(30)) scene.event.signal();
    await turn();
  }
}

test.each(['wasm', 'js'] as const)('random selections lose and double nothing (%s)', async (engine) => {
  const session = new Session(`random selections (${engine})`);
  const { random } = session;
  const scene = new Scene(Arena.create({ engine: engineNamed(engine), maxPages: 64 }), random);
  const rounds = scale(150);
  let left = 6;
  let isOver = false;
  const selectors = Array.from({ length: left }, () =>
    selector(scene, random.fork(), rounds, () => isOver).then(() => (left -= 1)),
  );
  const beside = others(scene, random.fork(), () => left === 0);
  await Promise.all(selectors);
  isOver = true;
  await beside;
  while (scene.held > 0) await turn();
  for (const [n, buffer] of scene.buffers.entries()) {
    scene.taken[n]?.push(...buffer.tryPopMany());
    expect([buffer.pushed, buffer.popped]).toEqual([scene.put[n]?.length, scene.put[n]?.length]);
    // Continuations of selections may run in another order than their values moved, so compare sets.
    expect(scene.taken[n]?.toSorted((one, other) => one - other)).toEqual(
      scene.put[n]?.toSorted((one, other) => one - other),
    );
    expectQuiet(buffer);
  }
  for (const semaphore of scene.semaphores) expect([semaphore.available, semaphore.waiting]).toEqual([PERMITS, 0]);
  expect(scene.event.waiting).toBe(0);
  session.done(6 * rounds, `${scene.taken.flat().length} values, ${scene.consumed} signals`);
});
