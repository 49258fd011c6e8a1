// Moves a notified waiter that sleeps to the line of its mutex. States and invariants are in condition.ts.

import type { AgentAddress, LineAddress, Move } from '@sluice/core/format';
import { moveFirst, type ReceivingOffice } from '@sluice/core/kernel';
import { countAtMutex } from '../../kernel/count-for-notifier.ts';

class MutexReceiver implements ReceivingOffice {
  count(mutex: LineAddress): Move {
    return countAtMutex(mutex);
  }

  lineOf(mutex: LineAddress): LineAddress {
    return mutex;
  }
}

/**
 * Moves the first element of the agent's detached chain to the line of the mutex with that tag, if its waiter was
 * notified by this condition and sleeps.
 *
 * Returns TAKEN if it moved the element. The element is then in flight, and the core's walk places it. Returns WAITING
 * if the element must not be moved, and RACED if the caller must call again.
 *
 * @takes The first element of the detached chain: its waiter counted in the lock's `OFFICE`, and a ticket of the lock's
 *   line. If the lock is free, then `GRANT` + 1 in the lock's line
 * @leaves `AGENT_CHAIN`, `AGENT_IN_FLIGHT`; the element: `GATE` PROMISED meanwhile, `DRAWN`, `TAG`, `LINE`
 * @death Walk: it places the element in the lock's line
 */
export function moveToMutex(condition: LineAddress, agent: AgentAddress, mutex: LineAddress, tag: i32): Move {
  return moveFirst(new MutexReceiver(), condition, agent, mutex, tag);
}
