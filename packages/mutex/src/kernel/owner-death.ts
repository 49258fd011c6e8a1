// The step that hands over the mutex of a dead owner. States and invariants are in mutex.ts.

import {
  FOREIGN,
  HANDED,
  OFFICE,
  OWNER,
  type AgentAddress,
  type ElementAddress,
  type HandOver,
  type LineAddress,
} from '@sluice/core/format';
import { get32, isUnseen, load64, orphan, ownerOf, put32 } from '@sluice/core/kernel';
import { DEPTH } from './layout.ts';
import { passMutex } from './mutex.ts';

/**
 * Hands over the mutex of a dead owner. The next owner gets a notice, unless the dead agent never knew that it owned
 * the mutex.
 *
 * @takes Passes on a mutex that a dead agent owns: `HEALTH` orphaned unless the owner never saw the grant, then as
 *   `handOverMutex`
 * @leaves As `handOverMutex`, in the **dead** agent's record; `DEPTH` 0
 * @death The next reclaimer finds it owned by the dead agent, or passed on
 */
export function releaseMutexForDeadOwner(agent: AgentAddress, mutex: LineAddress): HandOver | ElementAddress {
  const id = get32(agent + OWNER);
  const office = load64(mutex + OFFICE);
  if (ownerOf(office) !== id) return FOREIGN;
  if (!isUnseen(office)) orphan(mutex);
  put32(mutex + DEPTH, 0);
  return passMutex(mutex, agent, office, HANDED);
}
