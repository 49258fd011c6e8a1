// The report of a watch cell, which `inspect` returns.

import type { Waiter } from '@sluice/core';
import { GRANT } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, type LineReport } from '@sluice/core/report';
import { CELL_CLOSED, VERSION_BITS } from './kernel/layout.ts';

export interface WatchCellReport {
  readonly kind: 'watch-cell';
  readonly name: string;
  /** The number of values set after the first. */
  readonly version: number;
  readonly closed: boolean;
  /** The waiters. One value admits all of them at once. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

/** Returns the version from the two halves of a cell's word. Exact up to 2^53. */
export function versionOf(low: number, high: number): number {
  return (high >>> 0) * 2 ** (32 - VERSION_BITS) + (low >>> VERSION_BITS);
}

export function versionAt({ context: { words }, address }: BlockRef): number {
  const word = words.load64(address + GRANT);
  return versionOf(Number(BigInt.asIntN(32, word)), Number(BigInt.asIntN(32, word >> 32n)));
}

/** Whether the cell is closed. */
export function isClosedAt({ context: { words }, address }: BlockRef): boolean {
  return (words.load32(address + GRANT) & CELL_CLOSED) !== 0;
}

export function reportWatchCell(ref: BlockRef, { waiters }: LineReport): WatchCellReport {
  return {
    kind: 'watch-cell',
    name: readName(ref.context.words, ref.address),
    version: versionAt(ref),
    closed: isClosedAt(ref),
    waiters: waiters.map(withoutPermits),
  };
}
