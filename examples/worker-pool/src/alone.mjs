// The same picture on one thread, without a pool.
import { setImmediate as turn } from 'node:timers/promises';
import { compute, tilesOf } from './mandelbrot.mjs';

/**
 * @param {import('./options.mjs').Options} options
 * @param {(tile: import('./mandelbrot.mjs').Tile, pixels: Uint8Array) => void} paint
 * @param {AbortSignal} signal
 * @param {(done: number, what: string) => void} onProgress
 */
export async function renderAlone(options, paint, signal, onProgress) {
  const start = performance.now();
  for (const tile of tilesOf(options)) {
    if (signal.aborted) break;
    paint(tile, compute(options, tile));
    onProgress(tile.index + 1, 'one thread');
    await turn(); // For Ctrl-C.
  }
  return { seconds: (performance.now() - start) / 1000 };
}
