// Tests workers that hold several locks of several kinds at once and are killed at random moments. No worker is
// stranded, and every lock is free at the end.

import { Arena, Region, Semaphore } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { Mutex } from '@sluice/mutex';
import { KeyedMutex } from '@sluice/named';
import { RwLock } from '@sluice/rw-lock';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { COUNTED, KEYS, MUTEXES, ROUNDS, SLOTS, TOO_MANY, WORDS, type HoldAllData } from './jobs/hold-all.mjs';

const JOB = new URL('./jobs/hold-all.mjs', import.meta.url);
const WORKERS = 4;

interface Scene {
  readonly arena: Arena;
  readonly mutexes: readonly Mutex[];
  readonly keyed: KeyedMutex;
  readonly table: RwLock;
  readonly slots: Semaphore;
  readonly words: Int32Array;
  readonly dataOf: (rounds: number, seed: number) => HoldAllData;
}

function setUp(): Scene {
  const arena = Arena.create({ maxPages: 64 });
  const mutexes = Array.from({ length: MUTEXES }, (_, index) => Mutex.create({ arena, name: `mutex ${index}` }));
  const keyed = KeyedMutex.create({ arena, name: 'keys' });
  const table = RwLock.create({ arena, name: 'table' });
  const slots = Semaphore.create(SLOTS, { arena, name: 'slots' });
  const region = Region.create(4 * WORDS, { arena });
  const dataOf = (rounds: number, seed: number): HoldAllData => ({
    mutexes: mutexes.map(({ handle }) => handle),
    keyed: keyed.handle,
    table: table.handle,
    slots: slots.handle,
    words: region.handle,
    rounds,
    seed,
  });
  return { arena, mutexes, keyed, table, slots, words: region.int32, dataOf };
}

/** Repairs what dead owners left, and expects that every lock can be acquired at once. */
async function expectFree({ arena, mutexes, keyed, table, slots }: Scene): Promise<void> {
  const repaired = { onOwnerDied: (guard: { markConsistent(): void }) => guard.markConsistent(), timeout: 60_000 };
  for (const mutex of mutexes) await mutex.runAsync(() => undefined, repaired);
  for (let key = MUTEXES; key < MUTEXES + KEYS; key++) await keyed.runAsync(`key ${key}`, () => undefined, repaired);
  await table.writer.runAsync(() => undefined, repaired);
  await table.reader.runAsync(() => undefined, { timeout: 60_000 });
  expect([slots.available, keyed.inspect().keys, table.inspect().readers]).toEqual([SLOTS, [], []]);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}

test('workers that hold several locks in any order never wait for each other in a cycle, and lose no change', async () => {
  const session = new Session('several locks at once');
  const scene = setUp();
  const rounds = soakSize(3000, 200_000);
  const workers = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(JOB, { workerData: scene.dataOf(rounds, session.seed + index) }), 'exit'),
  );
  await Promise.all(workers);
  await expectFree(scene);
  expect(Atomics.load(scene.words, TOO_MANY)).toBe(0);
  const changed = [...scene.words.subarray(0, COUNTED)];
  expect(changed).toEqual([...scene.words.subarray(COUNTED, 2 * COUNTED)]);
  expect(Math.min(...changed)).toBeGreaterThan(0);
  session.done(Atomics.load(scene.words, ROUNDS));
});

test('workers that are killed while they hold several locks strand no other worker', {
  timeout: soakSize(300_000, 36_000_000),
}, async () => {
  const session = new Session('killed with several locks');
  const scene = setUp();
  const { arena, words } = scene;
  const rounds = soakSize(6, 400);
  let deaths = 0;
  for (let round = 0; round < rounds; round++) {
    const workers = Array.from({ length: WORKERS }, (_, index) => {
      const worker = new Worker(JOB, { workerData: scene.dataOf(Infinity, session.seed + WORKERS * round + index) });
      arena.watch(worker);
      return { worker, exit: once(worker, 'exit') };
    });
    for (const { worker, exit } of workers) {
      // The workers that are left work on, although others were killed.
      const before = Atomics.load(words, ROUNDS);
      while (Atomics.load(words, ROUNDS) < before + 100) await pause(1);
      await pause(session.random.below(10));
      await worker.terminate();
      await exit;
      deaths += 1;
    }
    arena.reclaimDead();
    // A permit that a dead worker counted as its own in INSIDE is not counted back.
    await expectFree(scene);
  }
  session.done(deaths, `${rounds} rounds`);
});
