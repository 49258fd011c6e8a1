// @ts-check
// One thread passes values to several others, each of which gets all of them. After each window the publisher waits
// until all have them, so that none is lost. Without windows, a full ring makes it wait.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Broadcast } from '@sluice/broadcast';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';

/**
 * `paced`: whether the publisher waits after each window. @typedef {{ way: 'broadcast' | 'waiting' | 'buffers' |
 * 'channel', subscribers: number, count: number, bytes: number, window: number, paced: boolean }}
 * BroadcastSpecification
 */
/** @typedef {{ perSecond: number }} BroadcastResult */

await main(measure);

/** @param {BroadcastSpecification} specification @returns {Promise<BroadcastResult>} */
async function measure({ way, subscribers, count, bytes, window, paced }) {
  const shape = bytes === 0 ? { codec: 'int32' } : { codec: 'bytes' };
  const capacity = paced ? 2 * window : window / 8;
  const overflow = way === 'waiting' ? 'wait' : 'lag';
  const stream = Broadcast.create(
    /** @type {never} */ ({ ...shape, capacity, overflow, ...(bytes === 0 ? {} : { maxBytes: bytes }) }),
  );
  const buffers = Array.from({ length: subscribers }, () =>
    BoundedBuffer.create(/** @type {never} */ ({ ...shape, capacity, ...(bytes === 0 ? {} : { slotBytes: bytes }) })),
  );
  const channelName = `benchmark ${process.pid}`;
  const channel = new BroadcastChannel(channelName);
  // How many are ready · how many windows were got, by all together.
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const workers = buffers.map(
    ({ handle }) =>
      new Worker(new URL('../workers/broadcast.mjs', import.meta.url), {
        workerData: { way, stream: stream.handle, buffer: handle, channelName, count, window, gate },
      }),
  );
  const ends = workers.map(
    (worker) => new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject)),
  );
  while (Atomics.load(gate, 0) < subscribers) await new Promise((resolve) => setTimeout(resolve, 5));
  const value = bytes === 0 ? 7 : new Uint8Array(bytes).fill(7);
  /** @type {(value: never) => void} */
  const pass =
    way === 'broadcast' || way === 'waiting'
      ? (given) => stream.publish(given)
      : way === 'channel'
        ? (given) => channel.postMessage(given)
        : (given) => {
            for (const buffer of buffers) buffer.push(given);
          };
  const began = performance.now();
  for (let sent = 1; sent <= count; sent++) {
    pass(/** @type {never} */ (value));
    if (sent % window !== 0 || (!paced && sent < count)) continue;
    const due = (sent / window) * subscribers;
    for (let got = Atomics.load(gate, 1); got < due; got = Atomics.load(gate, 1)) Atomics.wait(gate, 1, got);
  }
  const seconds = (performance.now() - began) / 1000;
  channel.close();
  await Promise.all(ends);
  return { perSecond: count / seconds };
}
