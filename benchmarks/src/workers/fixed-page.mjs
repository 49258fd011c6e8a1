// @ts-check
// The floor of a view: a thread that answers each request with the same text, as long as a small frame.
import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';

const TEXT = JSON.stringify({ every: 95, rest: 'x'.repeat(3400) });

const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Length': TEXT.length });
  response.end(TEXT);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
});
