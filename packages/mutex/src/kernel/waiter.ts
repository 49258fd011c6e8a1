// Steps of an agent that waits for a mutex: it looks for its permit, competes as the successor, sleeps, and cancels.
// States and invariants are in mutex.ts.

import {
  asEntry,
  CANCELLED,
  HANDED,
  OFFICE,
  OWNER,
  RACED,
  TAKEN,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type GateState,
  type IDLE,
  type LineAddress,
  type Poll,
  type Uncount,
} from '@sluice/core/format';
import {
  add64,
  cancelCompetingAt,
  cas64,
  get32,
  load64,
  makeDueAt,
  markUnseen,
  minus,
  ownerOf,
  pair,
  parkInTurns,
  pollInTurns,
  succeeds,
  wide,
  type TurnOffice,
} from '@sluice/core/kernel';
import { ASLEEP, DUE } from './layout.ts';
import { WAITER, waitersOf, withoutSuccessor } from './word.ts';

class MutexOffice implements TurnOffice {
  officeAt(line: LineAddress): LineAddress {
    return line;
  }

  isHanded(office: i64): boolean {
    return ownerOf(office) === HANDED;
  }

  isFree(office: i64): boolean {
    return ownerOf(office) === 0;
  }

  isHeld(office: i64): boolean {
    return ownerOf(office) !== 0 && ownerOf(office) !== HANDED;
  }

  asleep(): i32 {
    return ASLEEP;
  }

  due(): i32 {
    return DUE;
  }

  receive(mutex: LineAddress, _office: i64, element: ElementAddress, _entry: EntryAddress): void {
    add64(mutex + OFFICE, wide(get32(element + OWNER) - HANDED));
  }

  take(mutex: LineAddress, office: i64, element: ElementAddress, _entry: EntryAddress): boolean {
    return cas64(mutex + OFFICE, office, pair(get32(element + OWNER), withoutSuccessor(office))) === office;
  }

  poll(element: ElementAddress, _entry: EntryAddress): Poll {
    return pollMutex(element);
  }

  isOut(element: ElementAddress): boolean {
    return succeeds(element);
  }

  uncount(mutex: LineAddress, _agent: AgentAddress): Uncount {
    const office = load64(mutex + OFFICE);
    if (waitersOf(office) === 0) return TAKEN;
    return cas64(mutex + OFFICE, office, minus(office, pair(0, WAITER))) === office ? CANCELLED : RACED;
  }

  resign(mutex: LineAddress, id: i32, _agent: AgentAddress, _entry: EntryAddress): Uncount {
    const office = load64(mutex + OFFICE);
    const owner = ownerOf(office);
    const isTaken = owner === 0 || owner === HANDED;
    const next = isTaken ? id : owner;
    if (cas64(mutex + OFFICE, office, pair(next, withoutSuccessor(office))) !== office) return RACED;
    return isTaken ? TAKEN : CANCELLED;
  }

  noteUnseen(mutex: LineAddress, _entry: EntryAddress): void {
    markUnseen(mutex);
  }
}

const mutexOffice = /* @__PURE__ */ new MutexOffice();

/**
 * Checks once whether the wait is over. Returns TAKEN if the agent now owns the mutex, and SHUT if the mutex was freed.
 * In both cases the element is free. Returns WAITING otherwise.
 *
 * @takes A waiter with a permit takes the mutex: HANDED or free to the agent's id, SUCCESSOR off. Or it becomes the
 *   successor: `SUCCEEDS` 1, `GATE` LINKED in no chain
 * @leaves `OFFICE`; `SUCCEEDS`
 * @death `releaseForDeadOwner`. A successor is cancelled: SUCCESSOR off; if the mutex is free, the successor owns it,
 *   unseen, and recovery passes it on
 */
export function pollMutex(element: ElementAddress): Poll {
  return pollInTurns(mutexOffice, element, asEntry(0));
}

/**
 * Prepares the waiter for sleep. Returns LINKED if the waiter may sleep; its gate is then PARKED, unless the mutex
 * became free meanwhile. Returns any other gate that it found; the waiter must handle it first.
 *
 * @step `parkMutex`, `makeMutexDue`
 * @takes ASLEEP with `SUCCESSOR_AT`, first; DUE
 * @leaves `OFFICE`
 * @death As a successor
 */
export function parkMutex(element: ElementAddress): GateState {
  return parkInTurns(mutexOffice, element);
}

/** Ends the turn: the next unlock hands over to the successor. Returns RACED if it lost a race: call again. */
export function makeMutexDue(element: ElementAddress): typeof IDLE | typeof RACED {
  return makeDueAt(mutexOffice, element);
}

/**
 * Cancels a wait. Returns the results of `cancelCompetingAt`. If the waiter was removed from the count, `leaveLine`
 * takes it out of the line.
 *
 * @takes One waiter less in `OFFICE`. Or the mutex: HANDED or free becomes the agent's id, SUCCESSOR off
 * @leaves `LEAVING` 1 first; it is no longer counted, but still in line. Or `OFFICE` names the owner
 * @death Cancelled, without a second removal from the count; or `releaseForDeadOwner`
 */
export function cancelMutexWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  return cancelCompetingAt(mutexOffice, agent, element, entry, dead);
}
