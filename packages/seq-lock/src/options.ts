// The options of a seq-lock.

import { checkInteger, checkOptions } from '@sluice/core/calls';
import { MUTEX_OPTIONS, type MutexOptions } from '@sluice/mutex/internal';

export interface SeqLockOptions extends MutexOptions {
  /**
   * The length of the value in bytes, 1 to 1,048,576. A copy takes time in proportion to it; some dozens of bytes are
   * usual.
   */
  readonly byteLength: number;
}

export const OPTIONS: readonly string[] = [...MUTEX_OPTIONS, 'byteLength'];
const MAX_BYTES = 2 ** 20;

/** Returns the length of the value. Throws `TypeError` and `RangeError`. */
export function lengthOf(options: SeqLockOptions): number {
  checkOptions(options, OPTIONS);
  return checkInteger('byteLength', options.byteLength, 1, MAX_BYTES);
}
