// A writer that another agent brings to the writers' line: a condition's waiter that was notified (@sluice/condition). States and invariants
// are in rw-lock.ts.

import { cas64, load64, OFFICE, OVERFLOW, plus, RACED, shifted, TAKEN, WAITING, type LineAddress } from '@sluice/core/kernel';
import { MOST_WRITERS } from './layout.ts';
import { readersOf, writersOf, WRITERS_AT } from './word.ts';

/**
 * Counts a writer, as `enqueueWriter` counts the agent that calls it. WAITING: counted; the caller draws the writer's ticket. TAKEN: no agent is
 * inside or waits, and the writer is on its way in; the caller draws the ticket, then releases one permit at the writers' bouncer. OVERFLOW: more
 * writers than can be counted. RACED: call again.
 */
export function countWriter(lock: LineAddress): typeof WAITING | typeof TAKEN | typeof OVERFLOW | typeof RACED {
  const office = load64(lock + OFFICE);
  const writers = writersOf(office);
  if (writers === MOST_WRITERS) return OVERFLOW;
  if (cas64(lock + OFFICE, office, plus(office, shifted(1, WRITERS_AT))) !== office) return RACED;
  return writers === 0 && readersOf(office) === 0 ? TAKEN : WAITING;
}
