// Walks over the blocks of an arena, by the map of block starts. The map has one bit for each line of 128 bytes, set
// while a block begins there. Blocks are split and joined during a walk, so a walk that followed their sizes could
// reach bytes that are no longer a header.

import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  FLAG_LAST,
  FLAGS,
  HEADER_HEAP,
  HEADER_MAP,
  HEADER_TOP,
  KIND_CLAIMED,
  KIND_FREE,
  KIND_LEAVING,
  KIND_POOL,
  KIND_REGION,
  KIND_RETIRED,
} from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { corrupt } from './corrupt.ts';
import type { BlockAddress } from '../kernel/addresses.ts';
import { asBlock } from '../kernel/addresses.ts';

/** log2 of a line, and the number of lines that a word of the map covers. */
const LINE_SHIFT = 7;
const LINES_IN_WORD = 32;

/**
 * The maximum number of lines of a block that can be semaphores or locks: the first line and up to 1024 more. A block
 * may have fewer of them, followed by data.
 */
export const MAX_LINES = 1025;

/** Kinds whose blocks have no line at which an agent waits or holds permits. */
const WITHOUT_LINES = new Set<number>([KIND_FREE, KIND_CLAIMED, KIND_LEAVING, KIND_RETIRED, KIND_POOL, KIND_REGION]);

/** Returns the size in bytes of the map of an arena of that many pages. */
export function mapBytes(maxPages: number): number {
  return maxPages * 64;
}

/** Whether a block begins at an address inside the arena. */
export function isStart(words: Words, address: number): boolean {
  const line = address >>> LINE_SHIFT;
  return (words.load32(wordOf(words, line)) & (1 << (line % LINES_IN_WORD))) !== 0;
}

function wordOf(words: Words, line: number): number {
  return words.get32(HEADER_MAP) + 4 * Math.floor(line / LINES_IN_WORD);
}

/**
 * Yields the addresses of all blocks, including free ones. It may miss a block that another agent makes or joins
 * meanwhile.
 */
export function* blocks(words: Words): Generator<BlockAddress> {
  const [first, top] = [words.get32(HEADER_HEAP), words.load32(HEADER_TOP)];
  if (first < 0 || top < first) throw corrupt(`its heap lies from ${first} to ${top}`);
  const end = top >>> LINE_SHIFT;
  for (let line = first >>> LINE_SHIFT; line < end; ) {
    const left = words.load32(wordOf(words, line)) >>> (line % LINES_IN_WORD);
    const next = left === 0 ? LINES_IN_WORD - (line % LINES_IN_WORD) : Math.clz32(left & -left) ^ (LINES_IN_WORD - 1);
    line += next;
    if (left === 0 || line >= end) continue;
    yield asBlock(line << LINE_SHIFT);
    line += 1;
  }
}

/**
 * Whether a line of a primitive lies at that address, as opposed to bytes of a region, for example. The result stays
 * true only while the caller's hazard word names the line (kernel/hazard.ts).
 */
export function isLine(words: Words, address: number): boolean {
  const first = words.get32(HEADER_HEAP);
  for (let index = 0; index < MAX_LINES; index++) {
    const block = address - index * BLOCK_LINE;
    if (block < first) return false;
    if (!isStart(words, block)) continue;
    const kind = words.load32(block + BLOCK_KIND);
    const isThere = words.load32(block + BLOCK_TAG) !== 0 && !WITHOUT_LINES.has(kind);
    return isThere && !isData(words, block, index);
  }
  return false;
}

/** Whether data such as a ring begins before the line with that index. */
function isData(words: Words, block: number, index: number): boolean {
  for (let line = 0; line < index; line++)
    if ((words.get32(block + line * BLOCK_LINE + FLAGS) & FLAG_LAST) !== 0) return true;
  return false;
}

/** Returns the block that a line of a primitive belongs to, or `line` itself if there is none. */
export function blockOf(words: Words, line: number): BlockAddress {
  const first = words.get32(HEADER_HEAP);
  for (let block = line; block >= first && block > line - MAX_LINES * BLOCK_LINE; block -= BLOCK_LINE)
    if (isStart(words, block)) return asBlock(block);
  return asBlock(line);
}
