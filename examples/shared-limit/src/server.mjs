// A slow server that counts how many requests it has at once.
import { once } from 'node:events';
import { createServer } from 'node:http';

export class CountingServer {
  #server;
  #open = 0;
  /** @type {(() => void)[]} */
  #held = [];
  #holds = 0;
  /** The maximum at once, and the total, since `reset`. */
  most = 0;
  answered = 0;

  /** @param {number} delay ms for each request */
  constructor(delay) {
    this.#server = createServer((_, response) => {
      this.#open += 1;
      this.most = Math.max(this.most, this.#open);
      const answer = () => {
        // Before the answer: the answer makes room for the next request, which must not be counted together with this
        // one.
        this.#open -= 1;
        this.answered += 1;
        response.end();
      };
      this.#held.push(() => setTimeout(answer, delay));
      if (this.#open < this.#holds) return;
      this.#holds = 0;
      for (const begin of this.#held.splice(0)) begin();
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

  /**
   * Begins to count anew. The first answers wait until `holds` requests are open, so that the maximum does not depend on
   * which worker is fast.
   * @param {number} holds
   */
  reset(holds) {
    this.most = 0;
    this.answered = 0;
    this.#holds = holds;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
