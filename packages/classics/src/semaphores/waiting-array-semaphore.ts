// The semaphore with a waiting array (Dice & Kogan, Listing 2): a waiter watches a count of updates in the bucket of
// its ticket, and a post increments that count. A waiter near the head (`LongTermThreshold`) is woken one post earlier
// and spins on `grant`.
//
// In the paper near waiters only spin, and a post notifies only the ticket `LongTermThreshold` further on. Here a near
// waiter also sleeps in its bucket if it has spun long enough. So a post also notifies the bucket of the ticket that it
// admits, and of all tickets in between. These spin again as they come nearer. With a threshold of 1 there is no ticket
// in between.

import {
  asCorrupt,
  checkFlag,
  checkInteger,
  checkObject,
  FLAGS,
  SLEEPERS,
  UPDATES,
  watchWord,
  type AgentContext,
  type LineAddress,
} from '@sluice/core/internal';
import type { Capabilities } from '@sluice/semaphores';
import type { ReleaseOrTell } from '@sluice/semaphores/kernel';
import { FLAG_ARRAY, FLAG_CONSERVATIVE, THRESHOLD } from './kernel/layout.ts';
import type { Ticket } from './line.ts';
import type { Spot } from './spot.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './member.ts';
import type { FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed.ts';

export interface WaitingArrayOptions extends FamilyOptions {
  /**
   * The number of next waiters that a post also wakes, so that they spin when their turn comes. No other waiter spins.
   * Default: 1.
   */
  readonly longTermThreshold?: number | undefined;
  /**
   * Whether a post notifies the next waiters without reading `ticket`. Under contention this saves a read of a word
   * that other agents write. Without contention it makes a post slower. Default: false. Cannot be combined with `max`.
   */
  readonly conservative?: boolean | undefined;
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
  /** Its capabilities with the default options. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  readonly #conservative: boolean;

  private constructor(membership: Membership) {
    super(membership, 'WaitingArraySemaphore', watchUpdates);
    this.#conservative = (this.context.words.get32(this.place.address + FLAGS) & FLAG_CONSERVATIVE) !== 0;
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
    const { longTermThreshold = 1, conservative = false } = options;
    checkInteger('longTermThreshold', longTermThreshold, 0, 1024);
    checkFlag('conservative', conservative);
    if (conservative && options.max !== undefined)
      throw new TypeError('A conservative post has no bound: leave out max, or conservative.');
    const scheme = FLAG_ARRAY | (conservative ? FLAG_CONSERVATIVE : 0);
    const fill = (sem: LineAddress, context: AgentContext): void =>
      context.words.put32(sem + THRESHOLD, longTermThreshold);
    return new WaitingArraySemaphore(
      createMember(scheme, permits, options, { fill, own: ['longTermThreshold', 'conservative'] }),
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

  /** The capabilities of this instance, with its options. */
  override get capabilities(): Capabilities {
    return this.#conservative ? { ...CAPABILITIES, bounded: false } : CAPABILITIES;
  }

  protected override releaseOnce(permits: number): ReleaseOrTell {
    if (!this.#conservative) return super.releaseOnce(permits);
    const { address, tag } = this.place;
    try {
      return this.kernel.releaseBlindly(address, tag, this.context.agent, this.localState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }
}

/** Waits as in Listing 2. */
export function watchUpdates({ context, policy, sem }: Spot, { look, key, distance }: Ticket, deadline: number): void {
  const bucket = context.kernel.bucketAt(sem, key);
  const threshold = context.words.get32(sem + THRESHOLD);
  const isNear = (): boolean => distance() < threshold;
  watchWord(context, policy, { word: bucket + UPDATES, sleepers: bucket + SLEEPERS, isNear }, look, deadline);
}
