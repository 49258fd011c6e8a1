// The semaphore with a waiting array (Dice & Kogan, Listing 2): a waiter watches a count of updates in the bucket of
// its ticket, and a post increments that count. A waiter near the head (`LongTermThreshold`) is woken one post earlier
// and spins on `grant`.
//
// In the paper near waiters only spin, and a post notifies only the ticket `LongTermThreshold` further on. Here a near
// waiter also sleeps in its bucket if it has spun long enough. So a post also notifies the bucket of the ticket that it
// admits, and of all tickets in between. These spin again as they come nearer. With a threshold of 1 there is no ticket
// in between.

import { CHAIN, SLEEPERS, UPDATES } from '@sluice/core/format';
import { checkInteger, checkObject, show } from '@sluice/core/calls';
import { waitAtBucket, watchWord, type NewBlock } from '@sluice/core/internal';
import type { Capabilities } from '@sluice/semaphores';
import { FLAG_ARRAY, HASH_SHIFT, NEAR_TICKETS, SLOT_HOLDS_WAITER, THRESHOLD_MASK } from './kernel/layout.ts';
import { hashOf, type TicketHash } from './hash.ts';
import { kernelOf } from './family-kernel.ts';
import { conservativeFlag, type ConservativeOptions } from './conservative-option.ts';
import type { Ticket } from './ticket-waits.ts';
import type { AgentLine } from './agent-line.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed-semaphore.ts';

export interface WaitingArrayOptions extends ConservativeOptions {
  /**
   * The number of next waiters that a post also wakes, so that they spin when their turn comes. No other waiter spins.
   * Default: 1.
   */
  readonly longTermThreshold?: number | undefined;
  /**
   * The content of a slot of the waiting array. `count`: a count of updates, which all waiters of the slot watch.
   * `waiter`: one waiter, which a post wakes alone. Further waiters of the slot watch the count. Default: 'count'.
   */
  readonly slots?: 'count' | 'waiter' | undefined;
  /** The hash that maps a ticket to a bucket of the waiting array. Default: 'linear'. */
  readonly hash?: TicketHash | undefined;
}

const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: true, wakesOne: false };

/**
 * A FIFO semaphore with a waiting array. A post wakes the waiters whose tickets share a bucket with the ticket it
 * admits, and the next `longTermThreshold` waiters, which then spin.
 *
 * ```ts run
 * import { WaitingArraySemaphore } from '@sluice/classics';
 *
 * const sem = WaitingArraySemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class WaitingArraySemaphore extends TicketedSemaphore {
  /** The capabilities of a semaphore with the default options. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'WaitingArraySemaphore', watchUpdates, CAPABILITIES);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: WaitingArrayOptions = {}): WaitingArraySemaphore {
    checkObject(options);
    const { longTermThreshold = 1, hash = 'linear', slots = 'count' } = options;
    checkInteger('longTermThreshold', longTermThreshold, 0, 1024);
    const near = longTermThreshold | (hashOf(hash) << HASH_SHIFT) | (slotsHoldWaiters(slots) ? SLOT_HOLDS_WAITER : 0);
    const scheme = FLAG_ARRAY | conservativeFlag(options);
    const fill = ({ words, address }: NewBlock): void => words.put32(address + NEAR_TICKETS, near);
    return new WaitingArraySemaphore(
      createMember(scheme, permits, options, { fill, own: ['longTermThreshold', 'conservative', 'hash', 'slots'] }),
    );
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): WaitingArraySemaphore {
    return new WaitingArraySemaphore(findMember(FLAG_ARRAY, handle, options, 'WaitingArraySemaphore'));
  }
}

function slotsHoldWaiters(slots: unknown): boolean {
  if (typeof slots !== 'string') throw new TypeError(`slots must be a string: received ${show(slots)}`);
  if (slots !== 'count' && slots !== 'waiter')
    throw new RangeError(`slots must be count or waiter: received ${show(slots)}`);
  return slots === 'waiter';
}

/** Waits as in Listing 2. */
export function watchUpdates(
  { context, policy, line }: AgentLine,
  { look, key, distance }: Ticket,
  deadline: number,
): void {
  const bucket = kernelOf(context).slotOfTicket(line, key);
  const near = context.words.get32(line + NEAR_TICKETS);
  // Two waiters may both find the slot empty. Then the post wakes the chain of both.
  if ((near & SLOT_HOLDS_WAITER) !== 0 && context.words.load32(bucket + CHAIN) === 0) {
    waitAtBucket({ context, policy, bucket }, look, deadline);
    return;
  }
  const threshold = near & THRESHOLD_MASK;
  const isNear = (): boolean => distance() < threshold;
  watchWord(context, policy, { word: bucket + UPDATES, sleepers: bucket + SLEEPERS, isNear }, look, deadline);
}
