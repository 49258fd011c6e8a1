// A read whose first attempt has failed.

import { NONE, type Sequence } from './sequence.ts';
import type { Writers } from './writers.ts';

/** The number of attempts of a read before it waits for the writers' mutex. */
export const ATTEMPTS = 8;
/**
 * The number of attempts of a read on a thread that must not wait. A thread that loses this often is stopped again and
 * again while others write.
 */
const MAX_ATTEMPTS = 1000;

/**
 * Copies the value, and returns its version: tries again, then waits in line with the writers. Throws `MisuseError` if
 * the seq-lock was freed, and as `lock` of a mutex does.
 */
export function readContended(sequence: Sequence, writers: Writers, into: Int32Array): number {
  writers.check();
  const attempts = writers.mayStandInLine ? ATTEMPTS : MAX_ATTEMPTS;
  for (let tries = 1; tries < attempts; tries++) {
    const version = sequence.tryLoad(into);
    if (version !== NONE) return version;
  }
  writers.lock();
  try {
    sequence.load(into);
    return sequence.version;
  } finally {
    writers.unlock();
  }
}
