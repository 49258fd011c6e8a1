import { Arena, Region } from '@sluice/core';
import { scale, Session, startWorker, type Message } from '@sluice/harness';
import { createLimit } from '@sluice/limit';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { hang, RUNNING, WORDS, type ShareData } from './jobs/share.mjs';

const module = new URL('./jobs/share.mjs', import.meta.url).href;

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test('the slots of a killed worker go to waiting calls', async () => {
  const session = new Session('killed inside');
  const arena = Arena.create({ maxPages: 16 });
  const limit = createLimit({ concurrency: 3, arena, name: 'shared' });
  const region = Region.create(4 * WORDS, { arena });
  const words = region.int32;
  const rounds = scale(5);
  for (let round = 0; round < rounds; round++) {
    Atomics.store(words, RUNNING, 0);
    const data: ShareData = { limit: limit.handle, words: region.handle, calls: 5 };
    const worker = startWorker({ module, job: hang.name, data, index: round, seed: session.seed });
    const reclaimed = new Promise<unknown>((resolve) => arena.watch(worker, { onReclaim: resolve }));
    expect(await once(worker, 'message')).toEqual([{ kind: 'said', word: 'hangs' } satisfies Message]);
    await until(() => Atomics.load(words, RUNNING) === 3);
    expect(limit.inspect()).toMatchObject({ activeCount: 3, pendingCount: 2 });
    const next = Promise.all([1, 2, 3, 4].map((n) => limit(() => n)));
    expect([limit.activeCount, limit.pendingCount, limit.inspect().pendingCount]).toEqual([0, 4, 6]);
    await worker.terminate();
    expect(await next).toEqual([1, 2, 3, 4]);
    expect(await reclaimed).toMatchObject({ permits: [{ name: 'shared', permits: 3 }], ticketsWithdrawn: 1 });
    expect(limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, holders: [], waiters: [] });
  }
  session.done(rounds);
  limit.free();
});

test('after workers were killed that ran functions and set the concurrency, the number of slots is the one last set', async () => {
  const session = new Session('killed anywhere');
  const arena = Arena.create({ maxPages: 64 });
  const limit = createLimit({ concurrency: 4, arena });
  const region = Region.create(4 * WORDS, { arena });
  const deaths = scale(15);
  for (let death = 0; death < deaths; death++) {
    const data = { limit: limit.handle, words: region.handle, calls: 1_000_000, most: 6 };
    const workers = [0, 1].map((index) =>
      startWorker({ module, job: 'resize', data, index, seed: session.seed + death }),
    );
    const reclaimed = workers.map(
      (worker) => new Promise<unknown>((resolve) => arena.watch(worker, { onReclaim: resolve })),
    );
    // Until both are well under way.
    await Promise.all(workers.map((worker) => once(worker, 'online')));
    await until(() => arena.inspect().agents.length === 3);
    for (let calls = session.random.below(40); calls > 0; calls--) await limit(() => undefined);
    await Promise.all(workers.map((worker) => worker.terminate()));
    await Promise.all(reclaimed);
    // The end of a call repairs the number of slots that dead workers left.
    await limit(() => undefined);
    const { concurrency } = limit;
    const gate = new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, async () =>
        limit(async () => {
          most = Math.max(most, ++running);
          await gate;
          running -= 1;
        }),
      ),
    );
    expect(most).toBe(concurrency);
  }
  session.done(2 * deaths);
  limit.free();
});
