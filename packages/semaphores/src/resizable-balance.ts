// Reads the permits of a resizable semaphore. The words: kernel/resizable.ts.

import { asLine, BLOCK_LINE, BLOCK_TAG, CAPACITY, type LineAddress } from '@sluice/core/format';
import type { BlockRef } from '@sluice/core/internal';
import { BALANCE } from './kernel/layout.ts';

/** Returns the second line of the block: the box office. */
export function officeOf(home: LineAddress): LineAddress {
  return asLine(home + BLOCK_LINE);
}

/** Returns the number of free permits. If it is less than 0, its amount is the debt. */
export function balanceOf({ context, address }: BlockRef): number {
  return Number(context.words.load64(officeOf(address) + BALANCE) >> 32n);
}

/** Describes the permits for messages. */
export function availability(ref: BlockRef): string {
  const { context, address, tag } = ref;
  if (context.words.load32(address + BLOCK_TAG) !== tag) return '0 available';
  const balance = balanceOf(ref);
  const debt = balance < 0 ? `, a debt of ${-balance}` : '';
  return `${Math.max(0, balance)} of ${Number(context.words.load64(address + CAPACITY))} available${debt}`;
}
