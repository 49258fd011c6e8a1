// Steps of the heap and of the pools. A claimed block names its agent in its words KIND and OWNER, and a claimed record
// in its word OWNER. ../memory/heap.ts explains how the heap uses these steps.

import { detachOf, hasOwnChain } from './chain.ts';
import {
  AGENT_STATE,
  AGENT_ALIVE,
  AGENT_SWEEP,
  AGENT_THREAD,
  BLOCK_ERA,
  BLOCK_KIND,
  BLOCK_NEXT,
  BLOCK_OWNER,
  BLOCK_SIZE,
  BLOCK_TAG,
  GATE,
  HEADER_BUCKET_MASK,
  HEADER_FREED,
  HEADER_MAP,
  HEADER_TOP,
  KIND_CLAIMED,
  KIND_FREE,
  KIND_LEAVING,
  KIND_POOL,
  OWNER,
  POOL_NEXT,
  OWN_CHAIN,
} from './layout.ts';
import { FREE, NO_ROOM, RACED, TAKEN, WAITING, type TakeOutcome } from './states.ts';
import { add32, cas32, cas64, get32, high32, load32, load64, low32, pair, put32, store32 } from './words.ts';
import type { AgentAddress, BlockAddress, LineAddress } from './addresses.ts';
import { asBlock, asChain } from './addresses.ts';

/** log2 of the bytes of a line, and of the bytes that one word of the map covers. */
const LINE_SHIFT: i32 = 7;
const MAP_SHIFT: i32 = 12;
const LINES_MASK: i32 = 31;

/**
 * Claims a free record of a pool. An element becomes FREE. The second word of a ledger has no meaning.
 *
 * @takes A free element or ledger: `OWNER` by CAS
 * @leaves `OWNER`; `GATE` FREE
 * @death Goes back to the pool: `OWNER` 0
 */
export function claim(record: i32, owner: i32): TakeOutcome {
  if (cas32(record + OWNER, 0, owner) !== 0) return RACED;
  put32(record + GATE, FREE);
  return TAKEN;
}

/**
 * Claims a free agent record. From this step on, other agents can find the agent with this id by its thread.
 *
 * @takes A free agent record: `OWNER` by CAS
 * @leaves `OWNER`, `AGENT_THREAD`, `AGENT_STATE` alive
 * @death Goes back to the pool once the thread is known to have ended, because the agent has no token yet (decision
 *   016)
 */
export function claimRecord(record: i32, id: i32, thread: i32): TakeOutcome {
  if (cas32(record + OWNER, 0, id) !== 0) return RACED;
  put32(record + AGENT_THREAD, thread);
  put32(record + AGENT_STATE, AGENT_ALIVE);
  return TAKEN;
}

/** The word of the map that has the block's bit. */
function mapWord(block: i32): i32 {
  return get32(HEADER_MAP) + ((block >>> MAP_SHIFT) << 2);
}

function mapBit(block: i32): i32 {
  return 1 << ((block >>> LINE_SHIFT) & LINES_MASK);
}

/** Whether a block begins at that address. */
export function isStart(address: i32): boolean {
  return (load32(mapWord(address)) & mapBit(address)) !== 0;
}

/** Sets the block's bit by an add. The bit is 0 before, because only the agent that makes the block sets it. */
function markStart(block: BlockAddress): void {
  add32(mapWord(block), mapBit(block));
}

function clearStart(block: BlockAddress): void {
  add32(mapWord(block), 0 - mapBit(block));
}

/**
 * Takes a new block from the end of the heap and returns its address. Returns NO_ROOM if the block would extend past
 * `limit`, and RACED if it lost a race: call again.
 *
 * @takes A new block: `HEADER_TOP` by CAS
 * @leaves `BLOCK_KIND` claimed, `BLOCK_OWNER`, `BLOCK_SIZE`, the map
 * @death Freed
 */
