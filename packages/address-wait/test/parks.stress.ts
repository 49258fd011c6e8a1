import { unpark } from '@sluice/address-wait';
import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { once as emitted } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ENDS, ID, PASSES, WORDS, type ParksData, type Way } from './jobs/parks.mjs';

const JOB = new URL('./jobs/parks.mjs', import.meta.url);
/** The words of the first row are for the end alone. */
const WAYS: readonly (Way | undefined)[] = [undefined, 'unparks', 'unparks', 'blocking', 'patient', 'async'];
const DEATHS = soakSize(10, 500);

const turn = (): Promise<void> => new Promise((later) => setImmediate(later));

test('the surviving workers go on while workers are killed in park() and unpark()', async () => {
  const session = new Session('parks of killed workers');
  const arena = Arena.create({ maxPages: 16 });
  const region = Region.create(4 * WORDS * WAYS.length, { arena });
  const words = region.int32;
  const failed: unknown[] = [];
  const begin = (way: Way, index: number): { worker: Worker; exit: Promise<unknown> } => {
    Atomics.store(words, index * WORDS + ID, 0);
    const workerData: ParksData = { arena: arena.handle, words: region.handle, way, index, workers: WAYS.length };
    const worker = new Worker(JOB, { workerData });
    arena.watch(worker);
    worker.on('error', (failure) => failed.push(failure));
    return { worker, exit: emitted(worker, 'exit') };
  };
  const group = WAYS.map((way, index) => (way === undefined ? undefined : begin(way, index)));
  const passes = (index: number): number => Atomics.load(words, index * WORDS + PASSES);
  const progress = async (): Promise<void> => {
    const before = WAYS.map((_, index) => passes(index));
    while (WAYS.some((way, index) => way !== undefined && passes(index) === before[index]) && failed.length === 0)
      await turn();
  };
  for (let death = 0; death < DEATHS; death++) {
    await progress();
    const index = 1 + session.random.below(WAYS.length - 1);
    await group[index]?.worker.terminate();
    await group[index]?.exit;
    arena.reclaimDead();
    group[index] = begin(WAYS[index] ?? 'blocking', index);
  }
  await progress();
  Atomics.store(words, ENDS, 1);
  const ends = Promise.all(group.flatMap((member) => (member === undefined ? [] : [member.exit]))).then(() => true);
  while (!(await Promise.race([ends, turn().then(() => false)])))
    for (let index = 1; index < WAYS.length; index++) {
      const id = Atomics.load(words, index * WORDS + ID);
      if (id !== 0) unpark(arena, id);
    }
  expect(failed).toEqual([]);
  arena.reclaimDead();
  session.done(
    WAYS.reduce((sum, _, index) => sum + passes(index), 0),
    `${DEATHS} deaths`,
  );
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
