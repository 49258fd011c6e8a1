// The only thread that has the database open.
import { BoundedBuffer } from 'sluice';
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from './store.mjs';

/** @type {import('sluice').BoundedBuffer<import('./store.mjs').Row>} */
const rows = BoundedBuffer.from(workerData.rows);

async function write() {
  const store = await openStore(workerData.path);
  let transactions = 0;
  try {
    for (;;) {
      store.writeMany(rows.popMany(500)); // waits for one row, then takes all that are there
      transactions += 1;
    }
  } catch (error) {
    // closed and empty: the end
    if (!(error instanceof Error && 'code' in error && error.code === 'SLUICE_CLOSED')) throw error;
  }
  parentPort?.postMessage({ rows: store.count(), transactions });
  store.close();
}

void write();
