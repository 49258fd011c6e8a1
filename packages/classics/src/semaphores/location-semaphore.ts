// The semaphore with waiting at a location (Dice & Kogan, Listing 5): a waiter alternates between a check of `grant`
// and a step of the wait. The first step only pushes the agent's one element onto the chain of its ticket's bucket.

import { checkObject } from '@sluice/core/calls';
import type { Capabilities } from '@sluice/semaphores';
import { FLAG_PLACED } from './kernel/layout.ts';
import { waitAtLocation } from '@sluice/address-wait/internal';
import type { Ticket } from './ticket-waits.ts';
import type { AgentLine } from './agent-line.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed-semaphore.ts';
import { conservativeFlag, type ConservativeOptions } from './conservative-option.ts';

const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: true, wakesOne: true };

/**
 * A FIFO semaphore. An agent has one element for all its waits. When a waiter's turn comes, its element stays in the
 * chain.
 *
 * ```ts run
 * import { LocationSemaphore } from '@sluice/classics';
 *
 * const sem = LocationSemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class LocationSemaphore extends TicketedSemaphore {
  /** The capabilities of a semaphore with the default options. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'LocationSemaphore', waitAtPlace, CAPABILITIES);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: ConservativeOptions = {}): LocationSemaphore {
    checkObject(options);
    const scheme = FLAG_PLACED | conservativeFlag(options);
    return new LocationSemaphore(createMember(scheme, permits, options, { own: ['conservative'] }));
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): LocationSemaphore {
    return new LocationSemaphore(findMember(FLAG_PLACED, handle, options, 'LocationSemaphore'));
  }
}

/** Waits as in Listing 5. */
export function waitAtPlace({ context, policy, line }: AgentLine, { look, key }: Ticket, deadline: number): void {
  const bucket = context.kernel.bucketAt(line, key);
  while (!look()) {
    if (!waitAtLocation(context, bucket, () => deadline, policy) && !look()) return;
  }
}
