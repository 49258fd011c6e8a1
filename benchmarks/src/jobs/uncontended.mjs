// @ts-check
import { main } from '../lib/jobs.mjs';
import { pairLoops } from '../lib/pair-loops.mjs';
import { median, min } from '../lib/statistics.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/**
 * One operation of one subject on one thread, in blocks that alternate with blocks of two bare `Atomics.add`.
 * @typedef {object} UncontendedSpecification
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {keyof typeof pairLoops} operation
 * @property {import('../subjects/subject.mjs').SubjectOptions} [options]
 * @property {number} blocks
 * @property {number} blockMillis
 */

/**
 * @typedef {object} UncontendedResult
 * @property {number} pairNanos
 * @property {number} pairNanosMin
 * @property {number} twoAddsNanos
 * @property {number} ratio
 */

const words = new Int32Array(new SharedArrayBuffer(256));

/** @param {number} count */
function twoAdds(count) {
  for (let i = 0; i < count; i++) {
    Atomics.add(words, 0, 1);
    Atomics.add(words, 1, 1);
  }
}

/**
 * @param {(count: number) => void | Promise<void>} loop
 * @param {number} count
 * @returns {Promise<number>} nanoseconds for each pass
 */
async function time(loop, count) {
  const start = performance.now();
  await loop(count);
  return ((performance.now() - start) * 1e6) / count;
}

/**
 * Warms the loop up, until all of it is compiled for speed, and finds how many passes fill a block.
 * @param {(count: number) => void | Promise<void>} loop
 * @param {number} blockMillis
 */
async function passesPerBlock(loop, blockMillis) {
  let nanos = await time(loop, 1000);
  for (let i = 0; i < 20; i++) nanos = await time(loop, Math.ceil((blockMillis * 1e6) / nanos));
  return Math.ceil((blockMillis * 1e6) / nanos);
}

await main(
  /** @param {UncontendedSpecification} specification @returns {Promise<UncontendedResult>} */
  async ({ subject: name, operation, options = {}, blocks, blockMillis }) => {
    const subject = await loadSubject(name);
    const lock = subject.open(/** @type {never} */ (subject.create(options)));
    const loop = (/** @type {number} */ count) => pairLoops[operation](/** @type {never} */ (lock), count);
    const counts = { pair: await passesPerBlock(loop, blockMillis), adds: await passesPerBlock(twoAdds, blockMillis) };
    const pairs = [];
    const adds = [];
    for (let i = 0; i < blocks; i++) {
      adds.push(await time(twoAdds, counts.adds));
      pairs.push(await time(loop, counts.pair));
    }
    const pairNanos = median(pairs);
    const twoAddsNanos = median(adds);
    return { pairNanos, pairNanosMin: min(pairs), twoAddsNanos, ratio: pairNanos / twoAddsNanos };
  },
);
