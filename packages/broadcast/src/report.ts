// What `inspect` reports for a broadcast.

import type { Waiter } from '@sluice/core';
import { GRANT, readName, type Flow, type LineReport, type Place } from '@sluice/core/internal';
import { RING_MASK, STREAM_CLOSED } from './kernel/layout.ts';

export interface BroadcastReport {
  readonly kind: 'broadcast';
  readonly name: string;
  /** How many values are kept. */
  readonly capacity: number;
  /** How many values were published. */
  readonly published: number;
  readonly closed: boolean;
  /** The waiters. The next value admits all of them at once. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
}

/** The position in the two halves of a word: exact up to 2^53. */
export function positionOf(low: number, high: number): number {
  return (high >>> 0) * 2 ** 31 + (low >>> 1);
}

/** How many values were published. */
export function publishedAt({ context: { words }, address }: Place): number {
  const word = words.load64(address + GRANT);
  return positionOf(Number(BigInt.asIntN(32, word)), Number(BigInt.asIntN(32, word >> 32n)));
}

export function isClosedAt({ context: { words }, address }: Place): boolean {
  return (words.load32(address + GRANT) & STREAM_CLOSED) !== 0;
}

export function capacityAt({ context: { words }, address }: Place): number {
  return 1 + words.get32(address + RING_MASK);
}

/** The values as a subscription sees them that waits for the next one. */
export function flowOf(place: Place): Flow {
  const { words } = place.context;
  const published = (): number => words.load32(place.address + GRANT) >>> 1;
  return { units: published, values: published, room: capacityAt(place), still: place.address + RING_MASK };
}

export function reportBroadcast(place: Place, { waiters }: LineReport): BroadcastReport {
  return {
    kind: 'broadcast',
    name: readName(place.context.words, place.address),
    capacity: capacityAt(place),
    published: publishedAt(place),
    closed: isClosedAt(place),
    waiters: waiters.map(({ agent, kind, since }) => ({ agent, kind, since })),
  };
}
