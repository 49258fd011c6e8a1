// The free blocks of an arena, in lists by size. heap.ts explains how the heap uses them, and states the invariants.

import {
  BLOCK_LINE,
  BLOCK_SIZE,
  HEADER_FREED_SINCE_JOIN,
  HEADER_FREED,
  HEADER_HEAP,
  HEADER_LISTS,
  HEADER_TOP,
  KIND_CLAIMED,
  KIND_FREE,
} from '../kernel/layout.ts';
import { WAITING } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { isStart } from './blocks.ts';
import { checkSize, corrupt } from './corrupt.ts';
import type { Claimant } from './claimant.ts';
import { retryWhileRaced } from './retry.ts';
import type { BlockAddress } from '../kernel/addresses.ts';

/** The number of lists whose blocks have exactly one size. Each further list holds sizes up to twice its smallest. */
const EXACT_LISTS = 8;
const LISTS = 30;
const LIST_BYTES = 8;
/** The size in bytes of all heads, rounded up to whole lines. */
export const LISTS_BYTES = 2 * BLOCK_LINE;
/** The number of blocks that are checked on a list with different sizes. */
const LOOKS = 8;
/** Free blocks are joined when more than one in FRAGMENTED_SHARE was freed since the last join. */
const FRAGMENTED_SHARE = 4;

/** Returns the list for blocks of that size. */
export function listOf(size: number): number {
  const lines = size / BLOCK_LINE;
  return lines <= EXACT_LISTS ? lines - 1 : EXACT_LISTS + Math.clz32(EXACT_LISTS) - Math.clz32(lines);
}

function headOf(words: Words, list: number): number {
  return words.get32(HEADER_LISTS) + list * LIST_BYTES;
}

/** Puts a block that the agent has claimed on a list. */
export function pushFreeBlock({ kernel, id }: Claimant, list: number, block: BlockAddress, kind: number): void {
  retryWhileRaced(() => kernel.pushFreeBlock(list, block, id, kind));
}

/** Takes the first block off a list and claims it for the agent. Returns 0 if the list is empty. */
export function popFreeBlock({ words, kernel, id }: Claimant, list: number, kind: number): BlockAddress | 0 {
  const block = retryWhileRaced(() => kernel.popFreeBlock(list, id, kind));
  if (block === WAITING) return 0;
  checkBlock(words, block);
  return block;
}

function checkBlock(words: Words, block: BlockAddress): void {
  const inside = block >= words.get32(HEADER_HEAP) && block < words.load32(HEADER_TOP) && block % BLOCK_LINE === 0;
  if (!inside || !isStart(words, block)) throw corrupt(`a list of free blocks comes to ${block}`);
  checkSize(words, block, words.load32(block + BLOCK_SIZE));
}

/** Throws `CorruptArenaError` if more blocks came off the lists than there are lines. Then a list has no end. */
function checkCount(words: Words, taken: readonly number[]): void {
  if (taken.length > words.load32(HEADER_TOP) / BLOCK_LINE) throw corrupt('a list of free blocks has no end');
}

/** Returns a claimed block to the list of its size. */
export function putFree(claimant: Claimant, block: BlockAddress): void {
  const { words } = claimant;
  pushFreeBlock(claimant, headOf(words, listOf(words.load32(block + BLOCK_SIZE))), block, KIND_FREE);
}

/** Takes a free block of that size, or the front of a larger one. Returns 0 if a few checks found none. */
export function takeFree(claimant: Claimant, size: number): BlockAddress | 0 {
  const { words } = claimant;
  if (words.load32(HEADER_FREED) <= 0) return 0;
  for (let list = listOf(size); list < LISTS; list++) {
    const block = takeFrom(claimant, list, size, LOOKS);
    if (block !== 0) return cutTo(claimant, block, size);
  }
  return 0;
}

/** Takes a block as `takeFree` does, but checks all blocks on the list that this size shares with other sizes. */
export function searchFree(claimant: Claimant, size: number): BlockAddress | 0 {
  const found = takeFree(claimant, size);
  if (found !== 0) return found;
  const block = takeFrom(claimant, listOf(size), size, Infinity);
  return block === 0 ? 0 : cutTo(claimant, block, size);
}

/**
 * Takes a block that is large enough off that list. Returns 0 if none was found, or if `looks` blocks were too small.
 */
function takeFrom(claimant: Claimant, list: number, size: number, looks: number): BlockAddress | 0 {
  const { words } = claimant;
  const small: BlockAddress[] = [];
  let found: BlockAddress | 0 = 0;
  while (found === 0 && small.length < looks) {
    const block = popFreeBlock(claimant, headOf(words, list), KIND_CLAIMED);
    if (block === 0) break;
    if (words.load32(block + BLOCK_SIZE) >= size) found = block;
    else small.push(block);
    checkCount(words, small);
  }
  for (const block of small.reverse()) putFree(claimant, block);
  return found;
}

/** Splits a larger block and frees the rest. */
function cutTo(claimant: Claimant, block: BlockAddress, size: number): BlockAddress {
  const { words, kernel, id } = claimant;
  if (words.load32(block + BLOCK_SIZE) > size) putFree(claimant, kernel.split(block, size, id));
  return block;
}

/** Whether enough blocks were freed since the last join to make another join worthwhile. */
export function isFragmented(words: Words): boolean {
  return words.load32(HEADER_FREED_SINCE_JOIN) * FRAGMENTED_SHARE > words.load32(HEADER_FREED);
}

/** Joins neighbouring free blocks. Afterwards the blocks with the lowest addresses are used first. */
export function joinFree(claimant: Claimant): void {
  const { words, kernel } = claimant;
  const hand: BlockAddress[] = [];
  // Blocks that other agents free meanwhile are joined the next time.
  const most = words.load32(HEADER_FREED);
  for (let list = 0; list < LISTS && hand.length < most; ) {
    const block = popFreeBlock(claimant, headOf(words, list), KIND_CLAIMED);
    if (block === 0) list += 1;
    else hand.push(block);
    checkCount(words, hand);
  }
  words.store32(HEADER_FREED_SINCE_JOIN, 0);
  hand.sort((a, b) => b - a);
  for (const [index, block] of hand.entries()) {
    const before = hand[index + 1] ?? 0;
    if (before !== 0 && before + words.load32(before + BLOCK_SIZE) === block) kernel.absorb(before, block);
    else putFree(claimant, block);
  }
}
