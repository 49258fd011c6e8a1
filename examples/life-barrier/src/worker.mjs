import { SharedWord } from '@sluice/address-wait';
import { Region } from '@sluice/core';
import { workerData } from 'node:worker_threads';
import { Barrier } from './barrier.mjs';
import { step } from './life.mjs';

/**
 * @typedef {object} Share
 * @property {import('@sluice/core').RegionHandle} words
 * @property {import('@sluice/core').RegionHandle} boards
 * @property {number} size
 * @property {number} generations
 * @property {number} workers
 * @property {number} worker from 0
 */

const { words, boards, size, generations, workers, worker } = /** @type {Share} */ (workerData);

const region = Region.from(words);
const [arrived, rounds, broken] = [SharedWord.at(region, 0), SharedWord.at(region, 1), SharedWord.at(region, 2)];
const barrier = new Barrier({ arrived, rounds, broken }, workers);

const bytes = Region.from(boards).bytes;
const halves = [bytes.subarray(0, size * size), bytes.subarray(size * size, 2 * size * size)];
const [begin, end] = [Math.floor((size * worker) / workers), Math.floor((size * (worker + 1)) / workers)];

for (let generation = 0; generation < generations; generation++) {
  const [from, to] = generation % 2 === 0 ? halves : [halves[1], halves[0]];
  if (from === undefined || to === undefined) break;
  step(from, to, size, begin, end);
  // No worker reads the new board, or overwrites the old one, before all have finished this generation.
  if (!barrier.wait()) break;
}
