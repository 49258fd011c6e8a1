// Semaphores whose posts may be conservative (Dice & Kogan: SemaPostConservative): such a post announces the keys that
// it admits without reading `ticket`.
//
// In Listing 5 the conservative post adds LongTermThreshold to the key, although its waiters wait at their own keys.
// Here only a post of FLAG_ARRAY also announces keys further on (kernel/posts.ts: `ahead`).

import { checkFlag } from '@sluice/core/calls';
import { FLAG_CONSERVATIVE } from './kernel/layout.ts';
import type { FamilyOptions } from './options.ts';

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
