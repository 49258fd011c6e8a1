// Tells the result of a step that drew a ticket from the results that decided the call at once.

import type { ElementAddress } from '../kernel/addresses.ts';

/**
 * Returns whether a step drew a ticket and returned the element that waits. Otherwise the step decided the call at
 * once.
 */
export function isElement(drawn: number): drawn is ElementAddress {
  return drawn > 0;
}