export function extend(owner: i32, size: i32, limit: i32): BlockAddress | typeof NO_ROOM | typeof RACED {
  const block = asBlock(load32(HEADER_TOP));
  // Not `block + size > limit`: the sum may exceed 2^31.
  if (size > limit - block) return NO_ROOM;
  if (cas32(HEADER_TOP, block, block + size) !== block) return RACED;
  put32(block + BLOCK_KIND, KIND_CLAIMED);
  put32(block + BLOCK_OWNER, owner);
  put32(block + BLOCK_SIZE, size);
  // Write this last: until then a walk over the blocks does not see the block.
  markStart(block);
  return block;
}

/**
 * Puts a block that `owner` has claimed on a list, as KIND_FREE or KIND_RETIRED. Returns RACED if another agent changed
 * the list; then nothing else was changed. The high half of a list's head counts its changes. So an agent can tell a
 * head with the same block from the head that it read.
 *
 * @takes The block, to a list: the list's head by CAS
 * @leaves `BLOCK_KIND` free or retired, `BLOCK_NEXT`, `HEADER_FREED` + 1; unchanged if the CAS lost
 * @death Nothing if the CAS won; otherwise the block is freed
 */
export function pushFreeBlock(list: i32, block: BlockAddress, owner: i32, kind: i32): TakeOutcome {
  const head = load64(list);
  const claimed = load32(block + BLOCK_KIND);
  // Write the kind first: beside KIND_CLAIMED, the address could be taken for the id of the agent that claimed the
  // block.
  store32(block + BLOCK_KIND, kind);
  store32(block + BLOCK_NEXT, low32(head));
  if (cas64(list, head, pair(block, high32(head) + 1)) !== head) {
    store32(block + BLOCK_OWNER, owner);
    store32(block + BLOCK_KIND, claimed);
    return RACED;
  }
  if (kind === KIND_FREE) add32(HEADER_FREED, 1);
  return TAKEN;
}

/**
 * Takes the first block off a list, claims it as `kind` (KIND_CLAIMED or KIND_LEAVING) and returns its address. Returns
 * WAITING if the list is empty, and RACED if it lost a race: call again.
 *
 * @takes The first block of a list: the list's head by CAS
 * @leaves `BLOCK_OWNER`, then `BLOCK_KIND` claimed or leaving; `HEADER_FREED` - 1
 * @death Freed
 */
export function popFreeBlock(list: i32, owner: i32, kind: i32): BlockAddress | typeof WAITING | typeof RACED {
  const head = load64(list);
  const block = asBlock(low32(head));
  if (block === 0) return WAITING;
  // If another agent has taken the block meanwhile, this value is meaningless and the compare-and-swap fails.
  const next = load32(block + BLOCK_NEXT);
  if (cas64(list, head, pair(next, high32(head) + 1)) !== head) return RACED;
  if (kind === KIND_CLAIMED) add32(HEADER_FREED, -1);
  // Write the owner first, for the same reason as in `pushFreeBlock`.
  store32(block + BLOCK_OWNER, owner);
  store32(block + BLOCK_KIND, kind);
  return block;
}

/**
 * Splits a claimed block: it keeps `size` bytes, and the rest becomes a claimed block of the same agent. Returns the
 * address of the rest.
 *
 * @takes The rest of a claimed block, as a claimed block of its own
 * @leaves `BLOCK_SIZE` of both, `BLOCK_OWNER` and `BLOCK_KIND` of the rest, the map
 * @death Both freed
 */
export function split(block: BlockAddress, size: i32, owner: i32): BlockAddress {
  const rest = asBlock(block + size);
  const bytes = get32(block + BLOCK_SIZE) - size;
  // Write this before the rest exists: with `jsEngine` an agent may die in between, and lost bytes are better than
  // bytes in two blocks.
  store32(block + BLOCK_SIZE, size);
  put32(rest + BLOCK_TAG, 0);
  put32(rest + BLOCK_OWNER, owner);
  put32(rest + BLOCK_SIZE, bytes);
  put32(rest + BLOCK_KIND, KIND_CLAIMED);
  markStart(rest);
  return rest;
}

