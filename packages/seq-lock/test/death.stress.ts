import { Arena } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { SeqLock } from '@sluice/seq-lock';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { KilledData } from './jobs/killed.mjs';
import { fill, next, numberIn } from './jobs/value.mjs';

const JOB = new URL('./jobs/killed.mjs', import.meta.url);
const WRITERS = 3;
const ROUNDS = soakSize(6, 600);
const turn = (): Promise<void> => new Promise((later) => setTimeout(later, 1));

// Large values, so that most writers die within a write.
test.each([4096, 24])(
  'workers that are killed while they write leave a whole value and block no other worker (%i bytes)',
  async (byteLength) => {
    const session = new Session(`workers killed at a seq-lock of ${byteLength} bytes`);
    const { random } = session;
    const arena = Arena.create({ maxPages: 16 });
    const lock = SeqLock.create({ arena, name: 'value', byteLength });
    lock.write((value) => fill(value, 0));
    const errors: unknown[] = [];
    const start = (writes: boolean): { worker: Worker; exit: Promise<unknown> } => {
      const workerData: KilledData = { lock: lock.handle, writes };
      const worker = new Worker(JOB, { workerData });
      worker.on('error', (error) => errors.push(error));
      arena.watch(worker);
      return { worker, exit: once(worker, 'exit') };
    };
    let deaths = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const reader = start(false);
      const writers = Array.from({ length: WRITERS }, () => start(true));
      const begin = lock.version;
      while (lock.version < begin + 100 && errors.length === 0) await turn();
      for (const [index, { worker, exit }] of writers.entries()) {
        await new Promise((later) => setTimeout(later, random.below(5)));
        await worker.terminate();
        await exit;
        deaths += 1;
        // This holds before the recovery and after it.
        const found = lock.read(numberIn);
        arena.reclaimDead();
        expect(lock.read(numberIn)).toBeGreaterThanOrEqual(found);
        // The other workers make progress, and so does this thread.
        const version = lock.version;
        while (index < WRITERS - 1 && lock.version < version + 3 && errors.length === 0) await turn();
        if (index === WRITERS - 1) {
          const last = lock.read(numberIn);
          expect(await lock.updateAsync(next, { timeout: 60_000 })).toBe(last + 1);
        }
      }
      await reader.worker.terminate();
      await reader.exit;
      arena.reclaimDead();
      expect(errors).toEqual([]);
    }
    session.done(deaths, `${ROUNDS} rounds, ${lock.version} writes`);
    expect(lock.inspect()).toMatchObject({ owner: 0, waiters: [], abandoned: 0 });
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    lock.free();
  },
);
