import { Session, soakSize } from '@sluice/harness';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

/** A round takes some milliseconds. After this time it counts as endless. */
const DEADLINE_MS = 20_000;
/** The number of rounds of one worker. Each round leaves an arena behind. */
const ROUNDS = 50;

interface Stop {
  readonly ends?: Record<string, number>;
  /** The round and the call that did not end. */
  readonly stuck?: { readonly round: number; readonly call: number };
}

/** Watches a worker from another thread. */
async function play(seed: number, first: number): Promise<Stop> {
  const place = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('jobs/corrupted.mjs', import.meta.url), {
    workerData: { seed, first, rounds: ROUNDS, place },
  });
  let ends: Record<string, number> | undefined;
  worker.on('message', (message: Record<string, number>) => {
    ends = message;
  });
  const exit = new Promise<Stop>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => {
      resolve({ ends: ends ?? {} });
    });
  });
  const watched = (async (): Promise<Stop> => {
    let since = performance.now();
    let last = '';
    for (;;) {
      const now = place.join();
      if (now !== last) since = performance.now();
      last = now;
      if (performance.now() - since > DEADLINE_MS)
        return { stuck: { round: Atomics.load(place, 0), call: Atomics.load(place, 1) } };
      if (ends !== undefined) return exit;
      await pause(20);
    }
  })();
  const stop = await Promise.race([exit, watched]);
  await worker.terminate();
  return stop;
}

test('every call on a damaged arena that does not block ends, with a result or with an error of Sluice', async () => {
  const session = new Session('damaged arenas');
  const rounds = soakSize(50, 1500);
  const sum: Record<string, number> = {};
  for (let first = 0; first < rounds; first += ROUNDS) {
    const { ends = {}, stuck } = await play(session.seed, first);
    expect(stuck, `SLUICE_SEED=${session.seed}`).toBeUndefined();
    for (const [end, count] of Object.entries(ends)) sum[end] = (sum[end] ?? 0) + count;
  }
  session.done(rounds, JSON.stringify(sum));
  expect(sum['SLUICE_CORRUPT_ARENA']).toBeGreaterThan(0);
  const others = Object.keys(sum).filter((end) => !/^(result|SLUICE_)/.test(end));
  expect(others).toEqual([]);
});
