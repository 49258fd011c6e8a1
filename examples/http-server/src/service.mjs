// The server: each request is a task of the pool.
import { Arena } from '@sluice/core';
import { WorkerPool } from '@sluice/worker-pool';
import { createServer } from 'node:http';
import { memoryUsage } from 'node:process';
import { countSlots } from './slots.mjs';

/**
 * @typedef {object} ServiceOptions
 * @property {number} workers
 * @property {number} queue requests that may wait beside the running ones
 * @property {number} timeoutMs from the request to its answer
 * @property {number} graceMs at the end, for requests that have begun
 * @property {boolean} chaos whether clients may kill workers
 */

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {{ status: number, body: unknown, headers?: Record<string, string> }} Answer */

/** An aborted task that still runs after this time hangs. */
const HANG_MS = 10_000;

export class Service {
  #options;
  /** One word: the number of `/go` requests. */
  #gone = new Int32Array(new SharedArrayBuffer(4));
  /** @type {WorkerPool<number, number>} */
  #pool;
  #server;
  /** @type {Promise<void> | undefined} */
  #end;

  /** @param {ServiceOptions} options */
  constructor(options) {
    const { workers, queue } = options;
    this.#options = options;
    const filename = new URL('./tasks.mjs', import.meta.url);
    this.#pool = new WorkerPool({
      filename,
      name: 'countPrimes',
      size: workers,
      maxQueue: queue,
      // Counting primes twice does no harm, so the death of a worker costs its client only a little time.
      retry: 1,
      // The tasks look at `context.aborted`, so only a worker that hangs is ended.
      abortGrace: HANG_MS,
      workerData: { gone: this.#gone },
    });
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /**
   * Resolves with the port.
   * @param {number} port 0: any free port
   * @returns {Promise<number>}
   */
  listen(port) {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /**
   * Accepts no more connections, answers the requests that have begun, and ends the workers; after `graceMs`, by force.
   */
  close() {
    this.#end ??= this.#close();
    return this.#end;
  }

  async #close() {
    const late = setTimeout(() => void this.#pool.destroy(), this.#options.graceMs);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    await this.#pool.close();
    clearTimeout(late);
    await closed;
  }

  /**
   * @param {Request} request
   * @param {Response} response
   */
  async #serve(request, response) {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableEnded) gone.abort();
    });
    const { status, body, headers } = await this.#answer(request, gone.signal);
    if (gone.signal.aborted) return;
    // At the end, a connection is not kept open for a next request that would not be answered.
    const connection = this.#end === undefined ? {} : { connection: 'close' };
    response.writeHead(status, { 'content-type': 'application/json', ...headers, ...connection });
    response.end(`${JSON.stringify(body)}\n`);
  }

  /**
   * @param {Request} request
   * @param {AbortSignal} signal
   * @returns {Promise<Answer>}
   */
  async #answer({ method, url = '' }, signal) {
    const primes = /^\/primes\/(\d{1,7})$/.exec(url);
    if (method === 'GET' && primes !== null) return this.#run(Number(primes[1]), { signal });
    if (method === 'GET' && url === '/stats') return { status: 200, body: this.#stats() };
    if (!this.#options.chaos) return { status: 404, body: { error: 'not found' } };
    if (method === 'POST' && url === '/kill') return { status: 200, body: { killed: await this.#kill() } };
    if (method === 'POST' && url === '/die') return this.#run(0, { signal, name: 'die' });
    if (method === 'POST' && url === '/slots') return { status: 200, body: { slots: await countSlots(this.#pool) } };
    // Blocks a worker until the next `/go`.
    if (method === 'POST' && url === '/hold') return this.#run(this.#gone[0] ?? 0, { signal, name: 'hold' });
    if (method === 'POST' && url === '/go') return { status: 200, body: { gone: Atomics.add(this.#gone, 0, 1) + 1 } };
    const blocked = /^\/block\/(\d{1,5})$/.exec(url);
    if (method === 'POST' && blocked !== null) return this.#run(Number(blocked[1]), { signal, name: 'block' });
    return { status: 404, body: { error: 'not found' } };
  }

  /**
   * @param {number} input
   * @param {import('@sluice/worker-pool').RunOptions} options
   * @returns {Promise<Answer>}
   */
  async #run(input, options) {
    try {
      // Not `run`, which would wait in line: the client is told at once, and can come again later.
      const task = this.#pool.tryRun(input, { ...options, timeout: this.#options.timeoutMs });
      if (task === undefined) return this.#busy();
      return { status: 200, body: { result: await task } };
    } catch (failure) {
      return failed(failure);
    }
  }

  /** @returns {Answer} */
  #busy() {
    const { runTime } = this.#pool.stats();
    const { workers, queue } = this.#options;
    // The time that the queue takes to empty.
    const seconds = Math.ceil(((runTime.count === 0 ? 1000 : runTime.mean) * queue) / workers / 1000);
    return { status: 503, body: { error: 'busy' }, headers: { 'retry-after': String(Math.max(1, seconds)) } };
  }

  #stats() {
    const { workers, queued, waiting, running, completed, failed, replaced } = this.#pool.stats();
    const arena = Arena.default().inspect();
    return {
      pool: { workers, queued, waiting, running, completed, failed, replaced },
      memory: {
        rss: memoryUsage.rss(),
        arena: arena.used,
        agents: arena.agents.length,
        elements: arena.elements.total,
      },
    };
  }

  async #kill() {
    const [first] = this.#pool.threads;
    if (first === undefined) return 0;
    await first.terminate();
    return 1;
  }
}

/**
 * @param {unknown} failure
 * @returns {Answer}
 */
function failed(failure) {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  if (code === 'SLUICE_TIMEOUT') return { status: 504, body: { error: 'timed out' } };
  if (code === 'SLUICE_WORKER_DIED') return { status: 502, body: { error: 'the worker died' } };
  if (code === 'SLUICE_POOL_CLOSED')
    return { status: 503, body: { error: 'shutting down' }, headers: { 'retry-after': '1' } };
  return { status: 500, body: { error: failure instanceof Error ? failure.message : 'failed' } };
}
