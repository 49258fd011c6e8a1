// Steps of the heap and of the pools. A block or record belongs to the agent that moved one word of it by CAS, and says
// so itself: a claimed block by its words KIND and OWNER, a record by its word OWNER.

import {
  AGENT_STATE,
  AGENT_ALIVE,
  AGENT_SWEEP,
  AGENT_THREAD,
  BLOCK_KIND,
  BLOCK_OWNER,
  BLOCK_SIZE,
  BLOCK_TAG,
  GATE,
  HEADER_BUCKET_MASK,
  HEADER_FREED,
  HEADER_TOP,
  KIND_CLAIMED,
  KIND_FREE,
  KIND_POOL,
  OWNER,
  POOL_NEXT,
} from './layout.ts';
import { FREE, FULL, RACED, TAKEN, WAITING } from './states.ts';
import { add32, cas32, get32, load32, put32, store32 } from './words.ts';

/** Claims a free record of a pool: an element, FREE, or a ledger, whose second word means nothing. */
export function claim(record: i32, owner: i32): i32 {
  if (cas32(record + OWNER, 0, owner) !== 0) return RACED;
  put32(record + GATE, FREE);
  return TAKEN;
}

/** Claims a free agent record: from this step on the agent with this id can be found by its thread. */
export function enrol(record: i32, id: i32, thread: i32): i32 {
  if (cas32(record + OWNER, 0, id) !== 0) return RACED;
  put32(record + AGENT_THREAD, thread);
  put32(record + AGENT_STATE, AGENT_ALIVE);
  return TAKEN;
}

/** Takes a new block from the end of the heap: its address, or FULL (past `limit`) or RACED. */
export function extend(owner: i32, size: i32, limit: i32): i32 {
  const block = load32(HEADER_TOP);
  // Not `block + size > limit`: the sum may pass 2^31.
  if (size > limit - block) return FULL;
  if (cas32(HEADER_TOP, block, block + size) !== block) return RACED;
  put32(block + BLOCK_KIND, KIND_CLAIMED);
  put32(block + BLOCK_OWNER, owner);
  // Last: a search of the heap ends at a block without a size, so it never sees one whose kind is unwritten.
  store32(block + BLOCK_SIZE, size);
  return block;
}

/** Takes a free block of exactly `size` bytes. WAITING: it is not free or not of that size. */
export function reuse(owner: i32, block: i32, size: i32): i32 {
  if (load32(block + BLOCK_SIZE) !== size || load32(block + BLOCK_KIND) !== KIND_FREE) return WAITING;
  if (cas32(block + BLOCK_KIND, KIND_FREE, KIND_CLAIMED) !== KIND_FREE) return WAITING;
  put32(block + BLOCK_OWNER, owner);
  add32(HEADER_FREED, -1);
  return TAKEN;
}

/** Makes a claimed and filled block a primitive. */
export function publish(block: i32, kind: i32, tag: i32): void {
  put32(block + BLOCK_KIND, kind);
  // Last: whoever finds this tag finds everything else.
  store32(block + BLOCK_TAG, tag);
}

/**
 * Makes a claimed and filled block part of a pool, in front of `newest`. RACED: the pool has another newest block by now,
 * nothing was changed.
 */
export function addToPool(pool: i32, block: i32, newest: i32): i32 {
  put32(block + POOL_NEXT, newest);
  put32(block + BLOCK_KIND, KIND_POOL);
  if (cas32(pool, newest, block) === newest) return TAKEN;
  put32(block + BLOCK_KIND, KIND_CLAIMED);
  return RACED;
}

/** Closes a primitive; run the walk, which sweeps all buckets. RACED: it was closed or freed before. */
export function close(agent: i32, block: i32, tag: i32): i32 {
  if (cas32(block + BLOCK_TAG, tag, -tag) !== tag) return RACED;
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
  return TAKEN;
}

/** Takes a primitive with that tag out of use; free its block, and run the walk. RACED: the tag was another. */
export function retire(agent: i32, block: i32, tag: i32): i32 {
  if (cas32(block + BLOCK_TAG, tag, 0) !== tag) return RACED;
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
  // In this order: KIND_CLAIMED beside the id of its creator, who may be dead, would be that agent's to give back.
  store32(block + BLOCK_OWNER, get32(agent + OWNER));
  store32(block + BLOCK_KIND, KIND_CLAIMED);
  return TAKEN;
}

/** Gives a claimed block back to the heap. */
export function freeBlock(block: i32): void {
  // Before the kind: who takes it next writes its own id after the kind, and until then the block must be nobody's.
  store32(block + BLOCK_OWNER, 0);
  add32(HEADER_FREED, 1);
  // Last: from here on any agent may claim it.
  store32(block + BLOCK_KIND, KIND_FREE);
}
