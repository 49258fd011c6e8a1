// @ts-check
import { main } from '../lib/jobs.mjs';
import { median, min } from '../lib/statistics.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/**
 * One operation of one subject on one thread, in blocks that alternate with blocks of two bare `Atomics.add`.
 * @typedef {object} UncontendedSpecification
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {keyof typeof loops} operation
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

/** @typedef {import('../subjects/subject.mjs').Lock & import('../subjects/subject.mjs').ScopedLock & import('@sluice/core').Semaphore} AnyLock */

// One plain loop for each operation. A process runs one of them only, so the compiler sees one kind of lock in it.
const loops = {
  /** @param {AnyLock} lock @param {number} count */
  acquire(lock, count) {
    for (let i = 0; i < count; i++) {
      lock.acquire();
      lock.release();
    }
  },
  /** @param {AnyLock} lock @param {number} count */
  tryAcquire(lock, count) {
    for (let i = 0; i < count; i++) {
      if (!lock.tryAcquire()) throw new Error('a free permit was refused');
      lock.release();
    }
  },
  /** @param {AnyLock} lock @param {number} count */
  hold(lock, count) {
    for (let i = 0; i < count; i++) lock.hold().release();
  },
  /** @param {AnyLock} lock @param {number} count */
  async acquireAsync(lock, count) {
    for (let i = 0; i < count; i++) {
      await lock.acquireAsync();
      lock.release();
    }
  },
  /** @param {AnyLock} lock @param {number} count */
  locked(lock, count) {
    const nothing = () => {};
    for (let i = 0; i < count; i++) lock.locked(nothing);
  },
};

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
 * Warms the loop up and finds how many passes fill a block.
 * @param {(count: number) => void | Promise<void>} loop
 * @param {number} blockMillis
 */
async function passesPerBlock(loop, blockMillis) {
  let nanos = await time(loop, 1000);
  for (let i = 0; i < 6; i++) nanos = await time(loop, Math.ceil((blockMillis * 1e6) / nanos));
  return Math.ceil((blockMillis * 1e6) / nanos);
}

await main(
  /** @param {UncontendedSpecification} specification @returns {Promise<UncontendedResult>} */
  async ({ subject: name, operation, options = {}, blocks, blockMillis }) => {
    const subject = await loadSubject(name);
    const lock = /** @type {AnyLock} */ (subject.open(/** @type {never} */ (subject.create(options))));
    const loop = (/** @type {number} */ count) => loops[operation](lock, count);
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
