// Counts a waiter on behalf of another agent: the notifier of a condition moves a notified waiter to the mutex's line.
// States and invariants are in mutex.ts.

import { HANDED, OFFICE, RACED, TAKEN, WAITING, type LineAddress, type Move } from '@sluice/core/format';
import { cas64, load64, ownerOf, pair, plus, wide } from '@sluice/core/kernel';
import { hasSuccessor, WAITER } from './word.ts';

/**
 * Counts a waiter on behalf of another agent. `enqueueAtMutex` counts its own caller.
 *
 * Returns WAITING if the waiter was counted. The caller then draws the waiter's ticket. Returns TAKEN if the mutex was
 * free; it is then HANDED to the longest waiter. The caller draws the ticket, then releases one permit at the bouncer.
 * Returns RACED if the caller must call again.
 */
export function countAtMutex(mutex: LineAddress): Move {
  const office = load64(mutex + OFFICE);
  // If the mutex is free and has no successor, no agent waits, and no unlock would admit this waiter.
  if (ownerOf(office) === 0 && !hasSuccessor(office)) {
    return cas64(mutex + OFFICE, office, plus(office, wide(HANDED))) === office ? TAKEN : RACED;
  }
  return cas64(mutex + OFFICE, office, plus(office, pair(0, WAITER))) === office ? WAITING : RACED;
}
