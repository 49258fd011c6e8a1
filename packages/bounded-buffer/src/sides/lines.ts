// The lines of a buffer's block, and the positions of its sides.
//
//   line 0       the block's own
//   lines 1, 2   the sides: lock and position of the producers, of the consumers
//   lines 3, 4   where agents of each side wait to become its head
//   lines 5, 6   where the head of the line waits for more units
//
// The ring lies behind them.

import { HandleError } from '@sluice/core';
import { asBlock, BLOCK_LINE, type BlockAddress } from '@sluice/core/format';
import { retryOrThrow, tagAt, type BlockRef } from '@sluice/core/internal';
import { POSITION, ROOM } from '../kernel/layout.ts';

export const PRODUCERS = 0;
export const CONSUMERS = 1;
const SIDES = 2;

/** The purposes of lines. */
export const LOCK = 0;
export const HEAD_LINE = 1;
export const MORE = 2;

/** The two halves of a side's POSITION. */
const UNITS = 0;
export const VALUES = 4;

/** Returns the address of a line. `which` is PRODUCERS or CONSUMERS. */
export function lineAt({ address }: BlockRef, what: number, which: number): BlockAddress {
  return asBlock(address + (1 + what * SIDES + which) * BLOCK_LINE);
}

/** Returns a line as a `BlockRef`. Throws `HandleError` if the buffer was freed. */
export function refOfLine(ref: BlockRef, what: number, which: number): BlockRef {
  const address = lineAt(ref, what, which);
  return { ...ref, address, tag: tagOfLine(ref, address) };
}

/**
 * The buffer may be freed between the check of its handle and this call. The tag of the line is then 0, as in every
 * freed line, or another primitive's. In both cases it throws `HandleError`.
 */
function tagOfLine({ context: { words }, address, tag }: BlockRef, line: number): number {
  const found = tagAt(words, line);
  // Check the block's tag after the line's, because `freePrimitive` clears the block's tag first.
  if (found === 0 || tagAt(words, address) !== tag)
    throw new HandleError('The handle leads to a primitive that was freed.');
  return found;
}

/** Returns the number of values that have passed a side, modulo 2^32. */
export function passed(ref: BlockRef, which: number): number {
  return ref.context.words.load32(lineAt(ref, LOCK, which) + POSITION + VALUES) >>> 0;
}

export function freeUnits(ref: BlockRef): number {
  return ref.context.words.get32(lineAt(ref, LOCK, PRODUCERS) + ROOM) - ahead(ref, UNITS);
}

/**
 * Returns the lead of the producers in one half of both positions. The result is exact for one moment, even while
 * agents push and pop.
 */
export function ahead(ref: BlockRef, half: number): number {
  const { words } = ref.context;
  const producers = lineAt(ref, LOCK, PRODUCERS) + POSITION + half;
  const consumers = lineAt(ref, LOCK, CONSUMERS) + POSITION + half;
  for (let tries = 1; ; tries++) {
    const behind = words.load32(consumers);
    const front = words.load32(producers);
    if (words.load32(consumers) === behind) return (front - behind) | 0;
    retryOrThrow(tries);
  }
}
