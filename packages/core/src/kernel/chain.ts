// Chains of the waiting array: a concurrent pop-stack per bucket with the operations "push one" and "detach all" (Dice
// & Kogan, Listing 3). Differences from the paper: an explicit `next` word links the elements, and the agent that
// detaches a chain checks each waiter's condition itself instead of waking all waiters. So another agent may put an
// element back.
//
// A line with FLAG_OWN_CHAIN contains a chain of its own. Only agents that have loaded the line's kind walk that chain,
// because each kind visits its elements differently. A chain that such an agent has detached is in the kind's area of
// its record, and AGENT_DUTY_KIND names the kind.

import {
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  BLOCK_KIND,
  BUCKETS,
  BUCKET_SHIFT,
  FLAGS,
  FLAG_OWN_CHAIN,
  HEADER_BUCKET_MASK,
  KIND_AREA,
  LAST_BASE_KIND,
  NEXT,
  OWNER,
  OWN_CHAIN,
  UP,
} from './layout.ts';
import { cas32, exchange32, get32, load32, low32, put32, store32, times32, wide } from './words.ts';
import type {
  AgentAddress,
  AreaAddress,
  BucketAddress,
  ChainAddress,
  ElementAddress,
  LineAddress,
} from './addresses.ts';
import { asArea, asBucket, asChain } from './addresses.ts';

/**
 * The bucket of a key (a semaphore and one of its tickets). Ticket-aware: 17 is coprime with the power-of-two size, so
 * consecutive tickets visit every bucket before they repeat. The factor 31 separates the semaphores of neighbouring
 * blocks.
 */
export function bucketOf(line: LineAddress, key: i64): BucketAddress {
  const mask = get32(HEADER_BUCKET_MASK);
  const index = (times32(line >>> 7, 31) + times32(low32(key), 17)) & mask;
  return asBucket(BUCKETS + (index << BUCKET_SHIFT));
}

/** The bucket of a key, for the code around the kernel. */
export function bucketAt(line: LineAddress, key: i32): BucketAddress {
  return bucketOf(line, wide(key));
}

export function hasOwnChain(line: LineAddress): boolean {
  return (get32(line + FLAGS) & FLAG_OWN_CHAIN) !== 0;
}

/**
 * Returns the code of the kind that walks the line's chain, or 0 if the core walks it. The core also walks the chain of
 * a freed line, whose code has become KIND_LEAVING: all waiters there get the same verdict.
 */
function walkerOf(line: LineAddress): i32 {
  const kind = hasOwnChain(line) ? load32(line + BLOCK_KIND) : 0;
  return kind > LAST_BASE_KIND ? kind : 0;
}

/** Returns the head of the chain in which an element of that line waits for the release of `key`. */
export function chainOf(line: LineAddress, key: i64): ChainAddress {
  return hasOwnChain(line) ? asChain(line + OWN_CHAIN) : bucketOf(line, key);
}

/**
 * Returns the part of the agent's record for operations in flight at that line, and records the kind whose walk
 * follows.
 */
export function areaOf(agent: AgentAddress, line: LineAddress): AreaAddress {
  const walker = walkerOf(line);
  if (walker === 0) return agent;
  // Write this before anything is in flight: with `jsEngine` an agent may die in between. A kind without a walk is
  // harmless, but a chain without a kind is lost.
  put32(agent + AGENT_DUTY_KIND, walker);
  return asArea(agent + KIND_AREA);
}

/**
 * Detaches a chain of that line. For a line with its own chain, it also does the work of a post. Run the walk
 * afterwards.
 */
export function detachOf(agent: AgentAddress, line: LineAddress, head: ChainAddress): void {
  if (load32(head) !== 0) detach(areaOf(agent, line), head);
}

/**
 * Pushes an element that no other agent can reach. Returns false, with nothing changed, if another push or detach was
 * faster.
 */
export function push(bucket: ChainAddress, element: ElementAddress): boolean {
  const head = load32(bucket);
  put32(element + NEXT, head);
  return cas32(bucket, head, element) === head;
}

/**
 * Detaches the whole chain of a bucket, and puts it on top of the chains that this area of a record still has to walk.
 */
export function detach(area: AreaAddress, bucket: ChainAddress): void {
  if (load32(bucket) === 0) return;
  const chain = exchange32(bucket, 0);
  if (chain === 0) return;
  put32(chain + UP, get32(area + AGENT_CHAIN));
  put32(area + AGENT_CHAIN, chain);
}

/**
 * Returns an element to the pool. Its gate stays SPENT: a FREE gate together with an owner means that the owner can use
 * the element. If that owner died, the recovering agent could take the element away a second time.
 */
export function discard(element: ElementAddress): void {
  store32(element + OWNER, 0);
}
