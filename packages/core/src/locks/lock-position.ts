// The position of a lock in the order in which `holdAll` acquires locks. The order is the same in all agents.

import type { BlockRef } from '../arena/block-ref.ts';
import type { AsyncLock, Lock } from '../api/lock.ts';

/**
 * The key of the member that returns the `Position` of a lock that has no handle of its own. In a primitive that is no
 * lock itself but has locks, the member is the text that tells the caller which lock to pass.
 */
export const LOCK_POSITION = Symbol('sluice.position');

export interface Position {
  /** The id of the arena. */
  readonly arena: string;
  /** The address of the primitive that the lock belongs to. */
  readonly address: number;
  /** The key, for the lock of a key. */
  readonly key?: string | undefined;
  /** The side of a lock with several sides. A side with a higher number admits no agent that a lower one refuses. */
  readonly side?: number | undefined;
  /** The number of permits, for a lock made of permits. */
  readonly permits?: number | undefined;
  /** Returns a lock made of another number of permits of the same semaphore. */
  readonly withPermits?: ((permits: number) => Lock & AsyncLock) | undefined;
}

/** The arena and the address of a block, for a `Position`. */
export function positionAt({ arena, address }: BlockRef): Position {
  return { arena: arena.id, address };
}

/** Returns the position that a handle names; `undefined` if it names no address in an arena. */
export function positionIn(handle: unknown): Position | undefined {
  if (typeof handle !== 'object' || handle === null) return undefined;
  const { arena, address } = handle as { readonly arena?: unknown; readonly address?: unknown };
  return typeof arena === 'string' && typeof address === 'number' ? { arena, address } : undefined;
}
