// @ts-check
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { consumeFromRing, produceInRing } from '../lib/ring.mjs';

/**
 * @typedef {object} BufferAssignment
 * @property {'one' | 'many' | 'typed' | 'ring' | 'message'} way
 * @property {'produce' | 'consume'} role
 * @property {number} count
 * @property {number} bytes 0: int32
 * @property {import('@sluice/bounded-buffer').BoundedBufferHandle} handle
 * @property {import('node:worker_threads').MessagePort[]} ports
 * @property {SharedArrayBuffer} gate
 * @property {SharedArrayBuffer} ring
 */

/** @type {BufferAssignment} */
const { way, role, count, bytes, handle, ports, gate, ring } = workerData;
const word = new Int32Array(gate);
const BATCH = way === 'typed' ? 1024 : 64;

/** @type {BoundedBuffer<number | Uint8Array>} */
const buffer = BoundedBuffer.from(handle);
const value = bytes === 0 ? 7 : new Uint8Array(bytes).fill(7);
const typed = /** @type {number[]} */ (/** @type {unknown} */ (new Int32Array(BATCH).fill(7)));
const batch = way === 'typed' ? typed : Array.from({ length: BATCH }, () => value);

Atomics.add(word, 0, 1);
Atomics.notify(word, 0);
Atomics.wait(word, 1, 0);

if (way === 'message') message();
else if (way === 'ring') parentPort?.postMessage(passRing());
else if (role === 'produce') produce();
else parentPort?.postMessage(consume());

function produce() {
  if (way === 'one') for (let n = 0; n < count; n++) buffer.push(value);
  else for (let n = 0; n < count; ) n += buffer.pushMany(count - n < BATCH ? batch.slice(0, count - n) : batch);
  parentPort?.postMessage('produced');
}

function passRing() {
  if (role === 'consume') return consumeFromRing(ring, count, 7);
  produceInRing(ring, count, 7);
  return 'produced';
}

function consume() {
  let taken = 0;
  const values = buffer[Symbol.iterator]();
  if (way === 'one') while (values.next().done !== true) taken++;
  else {
    try {
      for (;;) taken += buffer.popMany().length;
    } catch (failure) {
      if (!buffer.closed) throw failure;
    }
  }
  return taken;
}

function message() {
  if (role === 'produce') {
    for (let n = 0; n < count; n++) ports[n % ports.length]?.postMessage(value);
    parentPort?.postMessage('produced');
    return;
  }
  let taken = 0;
  for (const port of ports) {
    port.on('message', () => {
      taken++;
      if (taken === count) {
        parentPort?.postMessage(taken);
        for (const each of ports) each.close();
      }
    });
  }
}
