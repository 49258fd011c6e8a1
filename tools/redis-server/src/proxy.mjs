// @ts-check
// A TCP proxy that can swallow what passes, for partitions: both ends stay connected and hear nothing.
import { connect, createServer } from 'node:net';

/**
 * @typedef {object} Proxy
 * @property {number} port
 * @property {(swallows: boolean) => void} swallow drops all bytes in both directions from now on, or no longer
 * @property {(port: number) => void} aim leads to another port from now on, and breaks all connections
 * @property {() => Promise<void>} close
 */

/**
 * @param {number} port where it leads, on the loopback interface
 * @returns {Promise<Proxy>}
 */
export function proxyTo(port) {
  let target = port;
  let swallows = false;
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      if (from === undefined || to === undefined) continue;
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!swallows) to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        swallow: (now) => (swallows = now),
        aim: (next) => {
          target = next;
          for (const socket of sockets) socket.destroy();
        },
        close: () =>
          new Promise((closed) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => closed());
          }),
      });
    });
  });
}
