// Steps at a turnstile: a mutex in turns whose owner is the agent inside. Its words, states and invariants are those of
// a mutex with the order 'turns' (@sluice/mutex, kernel/mutex.ts), with three differences. First, HEALTH stays
// CONSISTENT, so there is never a notice. Second, an agent that finds the turnstile free in another agent's turn waits
// in line. If it is late and enters nevertheless, its departure ends that turn. Third, LIMIT is B, so a turn has at
// most 5/4 B passes (core: turn.ts). steps.ts names the steps that are the mutex's own.

import {
  OFFICE,
  OWNER,
  type AgentAddress,
  type ElementAddress,
  type Enqueue,
  type HandOver,
  type LineAddress,
} from '@sluice/core/format';
import { get32, load64, wide } from '@sluice/core/kernel';
import { enqueueAtMutex, handOverMutex, NEVER_TAKES } from '@sluice/mutex/kernel';

/**
 * Whether no agent is inside and none waits.
 *
 * @takes Nothing, it reads
 */
export function isTurnstileUnused(turnstile: LineAddress): i32 {
  return load64(turnstile + OFFICE) === wide(0) ? 1 : 0;
}

/**
 * Arrives on the contended path. Returns the same as `enqueueAtMutex`.
 *
 * @step `enterTurnstile`, `enterInTurn`, `leaveTurnstile`, `leaveInTurn`, `enqueueAtTurnstile`, `departTurnstile`,
 *   `pollTurnstile`, `parkTurnstile`, `makeTurnDue`, `cancelTurnstileWait`
 * @takes A turnstile: as `lockMutex` and `unlockMutex` without waiters, the same in a turn, `enqueueAtMutex`,
 *   `handOverMutex`, `pollMutex`, `parkMutex`, `makeMutexDue`, `cancelMutexWait`
 * @leaves As these steps
 * @death `departTurnstileForDead`: handed over, without a notice; or cancelled
 */
export function enqueueAtTurnstile(turnstile: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  return enqueueAtMutex(turnstile, tag, agent, mayWait, NEVER_TAKES);
}

/**
 * Departs for a dead agent, and ends its turn. Returns FOREIGN if it was not inside, and RACED if it lost a race: call
 * again. Run the walk afterwards.
 *
 * @takes A turnstile that a dead agent is inside of: as `handOverMutex` at the end of a turn
 * @leaves In the **dead** agent's record
 * @death The next reclaimer finds the dead agent inside, or the turnstile handed over
 */
export function departTurnstileForDead(agent: AgentAddress, turnstile: LineAddress): HandOver | ElementAddress {
  return handOverMutex(turnstile, agent, get32(agent + OWNER), 1);
}
