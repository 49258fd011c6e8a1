import { Barrier } from '@sluice/barrier';
import { Arena, Region } from '@sluice/core';
import { soakSize, Session } from '@sluice/harness';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const JOB = new URL('./jobs/parties.mjs', import.meta.url);
const WORKERS = 4;
const DEATHS = soakSize(24, 600);

test('killed parties break their generation, and the other parties continue without them', async () => {
  const session = new Session('killed parties of a barrier');
  const { random } = session;
  const arena = Arena.create({ maxPages: 16 });
  const barrier = Barrier.create(0, { arena, name: 'phase' });
  const words = Region.create(4 * (1 + 2 * WORKERS), { arena });
  const went = (index: number): number => Atomics.load(words.int32, 1 + 2 * index);
  const start = (index: number): { worker: Worker; exit: Promise<unknown>; ends: boolean } => {
    const last = random.chance(30) ? random.below(50) : undefined;
    const worker = new Worker(JOB, { workerData: { barrier: barrier.handle, words: words.handle, index, last } });
    arena.watch(worker);
    return { worker, exit: once(worker, 'exit'), ends: last !== undefined };
  };
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    for (const end = performance.now() + 60_000; !isSo(); ) {
      if (performance.now() > end) throw new Error(`${what}: ${JSON.stringify(barrier.inspect())}`);
      await new Promise((later) => setTimeout(later, 1));
    }
  };

  const group = Array.from({ length: WORKERS }, (_, index) => start(index));
  for (let deaths = 0; deaths < DEATHS; deaths++) {
    const index = deaths % WORKERS;
    const victim = group[index];
    if (victim === undefined) throw new Error('there is no such worker');
    if (!victim.ends) {
      const before = went(index);
      await until('a generation trips', () => went(index) > before || barrier.parties < 2);
      await new Promise((later) => setTimeout(later, random.below(3)));
      await victim.worker.terminate();
    }
    await victim.exit;
    arena.reclaimDead();
    // The other parties continue: another generation trips.
    const others = [...group.keys()].filter((other) => other !== index);
    const sums = others.map((other) => [other, went(other)] as const);
    await until(
      'the other parties continue',
      () => sums.some(([other, sum]) => went(other) > sum) || group.every(({ ends }, other) => other === index || ends),
    );
    group[index] = start(index);
  }
  Atomics.store(words.int32, 0, 1);
  // A worker that waits for another worker that has stopped is admitted when that worker leaves.
  await Promise.all(group.map(({ exit }) => exit));
  arena.reclaimDead();
  const broken = [...group.keys()].reduce((sum, index) => sum + Atomics.load(words.int32, 2 + 2 * index), 0);
  session.done(DEATHS, `${barrier.generation} generations, ${broken} waits threw for a broken one`);
  expect(barrier.inspect()).toMatchObject({ parties: 0, claimedBy: [], waiters: [] });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
