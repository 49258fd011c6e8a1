// The names of the hashes of the waiting array (kernel/hash.ts).

import { show } from '@sluice/core/calls';
import { HASH_GRAY, HASH_LINEAR, HASH_MIXED, HASH_PAGES, HASH_PAIRS, HASH_PRODUCT } from './kernel/layout.ts';

/**
 * Maps tickets to buckets of the waiting array.
 *
 * - `linear`: the paper's. Consecutive tickets visit every bucket before they repeat one. Two semaphores whose tickets
 *   keep a certain distance share a bucket at each ticket.
 * - `product`: multiplies address and ticket, so each semaphore visits the buckets in a stride of its own.
 * - `pairs`: two consecutive tickets share a bucket. A post may wake the next waiter early.
 * - `pages`: 64 consecutive tickets stay in one page of memory.
 * - `gray`: as `linear`, with the Gray code of the ticket.
 * - `mixed`: as `linear`, with an offset that changes in each round. So two semaphores share buckets for at most one
 *   round.
 */
export type TicketHash = 'linear' | 'product' | 'pairs' | 'pages' | 'gray' | 'mixed';

const HASHES: ReadonlyMap<TicketHash, number> = new Map<TicketHash, number>([
  ['linear', HASH_LINEAR],
  ['product', HASH_PRODUCT],
  ['pairs', HASH_PAIRS],
  ['pages', HASH_PAGES],
  ['gray', HASH_GRAY],
  ['mixed', HASH_MIXED],
]);

/** Returns the HASH_* of a name. Throws `TypeError`, `RangeError`. */
export function hashOf(name: unknown): number {
  if (typeof name !== 'string') throw new TypeError(`hash must be a string: received ${show(name)}`);
  const hash = HASHES.get(name as TicketHash);
  if (hash === undefined)
    throw new RangeError(`hash must be one of ${[...HASHES.keys()].join(', ')}: received ${show(name)}`);
  return hash;
}
