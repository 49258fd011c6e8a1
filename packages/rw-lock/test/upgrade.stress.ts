import { Arena, Region } from '@sluice/core';
import { scale, Session, withWorkers } from '@sluice/harness';
import { RwLock } from '@sluice/rw-lock';
import { expect, test } from 'vitest';
import { mix, type UpgradeData } from './jobs/upgrade.mjs';

const jobs = new URL('./jobs/upgrade.mjs', import.meta.url);

test.each([
  ['turns', 2],
  ['fifo', 4],
] as const)('no agent writes between the read and the write of an upgrade (%s, %i workers)', async (order, workers) => {
  const session = new Session(`upgrades, ${order}`);
  const arena = Arena.create({ maxPages: 16 });
  const lock = RwLock.create({ arena, name: 'pair', order, upgradeable: true });
  const words = Region.create(8, { arena });
  const rounds = scale(2000);
  const data: UpgradeData = { lock: lock.handle, words: words.handle, rounds };
  const changes = await withWorkers({ jobs, seed: session.seed, dump: () => lock.inspect() }, async (group) => {
    group.start<number>(workers, mix.name, () => data);
    return group.results<number>();
  });
  const total = changes.reduce((sum, count) => sum + count, 0);
  session.done(rounds * workers, `${total} changes`);
  expect([...words.int32]).toEqual([total, total]);
  expect(lock.inspect()).toMatchObject({
    writer: 0,
    upgradeable: 0,
    readers: [],
    waitingReaders: [],
    waitingWriters: [],
  });
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  lock.free();
});
