// Workers that have only the arena request the same names at the same time, and are killed while they create.

import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { Mutex } from '@sluice/mutex';
import { findNamed, listNamed, named } from '@sluice/named';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { CREATED, NAMES, type NamesData } from './jobs/names.mjs';

const JOB = new URL('./jobs/names.mjs', import.meta.url);
const WORKERS = 4;

function start(
  arena: Arena,
  words: Region,
  dies: boolean,
): { readonly worker: Worker; readonly exit: Promise<unknown> } {
  const workerData: NamesData = { arena: arena.handle, words: words.handle, dies };
  const worker = new Worker(JOB, { workerData });
  arena.watch(worker);
  return { worker, exit: once(worker, 'exit') };
}

test('four workers that request 20 names at the same time get the same primitives, each created once', async () => {
  const session = new Session('names requested at the same time');
  const rounds = soakSize(3, 100);
  for (let round = 0; round < rounds; round++) {
    const arena = Arena.create({ maxPages: 64 });
    const words = Region.create(4 * (CREATED + 2 * NAMES), { arena });
    await Promise.all(Array.from({ length: WORKERS }, () => start(arena, words, false).exit));
    expect([...words.int32.subarray(CREATED, CREATED + NAMES)]).toEqual(Array(NAMES).fill(1));
    expect([...words.int32.subarray(CREATED + NAMES)]).toEqual(Array(NAMES).fill(WORKERS));
    expect(listNamed(arena).every(({ state, waiting }) => state === 'ready' && waiting === 0)).toBe(true);
  }
  session.done(rounds * WORKERS * NAMES);
});

test('a name whose creator is killed is created by the next worker', async () => {
  const session = new Session('killed creators');
  const rounds = soakSize(4, 200);
  let deaths = 0;
  for (let round = 0; round < rounds; round++) {
    const arena = Arena.create({ maxPages: 64 });
    const words = Region.create(4 * (CREATED + 2 * NAMES), { arena });
    const workers = Array.from({ length: WORKERS }, () => start(arena, words, true));
    while (Atomics.load(words.int32, CREATED) === 0) await new Promise((later) => setTimeout(later, 1));
    await new Promise((later) => setTimeout(later, session.random.below(40)));
    for (const { worker, exit } of workers) {
      await worker.terminate();
      await exit;
      deaths += 1;
    }
    arena.reclaimDead();
    for (let name = 0; name < NAMES; name++) {
      const found = findNamed(arena, `name ${name}`, Mutex);
      const mutex = named(arena, `name ${name}`, Mutex);
      if (found !== undefined) expect(mutex.handle.address).toBe(found.handle.address);
      mutex.run(() => undefined, { onOwnerDied: (guard) => guard.markConsistent() });
    }
    expect(listNamed(arena).map(({ state }) => state)).toEqual(Array(NAMES).fill('ready'));
  }
  session.done(deaths, `${rounds} rounds`);
});
