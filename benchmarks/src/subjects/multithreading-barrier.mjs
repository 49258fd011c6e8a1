// @ts-check
import { Barrier } from 'multithreading';

/** Words of the package's barrier: a lock, the parties, how many are still to come, the generation. */
const WORDS = 4;

/** @param {import('./subject.mjs').SubjectOptions} options */
export function create({ parties = 2 }) {
  const buffer = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(buffer).set([0, parties, parties, 0]);
  return buffer;
}

/**
 * Attached by the constructor's second argument, as the package's own pool does it.
 * @param {SharedArrayBuffer} buffer
 */
export function open(buffer) {
  const barrier = new Barrier(undefined, buffer);
  return { meet: () => void barrier.blockingWait() };
}
