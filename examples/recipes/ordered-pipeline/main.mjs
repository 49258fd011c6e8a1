import { WorkerPool } from 'sluice';
import { createHash } from 'node:crypto';
import { isMainThread } from 'node:worker_threads';

const ROWS = 4000;

/** Runs in the workers. */
export default function transform({ id, text }) {
  return { id, digest: createHash('sha256').update(text).digest('hex') };
}

/** Rows come one by one, each when there is room for it. */
async function* extract() {
  for (let id = 0; id < ROWS; id++) yield await Promise.resolve({ id, text: `row ${id}` });
}

if (isMainThread) {
  const pool = new WorkerPool({ filename: new URL(import.meta.url), size: 2 });
  const loaded = [];
  for await (const row of pool.stream(extract(), { retry: 3 })) {
    loaded.push(row);
    if (loaded.length === ROWS / 2) await pool.threads[0]?.terminate(); // a crash: its rows run again
  }
  const inOrder = loaded.every(({ id }, n) => id === n);
  console.log(`${loaded.length} rows, in order: ${inOrder}, workers replaced: ${pool.stats().replaced}`);
  await pool.close();
}
