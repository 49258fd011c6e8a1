// @ts-check
// An HTTP server that answers each request with the result of a task, as a new user of a pool writes it. A process of
// its own: its parent sends the load.
import { WorkerPool } from '@sluice/worker-pool';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';

/** @typedef {'sluice' | 'piscina'} HttpPoolName */
/** @typedef {{ port: number }} Listening */
/** @typedef {{ peakMebibytes: number }} Ended */

const [name, rounds] = [process.argv[2], Number(process.argv[3])];
const filename = fileURLToPath(new URL('../tasks/http-pool.mjs', import.meta.url));
const pool = name === 'piscina' ? new Piscina({ filename, name: 'hash' }) : new WorkerPool({ filename, name: 'hash' });

const server = createServer((_, response) => {
  pool.run(rounds).then(
    (text) => response.end(text),
    (/** @type {unknown} */ failure) => response.writeHead(500).end(String(failure)),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ port });
});
process.once('message', () => {
  // `maxRSS` is in KiB.
  process.send?.({ peakMebibytes: process.resourceUsage().maxRSS / 1024 }, () => process.exit());
});
