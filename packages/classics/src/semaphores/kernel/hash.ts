// The hash of the waiting array (Dice & Kogan: TWAHash), and the variants of it that the paper names. A
// WaitingArraySemaphore has one of them.
//
//   HASH_*    index, modulo the number of buckets                       what it changes
//   LINEAR    address · 31 + ticket · 17                                the paper's, and the core's (`bucketOf`)
//   PRODUCT   address · ticket · 17                                     a stride of its own for each semaphore
//   PAIRS     address · 31 + (ticket / 2) · 17                          a post also wakes the waiter behind
//   PAGES     LINEAR below 64; ticket / 64 selects the page of 64       a stream of tickets stays in a page
//   GRAY      address · 31 + Gray code of the ticket · 17               consecutive tickets differ in one bit
//   MIXED     mix(address, ticket / buckets) + ticket · 17              two semaphores in step part after a round
//
// A round has as many tickets as there are buckets (with PAIRS twice as many). In a round a semaphore visits every
// bucket once. GRAY reverses its order from round to round, and MIXED begins each round elsewhere. So two tickets near
// the end of a round may share a bucket.
// Any twice as many tickets as buckets contain a whole round, so a post of many permits tells no more (posts.ts).

import {
  asBucket,
  BUCKETS,
  BUCKET_SHIFT,
  HEADER_BUCKET_MASK,
  type BucketAddress,
  type LineAddress,
} from '@sluice/core/format';
import { get32, low32, times32, wide } from '@sluice/core/kernel';
import {
  HASH_GRAY,
  HASH_MASK,
  HASH_MIXED,
  HASH_PAGES,
  HASH_PAIRS,
  HASH_PRODUCT,
  HASH_SHIFT,
  NEAR_TICKETS,
} from './layout.ts';

/** log2 of the number of buckets in a page of 4096 bytes. */
const PAGE_BITS: i32 = 6;
const PAGE_MASK: i32 = 63;

/** Returns the bucket of a ticket at a line with FLAG_ARRAY. */
export function slotOf(line: LineAddress, key: i64): BucketAddress {
  const mask = get32(HEADER_BUCKET_MASK);
  const index = indexOf((get32(line + NEAR_TICKETS) >>> HASH_SHIFT) & HASH_MASK, line >>> 7, low32(key), mask);
  return asBucket(BUCKETS + ((index & mask) << BUCKET_SHIFT));
}

/**
 * Returns the bucket of a ticket at a semaphore with a waiting array.
 *
 * @takes Nothing, it reads
 */
export function slotOfTicket(line: LineAddress, key: i32): BucketAddress {
  return slotOf(line, wide(key));
}

function indexOf(hash: i32, address: i32, ticket: i32, mask: i32): i32 {
  // The factor is odd, so that the tickets visit every bucket. Each semaphore has its own factor.
  if (hash === HASH_PRODUCT) return times32(times32((address << 1) | 1, ticket), 17);
  if (hash === HASH_PAGES) {
    const within = times32(address, 31) + times32(ticket, 17);
    return (within & PAGE_MASK) | ((ticket >>> PAGE_BITS) << PAGE_BITS);
  }
  if (hash === HASH_MIXED) return mix32(times32(address, -1640531535) + (ticket & ~mask)) + times32(ticket, 17);
  const seen = hash === HASH_PAIRS ? ticket >>> 1 : hash === HASH_GRAY ? ticket ^ (ticket >>> 1) : ticket;
  return times32(address, 31) + times32(seen, 17);
}

/** Mix32A of the paper. */
function mix32(value: i32): i32 {
  const once = times32(value ^ (value >>> 16), -1698786077);
  const twice = times32(once ^ (once >>> 16), -1698786077);
  return twice ^ (twice >>> 16);
}
