// Streams over real workers that die: of their items, and terminated at certain outputs. Beside a loop that runs one
// item after the other.

import { Session, soakSize, type Random } from '@sluice/harness';
import { WorkerPool, type WorkerPoolOptions } from '@sluice/worker-pool';
import { Region } from '@sluice/core';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import type { Item } from './jobs/chaos.mjs';

const filename = fileURLToPath(new URL('jobs/chaos.mjs', import.meta.url));
const STREAMS = soakSize(10, 400);
const MAX_ITEMS = 60;

function itemsOf(random: Random): Item[] {
  const fails = random.chance(30);
  return Array.from({ length: random.below(MAX_ITEMS) }, (_, n) => ({
    n,
    deaths: random.chance(6) ? random.between(1, 2) : 0,
    fails: fails && random.chance(4),
    sleeps: random.chance(30),
  }));
}

/** The oracle: what a loop gives that awaits one item after the other. */
function inALoop(items: readonly Item[]): { outputs: number[]; failure: string | undefined } {
  const outputs: number[] = [];
  for (const { n, fails } of items) {
    if (fails) return { outputs, failure: `item ${n} fails` };
    outputs.push(3 * n);
  }
  return { outputs, failure: undefined };
}

const POOLS: readonly (readonly [what: string, options: Partial<WorkerPoolOptions>, ordered: boolean])[] = [
  ['ordered', { size: 3 }, true],
  ['unordered', { size: 3 }, false],
  ['three items at a time per worker, no queue', { size: 2, concurrentTasksPerWorker: 3, maxQueue: 0 }, true],
];

test.each(POOLS)('a stream gives what a loop gives while workers die: %s', async (what, options, ordered) => {
  const session = new Session(`stream, ${what}`);
  const { random } = session;
  const runs = Region.create(4 * MAX_ITEMS);
  const pool = new WorkerPool<Item, number>({ filename, workerData: runs.handle, abortGrace: 5, ...options });
  // A pool rejects all tasks if several workers in a row end before they have loaded their file.
  const workers = new Set<Worker>();
  pool.on('workerStart', (worker) => workers.add(worker));
  pool.on('workerExit', (worker) => workers.delete(worker));
  let kills = 0;
  try {
    for (let round = 0; round < STREAMS; round++) {
      runs.int32.fill(0);
      const items = itemsOf(random);
      const expected = inALoop(items);
      const killsAt = new Set(items.filter(() => random.chance(4)).map(({ n }) => n));
      const outputs: number[] = [];
      let failure: string | undefined;
      const stream = pool.stream(items, { retry: 2 ** 16, ordered, concurrency: random.between(1, 12) });
      try {
        for await (const output of stream) {
          outputs.push(output);
          if (!killsAt.has(outputs.length)) continue;
          kills += 1;
          void random.pick([...workers, undefined])?.terminate();
        }
      } catch (error) {
        failure = (error as Error).message;
      }
      if (ordered) expect({ outputs, failure }).toEqual(expected);
      else if (expected.failure === undefined) expect(outputs.toSorted((a, b) => a - b)).toEqual(expected.outputs);
      else expect(items.some(({ n, fails }) => fails && failure === `item ${n} fails`)).toBe(true);
      // Cancelled tasks of this stream must not run into the next one: `runs` is theirs, too.
      while (pool.stats().stopping > 0) await turn();
    }
    expect(pool.stats()).toMatchObject({ waiting: 0, queued: 0, running: 0, stopping: 0 });
    expect(pool.stats().replaced).toBeGreaterThan(0);
  } finally {
    await pool.destroy();
    runs.free();
    session.done(STREAMS, `${kills} workers terminated, ${pool.stats().replaced} replaced`);
  }
});
