// What can be read of a resizable semaphore's permits. The words: kernel/resizable.ts.

import { asLine, BLOCK_LINE, BLOCK_TAG, CAPACITY, type LineAddress, type Place } from '@sluice/core/internal';
import { BALANCE } from './kernel/layout.ts';

/** The second line of the block: the box office. */
export function officeOf(home: LineAddress): LineAddress {
  return asLine(home + BLOCK_LINE);
}

/** The number of free permits, or less than 0: the debt. */
export function balanceOf({ context, address }: Place): number {
  return Number(context.words.load64(officeOf(address) + BALANCE) >> 32n);
}

/** What messages say about the permits. */
export function availability(place: Place): string {
  const { context, address, tag } = place;
  if (context.words.load32(address + BLOCK_TAG) !== tag) return '0 available';
  const balance = balanceOf(place);
  const debt = balance < 0 ? `, a debt of ${-balance}` : '';
  return `${Math.max(0, balance)} of ${Number(context.words.load64(address + CAPACITY))} available${debt}`;
}
