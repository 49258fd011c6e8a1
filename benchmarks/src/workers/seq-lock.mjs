// @ts-check
// Reads a shared value again and again, or writes it.
import { Region } from '@sluice/core';
import { RwLock } from '@sluice/rw-lock';
import { SeqLock } from '@sluice/seq-lock';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * @typedef {object} Assignment
 * @property {import('../jobs/seq-lock.mjs').Way} way
 * @property {number} byteLength
 * @property {import('@sluice/seq-lock').SeqLockHandle} seqLock
 * @property {import('@sluice/rw-lock').RwLockHandle} rwLock
 * @property {import('@sluice/core').RegionHandle} region
 * @property {Int32Array} control
 * @property {boolean} writes
 */

const {
  way,
  byteLength,
  seqLock: seqHandle,
  rwLock: rwHandle,
  region,
  control,
  writes,
} = /** @type {Assignment} */ (workerData);
const [GO, STOP, READY] = [0, 1, 2];
/** Reads between two looks at the clock. */
const BATCH = 1000;

const seqLock = SeqLock.from(seqHandle);
const rwLock = RwLock.from(rwHandle);
const shared = Region.from(region).int32;
const words = byteLength >> 2;
/** The sequence of the seq-lock by hand. */
const SEQUENCE = words;
const value = seqLock.read();
const snapshot = seqLock.snapshot();
const copy = new Int32Array(words);
let failed = 0;

// After each of them the newest value is in memory of this thread.
const READS = {
  plain() {
    for (let index = 0; index < words; index++) copy[index] = /** @type {number} */ (shared[index]);
  },
  'seq-lock'() {
    seqLock.read(value);
  },
  'seq-lock-function'() {
    seqLock.read(look);
  },
  snapshot() {
    snapshot.refresh();
  },
  'by-hand'() {
    for (;;) {
      const before = Atomics.load(shared, SEQUENCE);
      for (let index = 0; index < words; index++) copy[index] = /** @type {number} */ (shared[index]);
      if ((before & 1) === 0 && Atomics.load(shared, SEQUENCE) === before) return;
      failed += 1;
    }
  },
  'rw-lock'() {
    rwLock.reader.lock();
    for (let index = 0; index < words; index++) copy[index] = /** @type {number} */ (shared[index]);
    rwLock.reader.unlock();
  },
};

/** @param {import('@sluice/seq-lock').SeqValue} found */
function look(found) {
  return found.int32[0];
}

function write() {
  let number = 0;
  while (Atomics.load(control, STOP) === 0) {
    number += 1;
    if (way === 'rw-lock') {
      rwLock.writer.lock();
      for (let index = 0; index < words; index++) shared[index] = number;
      rwLock.writer.unlock();
    } else seqLock.write((draft) => draft.int32.fill(number));
  }
}

/** One attempt, to count those that fail: on its own, so that counting costs the others nothing. */
function countFailures() {
  let lost = 0;
  for (let attempt = 0; attempt < BATCH; attempt++) if (!seqLock.tryRead(value)) lost += 1;
  return lost;
}

function read() {
  const batch = () => {
    for (let count = 0; count < BATCH; count++) READS[way]();
  };
  while (Atomics.load(control, GO) === 0) batch();
  const lost = way === 'seq-lock' ? countFailures() : 0;
  const began = performance.now();
  let reads = 0;
  for (; Atomics.load(control, STOP) === 0; reads += BATCH) batch();
  const seconds = (performance.now() - began) / 1000;
  if (way === 'seq-lock') failed = (lost * reads) / BATCH;
  parentPort?.postMessage({ reads, failed, seconds });
}

Atomics.add(control, READY, 1);
if (writes) write();
else read();
