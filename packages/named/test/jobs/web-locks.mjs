// @ts-check
// A client of a lock manager that executes orders, one after the other.
import { Arena } from '@sluice/core';
import { Random } from '../../../../tools/harness/src/random.mjs';
import { LockManager, named } from '@sluice/named';
import { parentPort, workerData } from 'node:worker_threads';

/** @typedef {{ arena: import('@sluice/core').ArenaHandle }} LocksData */
/**
 * @typedef {object} Order
 * @property {number} id
 * @property {'request' | 'release' | 'ended' | 'pass' | 'clientId' | 'storm'} op
 * @property {string} [name]
 * @property {'exclusive' | 'shared'} [mode]
 * @property {boolean} [ifAvailable]
 * @property {boolean} [steal]
 * @property {number | undefined} [lock]
 * @property {number} [seed]
 */
/** @typedef {{ id: number, lock?: number, clientId?: string, failed?: boolean | string | undefined }} Answer */

/** @typedef {{ release: () => void, ended: Promise<string> }} Held */

/** @param {unknown} failure */
function nameOf(failure) {
  return failure instanceof Error || failure instanceof DOMException ? failure.name : String(failure);
}

class Worked {
  /** @type {Map<number, Held>} */
  held = new Map();
  last = 0;

  /** @param {LockManager} locks */
  constructor(locks) {
    this.locks = locks;
  }

  /**
   * Resolves when the lock is held, or is not available.
   * @param {Order} order
   * @returns {Promise<Omit<Answer, 'id'>>}
   */
  request({ name = '', mode = 'exclusive', ifAvailable = false, steal = false }) {
    return new Promise((resolve) => {
      const ended = this.locks
        .request(name, { mode, ifAvailable, steal }, (lock) => {
          if (lock === null) {
            resolve({ failed: true });
            return undefined;
          }
          const number = ++this.last;
          return new Promise((release) => {
            this.held.set(number, { release: () => release(undefined), ended: Promise.resolve().then(() => ended) });
            resolve({ lock: number });
          });
        })
        .then(
          () => 'released',
          (/** @type {unknown} */ failure) => nameOf(failure),
        );
    });
  }

  /** @param {Order} order @returns {Promise<Omit<Answer, 'id'>>} */
  async follow(order) {
    const held = this.held.get(order.lock ?? 0);
    if (order.op === 'request') return this.request(order);
    if (order.op === 'pass') return this.locks.request(order.name ?? '', () => ({}));
    if (order.op === 'clientId') return { clientId: this.locks.clientId };
    if (order.op === 'ended') return { failed: await held?.ended };
    if (order.op === 'storm') return this.storm(order.seed ?? 0);
    held?.release();
    await held?.ended;
    return {};
  }

  /** Requests until the worker is killed. @param {number} seed @returns {Promise<never>} */
  async storm(seed) {
    const random = new Random(seed);
    for (;;) {
      const name = ['a', 'b', 'c'][random.below(3)] ?? 'a';
      const how = random.below(10);
      /** @type {import('@sluice/named').LockRequestOptions} */
      const options = how === 0 ? { steal: true } : how < 3 ? { ifAvailable: true } : how < 6 ? { mode: 'shared' } : {};
      await this.locks
        .request(name, options, () => new Promise((resolve) => setTimeout(resolve, random.below(2))))
        .catch((/** @type {unknown} */ failure) => {
          if (nameOf(failure) !== 'AbortError') throw failure;
        });
    }
  }
}

if (parentPort !== null && workerData !== null && typeof workerData === 'object' && 'arena' in workerData) {
  const port = parentPort;
  /** @type {LocksData} */
  const { arena } = workerData;
  const worked = new Worked(named(Arena.from(arena), 'locks', LockManager));
  port.on('message', (/** @type {Order} */ order) => {
    void worked.follow(order).then((answer) => port.postMessage({ ...answer, id: order.id }));
  });
}
