import type { ElementAddress } from '../kernel/addresses.ts';

/** Whether a step that draws a ticket returned the element that waits. Otherwise it was decided at once. */
export function isElement(drawn: number): drawn is ElementAddress {
  return drawn > 0;
}
