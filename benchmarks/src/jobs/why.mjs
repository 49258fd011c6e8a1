// @ts-check
// Two threads that pass a word to and fro by wait and notify, and one that takes and gives a free lock, in a process
// that runs with `@sluice/inspect/why` or without.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';

/** @typedef {{ rounds: number, passes: number, pairs: number }} WhySpecification */
/** @typedef {{ passNanos: number, pairNanos: number }} WhyResult the best round of each */

const ANSWER = `
  const words = require('node:worker_threads').workerData;
  require('node:worker_threads').parentPort.postMessage('ready');
  for (;;) {
    while (Atomics.load(words, 0) === 0) Atomics.wait(words, 0, 0);
    Atomics.store(words, 0, 0);
    Atomics.notify(words, 0);
  }
`;

/** @param {Int32Array} words @param {number} passes */
function pass(words, passes) {
  for (let count = 0; count < passes; count++) {
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    while (Atomics.load(words, 0) === 1) Atomics.wait(words, 0, 1);
  }
}

/** @param {Int32Array} words @param {number} pairs */
function takeAndGive(words, pairs) {
  for (let count = 0; count < pairs; count++) {
    Atomics.compareExchange(words, 4, 0, 1);
    Atomics.exchange(words, 4, 0);
  }
}

await main(async (/** @type {WhySpecification} */ { rounds, passes, pairs }) => {
  const words = new Int32Array(new SharedArrayBuffer(64));
  const worker = new Worker(ANSWER, { eval: true, workerData: words });
  await once(worker, 'message');
  const best = { passNanos: Infinity, pairNanos: Infinity };
  for (let round = 0; round < rounds; round++) {
    let began = process.hrtime.bigint();
    pass(words, passes);
    best.passNanos = Math.min(best.passNanos, Number(process.hrtime.bigint() - began) / passes);
    began = process.hrtime.bigint();
    takeAndGive(words, pairs);
    best.pairNanos = Math.min(best.pairNanos, Number(process.hrtime.bigint() - began) / pairs);
  }
  return best;
});
