import { Arena, Region } from '@sluice/core';
import { scale, Session, shortOf, startWorker, withCrew, type Message } from '@sluice/harness';
import { TaskQueue } from '@sluice/limit';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { MOST, RAN, RUNNING, WORDS } from './jobs/share.mjs';
import { hang, work, type TasksData } from './jobs/tasks.mjs';

const jobs = new URL('./jobs/tasks.mjs', import.meta.url);
const WORKERS = 4;

test.each([1, 3])(
  'four workers share a task queue with concurrency %i, pause and start it: at most that many functions run, and every task settles',
  async (concurrency) => {
    const session = new Session(`a task queue of four workers, ${concurrency} at a time`);
    const arena = Arena.create({ maxPages: 1024 });
    const queue = TaskQueue.create({ concurrency, arena, name: 'shared' });
    const region = Region.create(4 * WORDS, { arena });
    const words = region.int32;
    const calls = shortOf(2000);
    const dump = (): unknown => ({ queue: queue.inspect(), words });
    const ran = await withCrew({ jobs, seed: session.seed, dump }, async (crew) => {
      crew.start<number>(WORKERS, work.name, (): TasksData => ({ queue: queue.handle, words: region.handle, calls }));
      return crew.results<number>();
    });
    const total = ran.reduce((sum, count) => sum + count, 0);
    session.done(WORKERS * calls, `${total} ran, at most ${words[MOST]} at a time`);
    expect([words[RUNNING], words[RAN]]).toEqual([0, total]);
    expect(words[MOST]).toBe(concurrency);
    expect(queue.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, holders: [], waiters: [] });
    queue.free();
  },
);

test('the tasks of a killed worker leave the queue, and a caller that waits until it is idle is told', async () => {
  const session = new Session('a worker with tasks is killed');
  const arena = Arena.create({ maxPages: 64 });
  const rounds = scale(5);
  for (let round = 0; round < rounds; round++) {
    const queue = TaskQueue.create({ concurrency: 3, arena });
    const region = Region.create(4 * WORDS, { arena });
    const data: TasksData = { queue: queue.handle, words: region.handle, calls: 5 };
    const worker = startWorker({ module: jobs.href, job: hang.name, data, index: round, seed: session.seed });
    const reclaimed = new Promise<unknown>((resolve) => arena.watch(worker, { onReclaim: resolve }));
    expect(await once(worker, 'message')).toEqual([{ kind: 'said', word: 'hangs' } satisfies Message]);
    expect([queue.size, queue.pending]).toEqual([2, 3]);
    const next = queue.addAll([1, 2, 3, 4].map((n) => () => n));
    const idle = queue.onIdle();
    expect(queue.size).toBe(6);
    await worker.terminate();
    expect(await next).toEqual([1, 2, 3, 4]);
    await Promise.all([idle, reclaimed]);
    expect([queue.size, queue.pending]).toEqual([0, 0]);
    queue.free();
    region.free();
  }
  session.done(rounds);
});

test('a caller that waits until the queue is idle is told when the last worker with tasks dies', async () => {
  const arena = Arena.create({ maxPages: 64 });
  const queue = TaskQueue.create({ concurrency: 3, arena });
  const region = Region.create(4 * WORDS, { arena });
  const data: TasksData = { queue: queue.handle, words: region.handle, calls: 5 };
  const worker = startWorker({ module: jobs.href, job: hang.name, data, index: 0, seed: 1 });
  arena.watch(worker);
  await once(worker, 'message');
  const ends = Promise.all([queue.onIdle(), queue.onEmpty(), queue.onPendingZero(), queue.onSizeLessThan(1)]);
  await worker.terminate();
  await ends;
  expect([queue.size, queue.pending]).toEqual([0, 0]);
  queue.free();
});
