// Moves another agent's waiter to the writers' line: a waiter of a condition that was notified. States and invariants
// are in rw-lock.ts.

import {
  asLine,
  BLOCK_LINE,
  OFFICE,
  OVERFLOW,
  RACED,
  TAKEN,
  WAITING,
  type AgentAddress,
  type LineAddress,
  type Move,
} from '@sluice/core/format';
import { cas64, load64, moveFirst, plus, shifted, type ReceivingOffice } from '@sluice/core/kernel';
import { MAX_WRITERS } from './layout.ts';
import { readersOf, writersOf, WRITERS_AT } from './word.ts';

class WriterReceiver implements ReceivingOffice {
  count(lock: LineAddress): Move | typeof OVERFLOW {
    return countWriter(lock);
  }

  lineOf(lock: LineAddress): LineAddress {
    return asLine(lock + BLOCK_LINE);
  }
}

/**
 * Moves the first element of the agent's detached chain to the writers' line of a read-write lock, if its waiter was
 * notified by this condition and sleeps. Returns the results of `moveFirst`.
 *
 * @takes The first element of the detached chain: its waiter counted in the lock's `OFFICE`, and a ticket of the
 *   writers'
 *   line. If the lock is free, then `GRANT` + 1 in that line
 * @leaves `AGENT_CHAIN`, `AGENT_IN_FLIGHT`; the element: `GATE` PROMISED meanwhile, `DRAWN`, `TAG`, `LINE`
 * @death Walk: it places the element in the writers' line
 */
export function moveToWriter(condition: LineAddress, agent: AgentAddress, lock: LineAddress, tag: i32): Move {
  return moveFirst(new WriterReceiver(), condition, agent, lock, tag);
}

/**
 * Counts a writer, as `enqueueWriter` counts its caller. Returns WAITING if the writer is counted: the caller draws the
 * writer's ticket. Returns TAKEN if no agent is inside or waits and the writer is on its way in: the caller draws the
 * ticket, then releases one permit at the writers' bouncer. Returns OVERFLOW if there are more writers than can be
 * counted, and RACED if it lost a race: call again.
 */
function countWriter(lock: LineAddress): Move | typeof OVERFLOW {
  const office = load64(lock + OFFICE);
  const writers = writersOf(office);
  if (writers === MAX_WRITERS) return OVERFLOW;
  if (cas64(lock + OFFICE, office, plus(office, shifted(1, WRITERS_AT))) !== office) return RACED;
  return writers === 0 && readersOf(office) === 0 ? TAKEN : WAITING;
}
