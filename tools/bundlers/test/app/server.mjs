// A small server: each request is a task. It asks itself four times, prints the answers, and closes.
import { Mutex } from '@sluice/mutex';
import { WorkerPool } from '@sluice/worker-pool';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { dirname, resolve } from 'node:path';
import process from 'node:process';

const [, script = '', tasks = '', workerUrl] = process.argv;
/** @type {WorkerPool<{ n: number, mutex: unknown, sums: Int32Array }, number>} */
const pool = new WorkerPool({ filename: resolve(dirname(script), tasks), size: 2, workerUrl });
const mutex = Mutex.create({ name: 'sum' });
const sums = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** @param {import('node:http').IncomingMessage} request */
async function answer({ url = '' }) {
  try {
    return String(await pool.run({ n: Number(url.slice(1)), mutex: mutex.handle, sums }));
  } catch (failure) {
    return failure instanceof Error && 'code' in failure ? `${String(failure.code)} ${failure.message}` : 'failed';
  }
}

const server = createServer((request, response) => void answer(request).then((text) => response.end(text)));

async function main() {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const ask = async (/** @type {number} */ n) => (await fetch(`http://127.0.0.1:${port}/${n}`)).text();
  console.log((await Promise.all([1, 2, 3, 4].map(ask))).join(' '));
  console.log(`sum ${sums[0]}`);
  server.close();
  server.closeAllConnections();
  await pool.close();
  console.log('closed');
}

void main();
