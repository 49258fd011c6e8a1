// The end of a wait behind a box office, where it does not depend on the counts of the box office. For waits in a level
// (level-waits.ts), and at the semaphores of @sluice/classics.

import {
  ADMITTED_DETACHED,
  COUNT,
  FREE,
  GATE,
  GRANTED,
  LINKED,
  RACED,
  SHUT,
  SPENT,
  TAKEN,
  type ElementAddress,
  type EntryAddress,
} from '@sluice/core/format';
import { cas32, credit, get32, isFreed, put32, wide } from '@sluice/core/kernel';

export function giveBackClosed(element: ElementAddress): typeof SHUT {
  put32(element + GATE, FREE);
  return SHUT;
}

/** Ends a wait that has its permits. Returns SHUT if the semaphore was freed: then its permits no longer exist. */
export function settleBehind(element: ElementAddress, entry: EntryAddress): typeof TAKEN | typeof SHUT {
  if (isFreed(element)) return giveBackClosed(element);
  // Before the credit: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
  put32(element + GATE, FREE);
  credit(entry, wide(get32(element + COUNT)));
  return TAKEN;
}

/**
 * Takes the permit that is promised to a waiter, without waiting for the walker. `gate` is the value of GATE from
 * before the waiter left the count. Returns RACED if the caller must call again.
 */
export function seize(
  element: ElementAddress,
  entry: EntryAddress,
  gate: i32,
): typeof TAKEN | typeof SHUT | typeof ADMITTED_DETACHED | typeof RACED {
  // The element is in no chain, so no walker will look for it.
  if (gate !== LINKED) return settleBehind(element, entry);
  const found = cas32(element + GATE, LINKED, SPENT);
  if (found === GRANTED) return settleBehind(element, entry);
  if (found !== LINKED) return RACED;
  // The element is not read again: a walker may have freed it, and another agent may use it.
  credit(entry, wide(1));
  return ADMITTED_DETACHED;
}
