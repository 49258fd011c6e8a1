import { hasCode, WorkerPool } from 'sluice';
import { createServer } from 'node:http';
import process from 'node:process';

/** @type {WorkerPool<number, number>} */
const pool = new WorkerPool({
  filename: new URL('./tasks.mjs', import.meta.url),
  size: 2,
  maxQueue: 4, // two requests run and four wait; every further one is refused
  retry: 1, // a request whose worker died runs once more
});

const server = createServer((request, response) => {
  void answer(request, response);
});

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(request, response) {
  const gone = new AbortController();
  response.once('close', () => gone.abort()); // a client that disconnects stops its task
  const below = Number(request.url?.slice(1));

  const task = pool.tryRun(below, { signal: gone.signal, timeout: 10_000 });
  if (task === undefined) {
    // Tell the client now. A request that waits for seconds is often not wanted any more.
    response.writeHead(503, { 'retry-after': '1' }).end('busy\n');
    return;
  }
  try {
    response.end(`${await task}\n`);
  } catch (error) {
    response.writeHead(hasCode(error, 'SLUICE_TIMEOUT') ? 504 : 500).end('failed\n');
  }
}

server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
});

process.once('SIGTERM', () => {
  server.close();
  server.closeIdleConnections();
  void pool.close(); // answers what has begun
});
