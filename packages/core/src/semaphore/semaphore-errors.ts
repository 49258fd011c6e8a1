// The parts of a semaphore's error messages that describe the semaphore.

import { PrimitiveErrors, type ErrorShape } from '../error-text/primitive-errors.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import { BLOCK_TAG, CAPACITY, FLAG_RECOVERY, FLAGS } from '../kernel/layout.ts';

/** Returns the errors of a semaphore. `ordered` tells whether its waiters are served in FIFO order. */
export function permitsErrors(
  className: string,
  ref: BlockRef,
  ordered = true,
  where: Pick<ErrorShape, 'lines' | 'count'> = {},
): PrimitiveErrors {
  return new PrimitiveErrors(
    { className, late: 'gave no permit', untouched: 'No permit was taken.', ordered, state: availability, ...where },
    ref,
  );
}

function availability({ context: { words, kernel }, address, tag }: BlockRef): string {
  const free = words.load32(address + BLOCK_TAG) === tag ? Math.max(0, kernel.balance(address)) : 0;
  const all =
    (words.get32(address + FLAGS) & FLAG_RECOVERY) !== 0 ? ` of ${Number(words.load64(address + CAPACITY))}` : '';
  return `${free}${all} available`;
}
