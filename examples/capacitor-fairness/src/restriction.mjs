// @ts-check
// Concurrency restriction: a lock on which all threads spin, bare and behind capacitors. Prints the critical sections
// per second, and the share of the slowest thread. Arguments: the number of threads, and the seconds for each row.
import { CapacitorLock } from '@sluice/capacitor';
import { argv } from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** @import { CapacitorLockHandle } from '@sluice/capacitor' */

/** Words: 1 while the threads run, 2 at the end; how many threads are ready; then what each thread has done. */
const STATE = 0;
const READY = 1;
const DONE = 2;

/** @typedef {{ word: Int32Array, control: Int32Array, index: number, handle: CapacitorLockHandle | undefined }} Data */

/** A test-and-test-and-set lock: every waiter spins on one word. @param {Int32Array} word */
function spinLock(word) {
  return {
    lock() {
      while (Atomics.exchange(word, 0, 1) === 1) while (Atomics.load(word, 0) === 1);
    },
    unlock() {
      Atomics.store(word, 0, 0);
    },
  };
}

/** Some work, a fraction of a microsecond. @param {number} value */
function work(value) {
  for (let step = 0; step < 50; step++) value = (Math.imul(value, 1103515245) + 12345) | 0;
  return value;
}

/** @param {Data} data */
function compete({ word, control, index, handle }) {
  const inner = spinLock(word);
  const lock = handle === undefined ? inner : CapacitorLock.from(handle, inner);
  Atomics.add(control, READY, 1);
  Atomics.notify(control, READY);
  Atomics.wait(control, STATE, 0);
  let value = index;
  let sections = 0;
  // At least one, even if the time is over before this thread has a core.
  do {
    lock.lock();
    value = work(value);
    lock.unlock();
    value = work(value);
    sections++;
  } while (Atomics.load(control, STATE) === 1);
  control[DONE + index] = sections;
}

/** @param {number} threads @param {number} seconds @param {number | 'adaptive' | undefined} bypassLimit */
async function measure(threads, seconds, bypassLimit) {
  const word = new Int32Array(new SharedArrayBuffer(4));
  const control = new Int32Array(new SharedArrayBuffer(4 * (DONE + threads)));
  const lock = bypassLimit === undefined ? undefined : CapacitorLock.create(spinLock(word), { bypassLimit });
  const ends = Array.from({ length: threads }, (_, index) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { word, control, index, handle: lock?.handle } });
    return new Promise((resolve) => worker.once('exit', resolve));
  });
  for (let ready = 0; ready < threads; ready = Atomics.load(control, READY)) {
    const { value } = Atomics.waitAsync(control, READY, ready);
    await value;
  }
  Atomics.store(control, STATE, 1);
  Atomics.notify(control, STATE);
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  Atomics.store(control, STATE, 2);
  await Promise.all(ends);
  const each = [...control.subarray(DONE)];
  const sum = each.reduce((all, some) => all + some, 0);
  return { perSecond: Math.round(sum / seconds), share: Math.min(...each) / Math.max(1, ...each) };
}

if (isMainThread) {
  const [threads = 8, seconds = 1] = argv.slice(2).map(Number);
  for (const bypassLimit of /** @type {const} */ ([undefined, 10, 2, 'adaptive'])) {
    const { perSecond, share } = await measure(threads, seconds, bypassLimit);
    const name = bypassLimit === undefined ? 'bare' : `bypassLimit: ${bypassLimit}`;
    console.log(
      `${name.padEnd(22)} ${perSecond.toLocaleString('en')} per second, slowest / fastest ${share.toFixed(3)}`,
    );
  }
} else compete(/** @type {Data} */ (workerData));
