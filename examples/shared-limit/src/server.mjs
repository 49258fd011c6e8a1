// A slow server that counts how many requests it has at once.
import { once } from 'node:events';
import { createServer } from 'node:http';

export class CountingServer {
  #server;
  #open = 0;
  /** The maximum at once, and the total, since `reset`. */
  most = 0;
  answered = 0;

  /** @param {number} delay ms for each request */
  constructor(delay) {
    this.#server = createServer((_, response) => {
      this.#open += 1;
      this.most = Math.max(this.most, this.#open);
      setTimeout(() => {
        // Before the answer: the answer makes room for the next request, which must not be counted together with this
        // one.
        this.#open -= 1;
        this.answered += 1;
        response.end();
      }, delay);
    });
    this.#server.keepAliveTimeout = 0; // A worker that waits long for its turn keeps its connections.
  }

  /** Resolves with its address. */
  async listen() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}/`;
  }

  reset() {
    this.most = 0;
    this.answered = 0;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
