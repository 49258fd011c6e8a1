// All threads together: batches of files go through a pool of workers, results come back through a bounded buffer.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { WorkerPool } from '@sluice/worker-pool';
import { batchesOf } from './batches.mjs';
import { startClock } from './clock.mjs';
import { removeParts } from './pack-file.mjs';
import { Results } from './results.mjs';
import { Victim } from './victim.mjs';
import { shareList } from './work-list.mjs';

/** How many times a batch runs again because its worker died. */
const RETRIES = 3;
/** The worker is killed when this part of all bytes is packed. */
const KILL_AT = 0.4;
const RESULT_BYTES = 1 << 16;
/** How long a worker has, after Ctrl-C, to come to the end of a block. A loaded machine needs longer than the default. */
const ABORT_GRACE_MS = 5000;

/**
 * @typedef {{ results: Results, killed: number | undefined, killedAt: number, replaced: number, seconds: number,
 *   cpuSeconds: number }} Together
 */

/**
 * @typedef {object} PassOptions
 * @property {string | undefined} out the directory for the compressed files
 * @property {AbortSignal} signal ends the pass early
 * @property {(bytes: number) => void} onProgress called with the number of bytes packed so far
 */

/**
 * @param {import('./list-files.mjs').Listed[]} files with whole paths
 * @param {{ workers: number, kill: boolean } & PassOptions} options
 * @returns {Promise<Together>}
 */
export async function packTogether(files, { workers, kill, out, signal, onProgress }) {
  const clock = startClock();
  const results = new Results(files);
  /** @type {BoundedBuffer<import('./tasks.mjs').Result[]>} */
  const buffer = BoundedBuffer.create({ codec: 'json', ringBytes: RESULT_BYTES, name: 'results' });
  const { order, batches } = batchesOf(files);
  const victim = new Victim(kill ? KILL_AT * results.bytesListed : Infinity);
  /** @type {import('./tasks.mjs').Start} */
  const workerData = { list: shareList(files, order), results: buffer.handle, victim: victim.shared, out };
  const filename = new URL('./tasks.mjs', import.meta.url);
  // The tasks compute and never await, so idle workers may block.
  const pool = new WorkerPool({
    filename,
    name: 'packBatch',
    size: workers,
    workerData,
    atomics: 'sync',
    retry: RETRIES,
    abortGrace: ABORT_GRACE_MS,
  });
  const read = async () => {
    for await (const group of buffer) {
      for (const result of group) results.add(result);
      onProgress(results.bytes);
      victim.look(group[0]?.thread ?? 0, results.bytes, pool.threads);
    }
  };
  const reading = read();
  try {
    await pool.map(batches, { signal });
    await victim.gone();
  } catch (failure) {
    if (!signal.aborted) throw failure;
  } finally {
    await pool.close();
    buffer.close();
    await reading;
    if (out !== undefined) removeParts(out);
  }
  const { replaced } = pool.stats();
  buffer.free();
  return { results, killed: victim.thread, killedAt: victim.share(results.bytesListed), replaced, ...clock() };
}
