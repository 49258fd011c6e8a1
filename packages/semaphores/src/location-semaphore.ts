// The semaphore with waiting at a location (Dice & Kogan, Listing 5): a waiter alternates between a check of `grant`
// and a step of the wait. The first step only pushes the agent's one element onto the chain of its ticket's bucket.

import { FLAG_PLACED } from './kernel/layout.ts';
import { waitAtLocation } from '@sluice/address-wait/internal';
import type { Ticket } from './line.ts';
import type { Spot } from './spot.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './member.ts';
import type { Capabilities, FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed.ts';

const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: true, wakesOne: true };

/**
 * A FIFO semaphore. An agent waits with the same element everywhere. A waiter whose turn has come leaves its element
 * where it is.
 *
 * ```ts run
 * import { LocationSemaphore } from '@sluice/semaphores';
 *
 * const sem = LocationSemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class LocationSemaphore extends TicketedSemaphore {
  /** Its capabilities. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'LocationSemaphore', waitAtPlace);
  }

  /** A new semaphore with `permits` free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(permits: number, options: FamilyOptions = {}): LocationSemaphore {
    return new LocationSemaphore(createMember(FLAG_PLACED, permits, options));
  }

  /**
   * The semaphore that a handle refers to. Throws `HandleError`; `ArenaFullError` if no record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): LocationSemaphore {
    return new LocationSemaphore(findMember(FLAG_PLACED, handle, options, 'LocationSemaphore'));
  }

  /** Its capabilities. */
  override get capabilities(): Capabilities {
    return CAPABILITIES;
  }
}

/** Waits as in Listing 5. */
export function waitAtPlace({ context, policy, sem }: Spot, { look, key }: Ticket, deadline: number): void {
  const bucket = context.kernel.bucketAt(sem, key);
  while (!look()) {
    if (!waitAtLocation(context, bucket, () => deadline, policy) && !look()) return;
  }
}
