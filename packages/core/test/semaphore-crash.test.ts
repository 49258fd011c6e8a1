// Tests crashes of agents that use semaphores, regions and the heap. With the engine 'js' a death within a step can
// lose a permit, but it never creates one.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { Region } from '../src/index.ts';
import { crashSuite } from './support/crash-suite.ts';
import { lineOperations } from './support/crash-lines.ts';
import { memoryOperations } from './support/crash-memory.ts';
import { handOperations, rareOperations } from './support/crash-rarities.ts';
import { releaseOperations } from './support/crash-releases.ts';
import { ALL_DEEDS } from './support/crash-run.ts';
import { outlives, Stage } from './support/crash-stage.ts';

const inside = [...lineOperations, ...releaseOperations, ...rareOperations];
const operations = [...memoryOperations, ...inside];

crashSuite({
  operations,
  holdings: handOperations,
  inside,
  asked: [...operations, ...handOperations].filter(({ joins }) => joins !== true),
  // A release that is followed by a notification has admitted the waiter itself.
  covers: ['goToSleep, wait', 'goToSleep, walk', 'endWait', 'release, notify', 'release, walk'],
});

test.each(['wasm', 'js'] as const)(
  'a series of deaths in one arena takes no more memory than the first few (%s)',
  async (engine) => {
    const stage = new Stage({ joins: true }, engine);
    const ours = stage.shadowUser(2);
    const used: number[] = [];
    for (let round = 0; round < 4; round++) {
      for (let deed = 0, lived = false; !lived; deed++) {
        const victim = stage.world.join();
        const act = async (): Promise<void> => {
          const sem = stage.openAs(ours, victim);
          sem.acquire(2);
          const waits = Array.from({ length: 9 }, () => sem.acquireAsync(1, { ref: false }).catch(() => undefined));
          sem.release(2);
          await stage.settle();
          sem.release(2);
          await Promise.race(waits);
        };
        lived = await outlives(victim.life, act, ALL_DEEDS, deed);
        victim.life.die();
        expect(stage.living.arena.reclaimDead().map(({ agent }) => agent)).toEqual([victim.context.id]);
        await stage.settle();
        expect(ours.sem.available).toBe(2);
      }
      used.push(stage.living.arena.inspect().used);
    }
    expect(used).toEqual(used.map(() => used[0]));
    expect(stage.living.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  },
);

test('an agent that dies while it extends the heap is recovered, and so are agents that die later', async () => {
  const { life, victim, reclaimer, third } = new Stage({}, 'js');
  expect(await outlives(life, () => Region.create(100, { arena: victim.arena }), ['inner'], 1)).toBe(false);
  expect(reclaimer.arena.reclaim(victim.context.id)).toMatchObject({ agent: victim.context.id });
  third.life.die();
  expect(reclaimer.arena.reclaimDead()).toMatchObject([{ agent: third.context.id }]);
});
