import { Arena, Region } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';
import { Session, soakSize } from '@sluice/harness';
import { once as emitted } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { HANGS, RETURNED, type End, type KilledData } from './jobs/once-killed.mjs';

const JOB = new URL('./jobs/once-killed.mjs', import.meta.url);
const WORKERS = 4;
const ROUNDS = soakSize(12, 600);

/** The last worker lives: it initialises if no other worker does. */
function someEnds(session: Session): End[] {
  const { random } = session;
  return [
    ...Array.from({ length: WORKERS - 1 }, () => random.pick<End>(['lives', 'exits', 'hangs', 'hangs', 'killed'])),
    'lives',
  ];
}

test('after workers are killed in an initialiser or a wait, the next worker tries, and no waiter is left behind', async () => {
  const session = new Session('onces of killed workers');
  const { random } = session;
  const arena = Arena.create({ maxPages: 16 });
  let [deaths, failures] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const once = Once.create({ arena, name: 'table' });
    const lazy = Lazy.create({ arena, name: 'value', codec: 'int32' });
    const words = Region.create(4 * (HANGS + 2 * WORKERS), { arena });
    const waits = [once.waitAsync({ timeout: 60_000 }), lazy.waitAsync({ timeout: 60_000 })];
    const ends = someEnds(session);
    const failed: unknown[] = [];
    await Promise.all(
      ends.map(async (end, index) => {
        const workerData: KilledData = { once: once.handle, lazy: lazy.handle, words: words.handle, ends, index };
        const worker = new Worker(JOB, { workerData });
        arena.watch(worker);
        worker.on('error', (failure) => failed.push(failure));
        const life = { isOver: false };
        const exit = emitted(worker, 'exit').then(() => (life.isOver = true));
        if (end === 'killed') {
          await new Promise((later) => setTimeout(later, 20 + random.below(60)));
          if (!life.isOver) deaths += 1;
          await worker.terminate();
        }
        // A worker that hangs in an initialiser is killed there. A worker that never gets to run one returns.
        while (!life.isOver) {
          if (Atomics.load(words.int32, HANGS + index) === 1) {
            deaths += 1;
            await worker.terminate();
            break;
          }
          await new Promise((later) => setTimeout(later, 1));
        }
        await exit;
      }),
    );
    const [, value] = await Promise.all(waits);
    expect(failed).toEqual([]);
    const got = ends.map((_, index) => Atomics.load(words.int32, HANGS + WORKERS + index));
    expect(got.filter((each) => each !== 0 && each !== value)).toEqual([]);
    expect(got.at(-1)).toBe(value);
    expect(Atomics.load(words.int32, RETURNED)).toBeGreaterThanOrEqual(ends.filter((end) => end === 'lives').length);
    arena.reclaimDead();
    expect([once.inspect(), lazy.inspect()]).toMatchObject([
      { state: 'done', waiters: [] },
      { state: 'done', waiters: [] },
    ]);
    failures += once.inspect().failures + lazy.inspect().failures;
    for (const primitive of [once, lazy, words]) primitive.free();
  }
  session.done(deaths, `${ROUNDS} rounds, ${failures} attempts ended by a death`);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
