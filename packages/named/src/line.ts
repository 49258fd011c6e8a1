// The line of one name of a lock manager: a semaphore with data behind its line. An exclusive request wants all
// permits, a shared one wants one of them. The semaphore serves in order of arrival, and the first in line keeps what
// is free until it has enough. So this is the queue of the specification, with waits that time out, are aborted and
// survive deaths.

import type { Semaphore } from '@sluice/core';
import {
  asBlock,
  BLOCK_LINE,
  BLOCK_TAG,
  createPermits,
  FLAG_LAST,
  isUsed,
  KIND_SEMAPHORE,
  semaphoreAt,
  type AsyncWaits,
  type Place,
} from '@sluice/core/internal';
import type { EntryKind } from './entry-blocks.ts';
import type { LockMode } from './held-lock.ts';

/** The permits of a line: the most shared locks of one name that are held at once. */
export const ALL = 2 ** 20;

export function permitsOf(mode: LockMode): number {
  return mode === 'exclusive' ? ALL : 1;
}

/** A lock that this agent holds, as far as a steal has to know. */
export interface Holding {
  /** Rejects its request. */
  readonly onStolen: () => void;
}

/** A line as this agent sees it. */
export interface Line {
  readonly entry: number;
  readonly tag: number;
  readonly semaphore: Semaphore;
  /** The waits of this agent there. */
  readonly asyncWaits: AsyncWaits;
  /** The locks that this agent holds there. */
  readonly held: Set<Holding>;
  /** Whether a wait for the end of the line is pending. */
  isWatched: boolean;
}

/** Entries that are lines. */
export const LINES: EntryKind = {
  code: KIND_SEMAPHORE,
  create: (arena, name, bytes, fill) => {
    const [place] = createPermits(
      ALL,
      { arena, name },
      {
        code: KIND_SEMAPHORE,
        lines: 1 + Math.ceil(bytes / BLOCK_LINE),
        flags: FLAG_LAST,
        fill: (sem) => fill(sem + BLOCK_LINE),
      },
    );
    return place.address;
  },
  isFree: (context, entry) => {
    const { words, kernel } = context;
    // Of a line that was closed, permits that come back are not counted.
    if (words.load32(entry + BLOCK_TAG) > 0) return kernel.balance(asBlock(entry)) === ALL;
    return !isUsed(context, { address: asBlock(entry), tag: Math.abs(words.load32(entry + BLOCK_TAG)) });
  },
  freed: ({ parking }, entry) => {
    // Agents that held locks there may still watch it.
    parking.notify(entry + BLOCK_TAG);
  },
  abandon: endLine,
};

export function openLine(place: Place): Line {
  const { arena, context, address, tag } = place;
  const semaphore = semaphoreAt(place, arena.policy);
  // Only a lookup: the semaphore has created it.
  const { asyncWaits } = context.localState(address, tag, { recorded: true });
  return { entry: address, tag, semaphore, asyncWaits, held: new Set(), isWatched: false };
}

/** Ends a line whose name another line has: holders lose their locks, and waiting requests go to the other line. */
export function endLine(place: Place): void {
  semaphoreAt(place, place.arena.policy).close();
  place.context.parking.notify(place.address + BLOCK_TAG);
}

/** Lets this agent learn of a steal. Call it when it holds a lock there. */
export function watch(place: Place, line: Line): void {
  if (line.isWatched) return;
  const told = place.context.parking.waitAsync(line.entry + BLOCK_TAG, line.tag);
  if (told === undefined) {
    for (const holding of line.held) holding.onStolen();
    return;
  }
  line.isWatched = true;
  void told.then(() => {
    line.isWatched = false;
    if (line.held.size > 0) watch(place, line);
  });
}
