// The order of the waiters of an MCS lock, for messages. These waiters draw no tickets: the links from each to the next
// are their order.

import { NEXT, LINE, TAG, type ElementAddress } from '@sluice/core/format';
import type { BlockRef } from '@sluice/core/internal';
import { MAX_RECORDS, roleOf, type Counted } from '@sluice/core/report';
import { NEXT_WAITER } from './kernel/layout.ts';

/**
 * Counts the waiters before an element, without tombstones. Returns `undefined` if the element is not in the queue, or
 * the queue changed during the count. An element that leaves the queue during the walk may lead elsewhere. So each
 * element is checked, and their number is bounded.
 */
export function countBefore({ context, address, tag }: BlockRef, element: ElementAddress | 0): Counted | undefined {
  if (element === 0) return undefined;
  const { words } = context;
  let count = 0;
  let seen = 0;
  for (let at = words.load32(address + NEXT_WAITER); at !== element; at = words.load32(at + NEXT)) {
    if (at === 0 || words.get32(at + LINE) !== address || words.get32(at + TAG) !== tag) return undefined;
    if (++seen > MAX_RECORDS) return { count, isAll: false };
    if (roleOf(context, at) === 'waiter') count += 1;
  }
  return { count, isAll: true };
}
