// The semaphore with monitor and wait (Dice & Kogan, Listing 4): a waiter reads the sequence of its ticket's bucket,
// checks `grant`, and sleeps while the sequence stays the same. A post increments it.

import { waitAtBucket } from '@sluice/core/internal';
import type { Capabilities } from '@sluice/semaphores';
import { FLAG_MONITORED } from './kernel/layout.ts';
import type { Ticket } from './ticket-waits.ts';
import type { AgentLine } from './agent-line.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed-semaphore.ts';

const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: true, wakesOne: true };

/**
 * A FIFO semaphore that behaves as `ChainSemaphore`, with one difference: a waiter watches a count instead of its
 * condition. So a wake-up for another ticket in the same bucket costs it one more round.
 *
 * ```ts run
 * import { MonitorSemaphore } from '@sluice/classics';
 *
 * const sem = MonitorSemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class MonitorSemaphore extends TicketedSemaphore {
  /** The capabilities of this kind of semaphore, and the order that it keeps. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'MonitorSemaphore', waitAtMonitor, CAPABILITIES);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: FamilyOptions = {}): MonitorSemaphore {
    return new MonitorSemaphore(createMember(FLAG_MONITORED, permits, options));
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): MonitorSemaphore {
    return new MonitorSemaphore(findMember(FLAG_MONITORED, handle, options, 'MonitorSemaphore'));
  }
}

/** Waits as in Listing 4. */
export function waitAtMonitor({ context, policy, line }: AgentLine, { look, key }: Ticket, deadline: number): void {
  const bucket = context.kernel.bucketAt(line, key);
  for (;;) {
    // Read before the check: the wait then notices a signal that comes after the check.
    const sequence = context.kernel.sequence(bucket);
    if (look()) return;
    if (!waitAtBucket({ context, policy, bucket }, () => context.kernel.sequence(bucket) !== sequence, deadline))
      return;
  }
}
