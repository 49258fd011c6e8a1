// A waiter that another agent brings to the mutex's line: a condition's waiter that was notified. States and invariants
// are in mutex.ts.

import {
  cas64,
  HANDED,
  high32,
  load64,
  OFFICE,
  ownerOf,
  pair,
  plus,
  RACED,
  SUCCESSOR,
  TAKEN,
  WAITING,
  wide,
  type LineAddress,
} from '@sluice/core/kernel';
import { WAITER } from './word.ts';

/**
 * Counts a waiter, as `enqueueAtMutex` counts the agent that calls it. WAITING: counted; the caller draws the waiter's
 * ticket. TAKEN: the mutex was free, and it is on its way to the longest waiter; the caller draws the ticket, then
 * releases one permit at the bouncer. RACED: call again.
 */
export function countAtMutex(mutex: LineAddress): typeof WAITING | typeof TAKEN | typeof RACED {
  const office = load64(mutex + OFFICE);
  // Free and without a successor: no agent waits, and no unlock would admit this waiter.
  if (ownerOf(office) === 0 && (high32(office) & SUCCESSOR) === 0) {
    return cas64(mutex + OFFICE, office, plus(office, wide(HANDED))) === office ? TAKEN : RACED;
  }
  return cas64(mutex + OFFICE, office, plus(office, pair(0, WAITER))) === office ? WAITING : RACED;
}
