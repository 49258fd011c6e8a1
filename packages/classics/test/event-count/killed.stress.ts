import { EventCount, Sequencer } from '@sluice/classics';
import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { once as emitted } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { LAST, LINE, type KilledData, type Way } from './jobs/event-count-killed.mjs';

const JOB = new URL('./jobs/event-count-killed.mjs', import.meta.url);
const ROUNDS = soakSize(4, 400);
/** The last three live. */
const WAYS: readonly Way[] = ['advances', 'advances', 'blocking', 'patient', 'blocking', 'patient', 'async'];
const DIE = WAYS.length - 3;

const turn = (): Promise<void> => new Promise((later) => setImmediate(later));

test('after workers are killed in an advance or a wait, every waiter whose value is due goes on', async () => {
  const session = new Session('event counts of killed workers');
  const arena = Arena.create({ maxPages: 16 });
  let advances = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const event = EventCount.create({ arena, name: 'written' });
    const sequencer = Sequencer.create({ arena });
    const region = Region.create(4 * LINE * WAYS.length, { arena });
    const words = region.int32;
    const failed: unknown[] = [];
    const workers = WAYS.map((way, index) => {
      const workerData: KilledData = {
        event: event.handle,
        sequencer: sequencer.handle,
        words: region.handle,
        way,
        index,
        stride: 1 + session.random.below(3),
      };
      const worker = new Worker(JOB, { workerData });
      arena.watch(worker);
      worker.on('error', (failure) => failed.push(failure));
      return { worker, exit: emitted(worker, 'exit') };
    });
    const said = (index: number): number => Atomics.load(words, index * LINE);
    // Each victim is at work before it is killed.
    const goal = 200 + session.random.below(200);
    while (WAYS.some((_, index) => said(index) === 0) || event.read() < goal) await turn();
    for (const { worker } of workers.slice(0, DIE)) await worker.terminate();
    await Promise.all(workers.slice(0, DIE).map(({ exit }) => exit));
    arena.reclaimDead();
    const count = event.read();
    advances += count;
    // No agent advances now. A waiter that a dead agent should have woken would wait for a value that was reached.
    while (WAYS.slice(DIE).some((_, index) => said(DIE + index) <= count)) await turn();
    event.advance(LAST - count);
    await Promise.all(workers.map(({ exit }) => exit));
    expect(failed).toEqual([]);
    expect(event.inspect()).toMatchObject({ count: LAST, waiters: [] });
    for (const primitive of [event, sequencer, region]) primitive.free();
  }
  session.done(advances, `${ROUNDS} rounds, ${DIE * ROUNDS} deaths`);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
