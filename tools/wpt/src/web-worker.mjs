// @ts-check
// The Worker of the web over a thread of Node.js, as far as the tests use it.
import { Worker } from 'node:worker_threads';

/** @import { Locks, Shared } from './locks.mjs' */

/**
 * The data with which a thread is started. @typedef {{ role: 'script', root: string, pathname: string, shared: Shared }}
 * ScriptData
 */

const THREAD = new URL('./thread.mjs', import.meta.url);

/**
 * The class `Worker` for one realm.
 * @param {object} options
 * @param {string} options.root
 * @param {(url: string) => string} options.pathOf
 * @param {Locks} options.locks
 * @param {(error: unknown) => void} options.onError of a thread
 */
export function webWorkers({ root, pathOf, locks, onError }) {
  return class WebWorker extends EventTarget {
    #thread;

    /** @param {string} url */
    constructor(url) {
      super();
      /** @type {ScriptData} */
      const workerData = { role: 'script', root, pathname: pathOf(url), shared: locks.shared };
      this.#thread = new Worker(THREAD, { workerData });
      locks.adopt(this.#thread);
      this.#thread.on('message', (data) => this.dispatchEvent(new MessageEvent('message', { data })));
      this.#thread.on('error', onError);
    }

    /** @param {unknown} data */
    postMessage(data) {
      this.#thread.postMessage(data);
    }

    terminate() {
      void this.#thread.terminate();
    }
  };
}
