// Steps of the heap and of the pools. A block or record belongs to the agent that moved one word of it by CAS; the
// agent's record names a block from that step on until the step that publishes it.

import {
  AGENT_ALLOCATION,
  BLOCK_KIND,
  BLOCK_OWNER,
  BLOCK_SIZE,
  BLOCK_TAG,
  HEADER_FREED,
  HEADER_TOP,
  KIND_CLAIMED,
  KIND_FREE,
  KIND_POOL,
  OWNER,
  POOL_NEXT,
} from './layout.ts';
import { FULL, RACED, TAKEN, WAITING } from './states.ts';
import { add32, cas32, load32, put32, store32 } from './words.ts';

/** Claims a free record of a pool. */
export function claim(record: i32, agent: i32): i32 {
  return cas32(record + OWNER, 0, agent) === 0 ? TAKEN : RACED;
}

/** Takes a new block from the end of the heap: its address, or FULL (past `limit`) or RACED. */
export function extend(agent: i32, owner: i32, size: i32, limit: i32): i32 {
  const block = load32(HEADER_TOP);
  // Not `block + size > limit`: the sum may pass 2^31.
  if (size > limit - block) return FULL;
  if (cas32(HEADER_TOP, block, block + size) !== block) return RACED;
  put32(agent + AGENT_ALLOCATION, block);
  put32(block + BLOCK_KIND, KIND_CLAIMED);
  put32(block + BLOCK_OWNER, owner);
  // Last: a search of the heap ends at a block without a size, so it never sees one whose kind is unwritten.
  store32(block + BLOCK_SIZE, size);
  return block;
}

/** Takes a free block of exactly `size` bytes. WAITING: it is not free or not of that size. */
export function reuse(agent: i32, owner: i32, block: i32, size: i32): i32 {
  if (load32(block + BLOCK_SIZE) !== size || load32(block + BLOCK_KIND) !== KIND_FREE) return WAITING;
  if (cas32(block + BLOCK_KIND, KIND_FREE, KIND_CLAIMED) !== KIND_FREE) return WAITING;
  put32(agent + AGENT_ALLOCATION, block);
  put32(block + BLOCK_OWNER, owner);
  add32(HEADER_FREED, -1);
  return TAKEN;
}

/** Makes a claimed and filled block a primitive. */
export function publish(agent: i32, block: i32, kind: i32, tag: i32): void {
  put32(block + BLOCK_KIND, kind);
  put32(agent + AGENT_ALLOCATION, 0);
  // Last: whoever finds this tag finds everything else.
  store32(block + BLOCK_TAG, tag);
}

/**
 * Makes a claimed and filled block part of a pool, in front of `newest`. RACED: the pool has another newest block by now,
 * nothing was changed.
 */
export function addToPool(agent: i32, pool: i32, block: i32, newest: i32): i32 {
  put32(block + POOL_NEXT, newest);
  put32(block + BLOCK_KIND, KIND_POOL);
  if (cas32(pool, newest, block) !== newest) {
    put32(block + BLOCK_KIND, KIND_CLAIMED);
    return RACED;
  }
  put32(agent + AGENT_ALLOCATION, 0);
  return TAKEN;
}

/** Moves a block's tag: `tag` to `-tag` closes a primitive, to 0 retires it. RACED: the tag was another. */
export function retag(block: i32, from: i32, to: i32): i32 {
  return cas32(block + BLOCK_TAG, from, to) === from ? TAKEN : RACED;
}

/** Gives a retired or a claimed block back to the heap. */
export function freeBlock(agent: i32, block: i32): void {
  put32(agent + AGENT_ALLOCATION, 0);
  add32(HEADER_FREED, 1);
  // Last: from here on any agent may claim it.
  store32(block + BLOCK_KIND, KIND_FREE);
}
