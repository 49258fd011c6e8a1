// @ts-check
import { Mutex } from 'multithreading';

export function create() {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/**
 * The package hands its locks to workers of its own pool only. The constructor's second argument, which its pool uses
 * too, attaches to the same word from the workers of this benchmark.
 * @param {SharedArrayBuffer} buffer
 */
export function open(buffer) {
  const mutex = new Mutex(undefined, buffer);
  /** @type {ReturnType<typeof mutex.blockingLock> | undefined} */
  let guard;
  return {
    acquire() {
      guard = mutex.blockingLock();
    },
    release() {
      guard?.dispose();
    },
  };
}
