// @ts-check
import { sleep, until } from './sleep.mjs';

/**
 * One side sends, the other waits and notes when it woke; between two sends the sender sleeps long enough for the other
 * side to be asleep. Both sides run this file, so a direction is only a question of who calls what.
 * @typedef {object} Exchange
 * @property {Kind} kind
 * @property {import('@sluice/core').Semaphore} semaphore
 * @property {{ on(event: 'message', listener: () => void): unknown, off(event: 'message', listener: () => void): unknown, postMessage(message: unknown): void }} port
 * @property {Int32Array} progress how many the receiver has noted
 * @property {Float64Array} sentAt
 * @property {Float64Array} wokenAt
 * @property {number} samples
 * @property {number} paceMillis
 */

/** @typedef {'blocking' | 'async' | 'message'} Kind */

/** A clock that all threads of a process agree on. */
const now = () => performance.timeOrigin + performance.now();

/** @param {Exchange} exchange */
export async function send({ kind, semaphore, port, progress, sentAt, samples, paceMillis }) {
  for (let i = 0; i < samples; i++) {
    await until(() => Atomics.load(progress, 0) === i);
    await sleep(paceMillis);
    sentAt[i] = now();
    if (kind === 'message') port.postMessage(i);
    else semaphore.release();
  }
  await until(() => Atomics.load(progress, 0) === samples);
}

/** @param {Exchange} exchange */
export async function receive({ kind, semaphore, port, progress, wokenAt, samples }) {
  if (kind === 'message') {
    await new Promise((/** @type {(_: void) => void} */ resolve) => {
      let received = 0;
      const note = () => {
        wokenAt[received++] = now();
        if (received === samples) {
          port.off('message', note);
          resolve();
        }
        Atomics.add(progress, 0, 1);
      };
      port.on('message', note);
    });
    return;
  }
  for (let i = 0; i < samples; i++) {
    if (kind === 'blocking') semaphore.acquire();
    else await semaphore.acquireAsync();
    wokenAt[i] = now();
    Atomics.add(progress, 0, 1);
  }
}