/**
 * Joins two claimed blocks of the same agent. `next` begins where `block` ends.
 *
 * @takes A claimed block, into the claimed block before it
 * @leaves The map, then `BLOCK_SIZE`
 * @death Freed
 */
export function absorb(block: BlockAddress, next: BlockAddress): void {
  const bytes = get32(block + BLOCK_SIZE) + get32(next + BLOCK_SIZE);
  // Keep this order for the same reason as in `split`.
  clearStart(next);
  store32(block + BLOCK_SIZE, bytes);
}

/**
 * Makes a claimed, filled block a primitive. `era` is the number of times that the tags have wrapped.
 *
 * @takes The block, to all agents
 * @leaves `BLOCK_KIND`, `BLOCK_TAG`
 * @death Nothing: the primitive lives on
 */
export function publish(block: BlockAddress, kind: i32, tag: i32, era: i32): void {
  // Write the kind first: it gives the owner's word another meaning.
  store32(block + BLOCK_KIND, kind);
  put32(block + BLOCK_ERA, era);
  // Write this last: an agent that reads this tag also sees everything else.
  store32(block + BLOCK_TAG, tag);
}

/**
 * Adds a claimed, filled block to a pool, in front of `newest`. Returns RACED, with nothing changed, if the pool's
 * newest block is no longer `newest`.
 *
 * @takes The block, to a pool: the pool's head by CAS
 * @leaves `POOL_NEXT`, `BLOCK_KIND` pool; claimed again if the CAS lost
 * @death Nothing if the CAS won; otherwise the block is freed
 */
export function addToPool(pool: i32, block: BlockAddress, newest: i32): TakeOutcome {
  put32(block + POOL_NEXT, newest);
  put32(block + BLOCK_KIND, KIND_POOL);
  if (cas32(pool, newest, block) === newest) return TAKEN;
  put32(block + BLOCK_KIND, KIND_CLAIMED);
  return RACED;
}

/**
 * Closes a primitive. Returns RACED if it was already closed or freed. Run the walk afterwards, which sweeps all
 * buckets.
 *
 * @takes The tag to its negative: all waiters have to be told
 * @leaves `AGENT_SWEEP`: all buckets
 * @death Walk
 */
export function close(agent: AgentAddress, block: BlockAddress, tag: i32): TakeOutcome {
  if (cas32(block + BLOCK_TAG, tag, -tag) !== tag) return RACED;
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
  return TAKEN;
}

/**
 * Takes a primitive with that tag out of use. Returns RACED if the tag differs. Run the walk afterwards, then free its
 * block (primitive/block.ts).
 *
 * @takes The tag to 0: the block, and all waiters have to be told
 * @leaves `AGENT_SWEEP`; `BLOCK_OWNER`, `BLOCK_KIND` leaving; `AGENT_CHAIN`: the elements that hung at the line
 * @death Walk; taken apart and freed
 */
export function retire(agent: AgentAddress, block: BlockAddress, tag: i32): TakeOutcome {
  if (cas32(block + BLOCK_TAG, tag, 0) !== tag) return RACED;
  put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
  // Keep this order: KIND_LEAVING beside a word other than this agent's id could be taken for a dead agent's block.
  store32(block + BLOCK_OWNER, get32(agent + OWNER));
  store32(block + BLOCK_KIND, KIND_LEAVING);
  detachTombstones(agent, block);
  return TAKEN;
}

/**
 * Detaches the elements that hang at a line of a primitive that was taken out of use. Run the walk afterwards.
 *
 * @takes The elements that hang at a further line of it
 * @leaves `AGENT_CHAIN`
 * @death Walk; taken apart again
 */
export function detachTombstones(agent: AgentAddress, line: LineAddress): void {
  if (hasOwnChain(line)) detachOf(agent, line, asChain(line + OWN_CHAIN));
}
