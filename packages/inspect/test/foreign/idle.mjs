// @ts-check
// A process that does nothing and does not exit: a server and an interval keep it alive.
import { createServer } from 'node:net';

const server = createServer();
server.listen(0, '127.0.0.1');
setInterval(function report() {
  console.log('alive');
}, 3_600_000);
