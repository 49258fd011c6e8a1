// The picture on a pool of workers. With the option, some workers are killed during the run.
import { WorkerPool } from '@sluice/worker-pool';
import { tilesOf } from './mandelbrot.mjs';

/** How many times a tile is begun again after its worker was killed. */
const RETRIES = 3;

/** @typedef {Awaited<ReturnType<typeof renderTogether>>} Together */

/**
 * @param {import('./options.mjs').Options} options
 * @param {(tile: import('./mandelbrot.mjs').Tile, pixels: Uint8Array) => void} paint
 * @param {AbortSignal} signal
 * @param {(done: number, what: string) => void} onProgress
 */
export async function renderTogether(options, paint, signal, onProgress) {
  const start = performance.now();
  const { width, height, view, iterations, workers, kill } = options;
  const tiles = tilesOf(options);
  const [begun, by] = [sharedWords(tiles.length), sharedWords(tiles.length)];
  /** @type {WorkerPool<import('./mandelbrot.mjs').Tile, Uint8Array>} */
  const pool = new WorkerPool({
    filename: new URL('./tile.mjs', import.meta.url),
    name: 'renderTile',
    size: workers,
    retry: RETRIES,
    workerData: { picture: { width, height, view, iterations }, begun, by },
  });
  const killer = new Killer(pool, kill, by);
  pool.on('settled', ({ completed }) => {
    const { workers: alive, running, queued } = pool.stats();
    onProgress(completed, `${running} running, ${queued} queued, ${alive} workers`);
  });
  // Tiles that have not been computed by then reject.
  const stop = () => void pool.destroy();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();

  const ends = tiles.map(async (tile) => {
    paint(tile, await pool.run(tile));
    killer.look(tile.index);
  });
  const outcomes = await Promise.allSettled(ends);
  // Only after this have all dead workers been counted.
  if (!signal.aborted) await killer.done();
  const stats = pool.stats();
  signal.removeEventListener('abort', stop);
  await pool.close();
  const failure = outcomes.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected' && !signal.aborted) throw failure.reason;
  const seconds = (performance.now() - start) / 1000;
  return { tiles: tiles.length, stats, begun: [...begun], killed: killer.killed, seconds };
}

/** @param {number} count */
function sharedWords(count) {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * count));
}

/** Kills workers while they compute, as many times as asked, spread over the whole picture. */
class Killer {
  #pool;
  #times;
  #by;
  /** @type {Set<number>} */
  #done = new Set();
  /** @type {Map<number, Promise<number>>} */
  #ends = new Map();

  /**
   * @param {WorkerPool<import('./mandelbrot.mjs').Tile, Uint8Array>} pool
   * @param {number} times
   * @param {Int32Array} by the thread that has begun each tile
   */
  constructor(pool, times, by) {
    this.#pool = pool;
    this.#times = times;
    this.#by = by;
  }

  get killed() {
    return this.#ends.size;
  }

  /** @param {number} done the tile that has been computed */
  look(done) {
    this.#done.add(done);
    const due = Math.floor(((this.#times + 1) * this.#done.size) / this.#by.length);
    if (this.killed >= Math.min(due, this.#times)) return;
    const busy = new Set(this.#by.filter((thread, tile) => thread !== 0 && !this.#done.has(tile)));
    const victim = this.#pool.threads.find(({ threadId }) => busy.has(threadId) && !this.#ends.has(threadId));
    if (victim !== undefined) this.#ends.set(victim.threadId, victim.terminate());
  }

  async done() {
    await Promise.all(this.#ends.values());
  }
}
