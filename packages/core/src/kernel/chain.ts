// Chains of the waiting array: a concurrent pop-stack per bucket, push one and detach all (Dice & Kogan, Listing 3).
// Differences from the paper: elements are linked by an explicit `next` word, and the agent that detaches a chain checks each waiter's
// condition itself instead of waking all of them. So another agent may put an element back.

import { AGENT_CHAIN, BUCKETS, BUCKET_SHIFT, HEADER_BUCKET_MASK, NEXT, OWNER, UP } from './layout.ts';
import { cas32, exchange32, get32, load32, low32, put32, store32, times32 } from './words.ts';

/**
 * The bucket of a key (a semaphore and one of its tickets). Ticket-aware: 17 is coprime with the power-of-two size, so consecutive tickets
 * visit every bucket before they repeat. The factor 31 separates the semaphores of neighbouring blocks.
 */
export function bucketOf(sem: i32, key: i64): i32 {
  const mask = get32(HEADER_BUCKET_MASK);
  const index = (times32(sem >>> 7, 31) + times32(low32(key), 17)) & mask;
  return BUCKETS + (index << BUCKET_SHIFT);
}

/** Pushes an element that the caller has to itself. False: lost to another push or detach, nothing changed. */
export function push(bucket: i32, element: i32): boolean {
  const head = load32(bucket);
  put32(element + NEXT, head);
  return cas32(bucket, head, element) === head;
}

/** Detaches the whole chain of a bucket and puts it on top of the chains that this agent still has to walk. */
export function detach(agent: i32, bucket: i32): void {
  if (load32(bucket) === 0) return;
  const chain = exchange32(bucket, 0);
  if (chain === 0) return;
  put32(chain + UP, get32(agent + AGENT_CHAIN));
  put32(agent + AGENT_CHAIN, chain);
}

/**
 * Returns an element to the pool. Its gate stays SPENT: FREE together with an owner means that the owner can use the element. If the owner
 * died, the recovering agent could take such an element away a second time.
 */
export function discard(element: i32): void {
  store32(element + OWNER, 0);
}
