// @ts-check
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { MessageChannel, Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';
import { ringOf } from '../lib/ring.mjs';

/**
 * @typedef {{ way: 'one' | 'many' | 'typed' | 'ring' | 'message', pairs: number, count: number, bytes: number,
 *   capacity: number }} BufferSpecification
 */
/** @typedef {{ perSecond: number }} BufferResult */

await main(measure);

/** @param {BufferSpecification} specification @returns {Promise<BufferResult>} */
async function measure({ way, pairs, count, bytes, capacity }) {
  const buffer = BoundedBuffer.create(
    bytes === 0 ? { codec: 'int32', capacity } : /** @type {never} */ ({ codec: 'bytes', capacity, slotBytes: bytes }),
  );
  const gate = new SharedArrayBuffer(8);
  const ring = ringOf(capacity);
  const each = Math.floor(count / pairs);
  const channels = Array.from({ length: pairs }, () => new MessageChannel());
  const workers = channels.flatMap(({ port1, port2 }) =>
    /** @type {const} */ ([
      ['produce', port1],
      ['consume', port2],
    ]).map(([role, port]) => {
      const assignment = { way, role, count: each, bytes, handle: buffer.handle, ports: [port], gate, ring };
      return new Worker(new URL('../workers/buffer.mjs', import.meta.url), {
        workerData: assignment,
        transferList: [port],
      });
    }),
  );
  const word = new Int32Array(gate);
  const messages = workers.map(
    (worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)),
  );
  while (Atomics.load(word, 0) < workers.length) await new Promise((resolve) => setTimeout(resolve, 5));
  const began = performance.now();
  Atomics.store(word, 1, 1);
  Atomics.notify(word, 1);
  const isProducer = (/** @type {number} */ index) => index % 2 === 0;
  await Promise.all(messages.filter((_, index) => isProducer(index)));
  await buffer.closeAsync();
  const taken = /** @type {number[]} */ (await Promise.all(messages.filter((_, index) => !isProducer(index))));
  const seconds = (performance.now() - began) / 1000;
  const sum = taken.reduce((all, one) => all + one, 0);
  if (sum !== each * pairs) throw new Error(`${each * pairs} went in, ${sum} came out`);
  return { perSecond: sum / seconds };
}
