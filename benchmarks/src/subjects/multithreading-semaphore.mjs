// @ts-check
import { Semaphore } from 'multithreading';

const PERMITS = 0;

export function create() {
  const buffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(buffer)[PERMITS] = 1;
  return buffer;
}

/**
 * Attached by the constructor's second argument, as the package's own pool does it.
 * @param {SharedArrayBuffer} buffer
 */
export function open(buffer) {
  const semaphore = new Semaphore(0, buffer);
  /** @type {ReturnType<typeof semaphore.blockingAcquire> | undefined} */
  let guard;
  return {
    acquire() {
      guard = semaphore.blockingAcquire();
    },
    release() {
      guard?.dispose();
    },
  };
}
