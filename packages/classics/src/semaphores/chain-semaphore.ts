// The semaphore with waiting chains (Dice & Kogan, Listing 3): a waiter waits until its condition holds
// (`addressWaitUntil`), with the semaphore and its ticket as the key. A post signals the key.

import { waitAtBucket } from '@sluice/core/internal';
import type { Capabilities } from '@sluice/semaphores';
import { FLAG_CHAINED } from './kernel/layout.ts';
import type { Ticket } from './ticket-waits.ts';
import type { AgentLine } from './agent-line.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed-semaphore.ts';

const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: true, wakesOne: true };

/**
 * A FIFO semaphore. Each waiter sleeps at a gate of its own. A post wakes the chain of the ticket that it admits, which
 * is usually one waiter.
 *
 * ```ts run
 * import { ChainSemaphore } from '@sluice/classics';
 *
 * const sem = ChainSemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class ChainSemaphore extends TicketedSemaphore {
  /** The capabilities of this kind of semaphore, and the order that it keeps. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'ChainSemaphore', waitInChain, CAPABILITIES);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: FamilyOptions = {}): ChainSemaphore {
    return new ChainSemaphore(createMember(FLAG_CHAINED, permits, options));
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): ChainSemaphore {
    return new ChainSemaphore(findMember(FLAG_CHAINED, handle, options, 'ChainSemaphore'));
  }
}

/** Waits as in Listing 3. */
export function waitInChain({ context, policy, line }: AgentLine, { look, key }: Ticket, deadline: number): void {
  waitAtBucket({ context, policy, bucket: context.kernel.bucketAt(line, key) }, look, deadline);
}
