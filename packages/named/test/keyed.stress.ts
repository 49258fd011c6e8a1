// Workers lock keys of one mutex, add to words that are not atomic, and are killed. No increment is lost, no key stays
// locked, and no memory is lost.

import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { KeyedMutex } from '@sluice/named';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { KEYS, type KeysData } from './jobs/keys.mjs';
import { lockBlocks } from './support/blocks.ts';

const JOB = new URL('./jobs/keys.mjs', import.meta.url);
const WORKERS = 4;

function total(words: Int32Array): number {
  return words.reduce((sum, _, at) => sum + Atomics.load(words, at), 0);
}

test('four workers add under the locks of eight keys and lose no increment', async () => {
  const session = new Session('adding under the locks of keys');
  const arena = Arena.create({ maxPages: 64 });
  const keyed = KeyedMutex.create({ arena, name: 'keys' });
  const sums = Region.create(4 * KEYS, { arena });
  const before = lockBlocks(arena);
  const rounds = soakSize(4000, 400_000);
  const workers = Array.from({ length: WORKERS }, (_, index) => {
    const workerData: KeysData = { keyed: keyed.handle, sums: sums.handle, rounds, seed: session.seed + index };
    return once(new Worker(JOB, { workerData }), 'exit');
  });
  await Promise.all(workers);
  expect(sums.int32.reduce((sum, count) => sum + count, 0)).toBe(WORKERS * rounds);
  expect([keyed.inspect().keys, lockBlocks(arena)]).toEqual([[], before]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  session.done(WORKERS * rounds);
});

test.each(['notify', 'forget'] as const)(
  'workers that are killed with keys strand no other worker (ownerDied %s)',
  async (ownerDied) => {
    const session = new Session(`killed with keys, ${ownerDied}`);
    const arena = Arena.create({ maxPages: 64 });
    const keyed = KeyedMutex.create({ arena, name: 'keys', ownerDied });
    const sums = Region.create(4 * KEYS, { arena });
    const blocks = lockBlocks(arena);
    const rounds = soakSize(5, 300);
    let deaths = 0;
    for (let round = 0; round < rounds; round++) {
      const workers = Array.from({ length: WORKERS }, (_, index) => {
        const workerData: KeysData = {
          keyed: keyed.handle,
          sums: sums.handle,
          rounds: Infinity,
          seed: session.seed + WORKERS * round + index,
        };
        const worker = new Worker(JOB, { workerData });
        arena.watch(worker);
        return { worker, exit: once(worker, 'exit') };
      });
      // The workers have begun.
      const before = total(sums.int32);
      while (total(sums.int32) === before) await new Promise((later) => setTimeout(later, 1));
      for (const { worker, exit } of workers) {
        await new Promise((later) => setTimeout(later, 10 + session.random.below(20)));
        await worker.terminate();
        await exit;
        deaths += 1;
      }
      arena.reclaimDead();
      // Every key can be locked, whatever its owner was doing.
      for (let key = 0; key < KEYS; key++)
        await keyed.runAsync(`key ${key}`, () => undefined, {
          onOwnerDied: (guard) => guard.markConsistent(),
          timeout: 60_000,
        });
      expect(keyed.inspect().keys).toEqual([]);
      expect(lockBlocks(arena)).toBe(blocks);
    }
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    keyed.free();
    session.done(deaths, `${rounds} rounds`);
  },
);
