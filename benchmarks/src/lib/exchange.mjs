// @ts-check
import { sleep, until } from './sleep.mjs';

/**
 * One side sends, the other waits and notes when it woke; between two sends the sender sleeps long enough for the other
 * side to be asleep. Both sides run this file: the calls decide the direction.
 * @typedef {object} Exchange
 * @property {Kind} kind
 * @property {import('@sluice/core').Semaphore} semaphore
 * @property {{ on(event: 'message', listener: () => void): unknown, off(event: 'message', listener: () => void):
 *   unknown, postMessage(message: unknown): void }} port
 * @property {Int32Array} word how many were sent, for the bare kinds
 * @property {Int32Array} progress 1 when the receiver is there, and 1 more for each sample that it has noted
 * @property {Float64Array} sentAt
 * @property {Float64Array} wokenAt
 * @property {number} samples
 * @property {number} paceMillis
 */

/**
 * Through the semaphore, through a message, or through a bare word: the platform's own cost of a wake-up.
 * @typedef {'blocking' | 'async' | 'message' | 'bare wait' | 'bare waitAsync'} Kind
 */

/** A clock that all threads of a process agree on. */
const now = () => performance.timeOrigin + performance.now();

/** @param {Exchange} exchange */
export async function send({ kind, semaphore, port, word, progress, sentAt, samples, paceMillis }) {
  for (let i = 0; i < samples; i++) {
    await until(() => Atomics.load(progress, 0) === i + 1);
    await sleep(paceMillis);
    sentAt[i] = now();
    if (kind === 'message') port.postMessage(i);
    else if (kind === 'blocking' || kind === 'async') semaphore.release();
    else {
      Atomics.add(word, 0, 1);
      Atomics.notify(word, 0);
    }
  }
  await until(() => Atomics.load(progress, 0) === samples + 1);
}

/** @param {Exchange} exchange */
export async function receive({ kind, semaphore, port, word, progress, wokenAt, samples }) {
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
      Atomics.add(progress, 0, 1);
    });
    return;
  }
  Atomics.add(progress, 0, 1);
  // A pending waitAsync alone keeps no event loop alive; the library sees to that itself.
  const keepAlive = setInterval(() => {}, 60_000);
  for (let i = 0; i < samples; i++) {
    if (kind === 'blocking') semaphore.acquire();
    else if (kind === 'async') await semaphore.acquireAsync();
    else if (kind === 'bare wait') Atomics.wait(word, 0, i);
    else await Atomics.waitAsync(word, 0, i).value;
    wokenAt[i] = now();
    Atomics.add(progress, 0, 1);
  }
  clearInterval(keepAlive);
}
