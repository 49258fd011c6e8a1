// The ticket semaphore (Dice & Kogan, Listing 1): a ticket lock whose turns are counted. All waiters watch one word,
// the low half of `grant`. This is the simplest scheme. Every post wakes all waiters. In the paper the waiters spin.
// Here they sleep on the word.

import { GRANT } from '@sluice/core/format';
import { watchWord } from '@sluice/core/internal';
import type { Capabilities } from '@sluice/semaphores';
import { FLAG_GLOBAL, GRANT_SLEEPERS } from './kernel/layout.ts';
import { claimOn, type Ticket } from './ticket-waits.ts';
import type { AgentLine } from './agent-line.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed-semaphore.ts';

const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: true, wakesOne: false };

/**
 * A FIFO semaphore with the least code. A post wakes all waiters, so with n waiters each hand-off costs n wake-ups. Use
 * it as a baseline for the other semaphores, or if few agents wait.
 *
 * ```ts run
 * import { TicketSemaphore } from '@sluice/classics';
 *
 * const sem = TicketSemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class TicketSemaphore extends TicketedSemaphore {
  /** The capabilities of this kind of semaphore, and the order that it keeps. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'TicketSemaphore', watchGrant, CAPABILITIES);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: FamilyOptions = {}): TicketSemaphore {
    return new TicketSemaphore(createMember(FLAG_GLOBAL, permits, options));
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): TicketSemaphore {
    return new TicketSemaphore(findMember(FLAG_GLOBAL, handle, options, 'TicketSemaphore'));
  }
}

/** The largest number of pauses between two checks. A spin reads the clock once in many checks, and has to end in time. */
const MAX_PAUSES = 8;

/**
 * Waits as in Listing 1. A spinning waiter checks less often the further it is from its turn: the listing suggests a
 * delay in proportion to the distance. Only the next waiter spins, unless `longTermThreshold` is above 1.
 */
export function watchGrant({ context, policy, line }: AgentLine, { look, distance }: Ticket, deadline: number): void {
  const isNear = (): boolean => distance() < policy.longTermThreshold;
  const pauses = (): number => Math.min(distance(), MAX_PAUSES);
  watchWord(
    context,
    policy,
    { word: line + GRANT, sleepers: line + GRANT_SLEEPERS, isNear, pauses, claim: claimOn(context, line) },
    look,
    deadline,
  );
}
