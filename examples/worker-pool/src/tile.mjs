// The task that the workers run.
import { threadId, workerData } from 'node:worker_threads';
import { compute } from './mandelbrot.mjs';

/** @type {{ picture: import('./mandelbrot.mjs').Picture, begun: Int32Array, by: Int32Array }} */
const { picture, begun, by } = workerData;

/** @param {import('./mandelbrot.mjs').Tile} tile */
export function renderTile(tile) {
  // Records which thread is at work, and which tiles were begun twice.
  Atomics.store(by, tile.index, threadId);
  Atomics.add(begun, tile.index, 1);
  return compute(picture, tile);
}
