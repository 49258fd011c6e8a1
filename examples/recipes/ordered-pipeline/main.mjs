import { WorkerPool } from 'sluice';
import { createHash } from 'node:crypto';
import { isMainThread } from 'node:worker_threads';

const ROWS = 4000;

/**
 * Runs in the workers.
 * @param {{ id: number, text: string }} row
 */
export default function transform({ id, text }) {
  return { id, digest: createHash('sha256').update(text).digest('hex') };
}

/** Rows come one by one, each when there is room for it. */
async function* extract() {
  for (let id = 0; id < ROWS; id++) yield await Promise.resolve({ id, text: `row ${id}` });
}

if (isMainThread) {
  /** @type {WorkerPool<{ id: number, text: string }, { id: number, digest: string }>} */
  const pool = new WorkerPool({ filename: new URL(import.meta.url), size: 2 });
  let [loaded, inOrder] = [0, true];
  for await (const { id } of pool.stream(extract(), { retry: 3 })) {
    inOrder &&= id === loaded;
    loaded += 1;
    if (loaded === ROWS / 2) await pool.threads[0]?.terminate(); // a crash: its rows run again
  }
  console.log(`${loaded} rows, in order: ${inOrder}, workers replaced: ${pool.stats().replaced}`);
  await pool.close();
}
