// The base of the semaphores whose posts may be conservative (Dice & Kogan: SemaPostConservative): such a post
// announces the keys that it admits without reading `ticket`.
//
// In Listing 5 the conservative post adds LongTermThreshold to the key, although its waiters wait at their own keys.
// Here only a post of FLAG_ARRAY also announces keys further on (kernel/family.ts: `ahead`).

import { asCorrupt, checkFlag, FLAGS } from '@sluice/core/internal';
import type { Capabilities } from '@sluice/semaphores';
import type { ReleaseOrTell } from '@sluice/semaphores/kernel';
import { FLAG_CONSERVATIVE } from './kernel/layout.ts';
import type { WaitFor } from './line.ts';
import type { Membership } from './member.ts';
import type { FamilyOptions } from './options.ts';
import { TicketedSemaphore } from './ticketed.ts';

export interface ConservativeOptions extends FamilyOptions {
  /**
   * Whether a post notifies the next waiters without reading `ticket`. Under contention this saves a read of a word
   * that other agents write. Without contention it makes a post slower. Default: false. Cannot be combined with `max`.
   */
  readonly conservative?: boolean | undefined;
}

/** Returns the FLAG_* of the option. Throws `TypeError`. */
export function conservativeFlag({ conservative = false, max }: ConservativeOptions): number {
  checkFlag('conservative', conservative);
  if (conservative && max !== undefined)
    throw new TypeError('A conservative post has no bound: leave out max, or conservative.');
  return conservative ? FLAG_CONSERVATIVE : 0;
}

export abstract class ConservativeSemaphore extends TicketedSemaphore {
  readonly #conservative: boolean;
  readonly #capabilities: Capabilities;

  protected constructor(membership: Membership, className: string, waitFor: WaitFor, capabilities: Capabilities) {
    super(membership, className, waitFor);
    this.#conservative = (this.context.words.get32(this.place.address + FLAGS) & FLAG_CONSERVATIVE) !== 0;
    this.#capabilities = this.#conservative ? { ...capabilities, bounded: false } : capabilities;
  }

  /** The capabilities of this instance, with its options. */
  override get capabilities(): Capabilities {
    return this.#capabilities;
  }

  protected override releaseOnce(permits: number): ReleaseOrTell {
    if (!this.#conservative) return super.releaseOnce(permits);
    const { address, tag } = this.place;
    try {
      return this.kernel.releaseBlindly(address, tag, this.context.agent, this.lineState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }
}
