// The line of one name of a lock manager: a semaphore with data behind its line. An exclusive request wants all
// permits, a shared request wants one. The semaphore serves in FIFO order, and the first waiter keeps free permits
// until it has enough. So this is the queue of the specification, with waits that time out, can be aborted, and survive
// deaths.

import type { Semaphore } from '@sluice/core';
import { asBlock, BLOCK_LINE, BLOCK_TAG, FLAG_LAST, KIND_SEMAPHORE } from '@sluice/core/format';
import { createPermits, semaphoreAt, tagAt, type AsyncWaits, type BlockRef } from '@sluice/core/internal';
import { isUsed } from '@sluice/core/report';
import type { EntryKind } from '../table/entry-blocks.ts';
import type { LockMode } from './held-lock.ts';

/** The permits of a line. So at most this many shared locks of one name are held at once. */
export const ALL = 2 ** 20;

export function permitsOf(mode: LockMode): number {
  return mode === 'exclusive' ? ALL : 1;
}

/** A lock that this agent holds, with the callback for a steal. */
export interface HeldRequest {
  /** Rejects its request. */
  readonly onStolen: () => void;
}

/** A line as this agent sees it. */
export interface RequestQueue {
  readonly entry: number;
  readonly tag: number;
  readonly semaphore: Semaphore;
  /** This agent's waits in the line. */
  readonly asyncWaits: AsyncWaits;
  /** The locks that this agent holds in the line. */
  readonly held: Set<HeldRequest>;
  /** Whether a wait for the end of the line is pending. */
  isWatched: boolean;
}

export const LINES: EntryKind = {
  code: KIND_SEMAPHORE,
  create: (arena, name, bytes, fill) => {
    const [ref] = createPermits(
      ALL,
      { arena, name },
      {
        lines: 1 + Math.ceil(bytes / BLOCK_LINE),
        flags: FLAG_LAST,
        fill: ({ address }) => fill(address + BLOCK_LINE),
      },
    );
    return ref.address;
  },
  isFree: (context, entry) => {
    const { words, kernel } = context;
    // A closed line does not count permits that are returned.
    if (words.load32(entry + BLOCK_TAG) > 0) return kernel.balance(asBlock(entry)) === ALL;
    return !isUsed(context, { address: asBlock(entry), tag: tagAt(words, entry) });
  },
  freed: ({ parking }, entry) => {
    // Agents that held locks in the line may still watch it.
    parking.notify(entry + BLOCK_TAG);
  },
  abandon: endLine,
};

export function openLine(ref: BlockRef): RequestQueue {
  const { arena, context, address, tag } = ref;
  const semaphore = semaphoreAt(ref, arena.policy);
  // This finds the existing state: the semaphore has created it.
  const { asyncWaits } = context.lineState(address, tag, { recorded: true });
  return { entry: address, tag, semaphore, asyncWaits, held: new Set(), isWatched: false };
}

/**
 * Ends a line that was replaced under its name: holders lose their locks, and waiting requests move to the new line.
 */
export function endLine(ref: BlockRef): void {
  semaphoreAt(ref, ref.arena.policy).close();
  ref.context.parking.notify(ref.address + BLOCK_TAG);
}

/** Watches the line, so that this agent learns of a steal. Call it when the agent holds a lock there. */
export function watch(ref: BlockRef, line: RequestQueue): void {
  if (line.isWatched) return;
  const told = ref.context.parking.waitAsync(line.entry + BLOCK_TAG, line.tag);
  if (told === undefined) {
    for (const holding of line.held) holding.onStolen();
    return;
  }
  line.isWatched = true;
  void told.then(() => {
    line.isWatched = false;
    if (line.held.size > 0) watch(ref, line);
  });
}
