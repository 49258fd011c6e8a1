// @ts-check
/** @import { JobContext } from '../../src/worker.mjs' */

/** @param {number} data @param {JobContext} context */
export function double(data, { index }) {
  return data * 2 + index;
}

/** @param {unknown} _data @param {JobContext} context */
export function draw(_data, { random }) {
  return [random.next(), random.next()];
}

export function explode() {
  throw new RangeError('boom');
}

export function leave() {
  process.exit(3);
}

/** @param {SharedArrayBuffer} buffer @param {JobContext} context */
export function sleep(buffer, { say }) {
  const words = new Int32Array(buffer);
  say('going to sleep');
  Atomics.add(words, 1, 1);
  Atomics.wait(words, 0, 0);
  return 'woken';
}
