// @ts-check
// The channel of npm `multithreading`, with the package's own workers: it passes its channels to no others.
import { channel, initRuntime, move, spawn } from 'multithreading';
import { main } from '../lib/jobs.mjs';

/** @typedef {{ clone(): Sender, blockingSend(value: number): unknown }} Sender */
/** @typedef {{ clone(): Receiver, blockingRecv(): unknown }} Receiver */
/** @typedef {{ join(): Promise<{ ok: boolean, error?: unknown }> }} Job */

await main(measure);

/**
 * @param {import('./buffer.mjs').BufferSpecification} specification
 * @returns {Promise<import('./buffer.mjs').BufferResult>}
 */
async function measure({ pairs, count, capacity }) {
  initRuntime({ maxWorkers: 2 * pairs });
  const [sender, receiver] = /** @type {[Sender, Receiver]} */ (/** @type {unknown} */ (channel(capacity)));
  const each = Math.floor(count / pairs);
  const began = performance.now();
  const all = Array.from({ length: pairs }, () => [
    spawn(move(sender.clone(), each), (/** @type {Sender} */ tx, /** @type {number} */ n) => {
      for (let sent = 0; sent < n; sent++) tx.blockingSend(7);
      return n;
    }),
    spawn(move(receiver.clone(), each), (/** @type {Receiver} */ rx, /** @type {number} */ n) => {
      for (let taken = 0; taken < n; taken++) rx.blockingRecv();
      return n;
    }),
  ]).flat();
  for (const job of /** @type {Job[]} */ (/** @type {unknown} */ (all))) {
    const result = await job.join();
    if (!result.ok) throw new Error(String(result.error));
  }
  return { perSecond: (each * pairs) / ((performance.now() - began) / 1000) };
}
