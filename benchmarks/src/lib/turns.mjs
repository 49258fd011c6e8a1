// @ts-check
import { turnOf } from './mutexbench-control.mjs';

// Workers that practise one after the other, so that none meets another one yet.

/** @typedef {{ worker: number, workers: number }} Place */

/** @param {Int32Array} counts @param {Place} place */
export function awaitTurn(counts, { worker }) {
  if (worker > 0) Atomics.wait(counts, turnOf(worker), 0);
}

/** @param {Int32Array} counts @param {Place} place */
export function passTurn(counts, { worker, workers }) {
  if (worker + 1 === workers) return;
  Atomics.store(counts, turnOf(worker + 1), 1);
  Atomics.notify(counts, turnOf(worker + 1));
}
