import { addressSignal, addressWaitUntilAsync, SharedWord } from '@sluice/address-wait';
import { Barrier } from '@sluice/barrier';
import { Region } from '@sluice/core';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { draw, population } from './life.mjs';

/** With room for ten gliders before the first reaches the edge. */
const SIZE = 120;
const PERIOD = 30;
const GUN = 36;
const GLIDER = 5;

/**
 * Returns whether the result is right. Calls `started` with each worker.
 * @param {{ generations: number, workers: number }} options
 * @param {(thread: Worker) => void} [started]
 */
export async function run({ generations, workers }, started) {
  const barrier = Barrier.create(workers, { name: 'generation' });
  const boards = Region.create(2 * SIZE * SIZE);
  const done = SharedWord.create(0);
  draw(readFileSync(new URL('../patterns/gosper-gun.rle', import.meta.url), 'utf8'), boards.bytes, SIZE, 2, 2);

  const share = { barrier: barrier.handle, done: done.handle, boards: boards.handle, size: SIZE, generations, workers };
  for (let worker = 0; worker < workers; worker++) {
    const thread = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: { ...share, worker } });
    // Recovers a worker that dies: that breaks the barrier, so no other worker waits for it.
    boards.arena.watch(thread);
    started?.(thread);
    thread.on('exit', (code) => {
      if (code === 0) return;
      barrier.abort(); // it may have died before it was a party
      addressSignal(done);
    });
  }

  const began = performance.now();
  for (let next = PERIOD; next <= generations; next += PERIOD) {
    await addressWaitUntilAsync(done, () => done.load() >= next || barrier.broken);
    // A worker that has done all generations may end before this thread looks, which breaks the barrier, too.
    if (done.load() < next) {
      console.log('a worker died: the other workers were told, and stopped');
      return false;
    }
    if (next < generations) console.log(`generation ${done.load()}`);
  }
  return tell(boards, { generations, workers }, performance.now() - began);
}

/** @param {Region} boards @param {{ generations: number, workers: number }} options @param {number} ms */
function tell(boards, { generations, workers }, ms) {
  const last = boards.bytes.subarray((generations % 2) * SIZE * SIZE, ((generations % 2) + 1) * SIZE * SIZE);
  const [alive, expected] = [population(last), GUN + (GLIDER * generations) / PERIOD];
  console.log(`${generations} generations by ${workers} workers in ${Math.round(ms)} ms: ${alive} cells are alive`);
  console.log(
    `the gun and ${generations / PERIOD} gliders: ${alive === expected ? 'ok' : `WRONG, that would be ${expected}`}`,
  );
  return alive === expected;
}
