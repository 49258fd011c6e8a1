// Steps of an agent that waits for a mutex: it looks for its permit, competes as the successor, sleeps, and cancels. States and invariants are
// in mutex.ts.

import {
  add64,
  asEntry,
  asGate,
  asLine,
  cancelCompetingAt,
  cancelDeadCompetingAt,
  CANCELLED,
  cas32,
  cas64,
  CLOSED,
  FREE,
  GATE,
  get32,
  GRANTED,
  HANDED,
  high32,
  IDLE,
  isFreed,
  isShut,
  LINKED,
  load32,
  load64,
  markUnseen,
  minus,
  OFFICE,
  OWNER,
  ownerOf,
  pair,
  PARKED,
  plus,
  progress,
  put32,
  QUEUED,
  RACED,
  SEM,
  SHUT,
  SPENT,
  store32,
  SUCCEEDS,
  SUCCESSOR_AT,
  TAKEN,
  TURN,
  TURN_SEEN,
  WAITING,
  wide,
  type AgentAddress,
  type Cancel,
  type CompetingOffice,
  type ElementAddress,
  type EntryAddress,
  type Gate,
  type LineAddress,
  type Poll,
  type Uncount,
} from '@sluice/core/kernel';
import { DUE } from './layout.ts';
import { ASLEEP, WAITER, waitersOf, withoutSuccessor } from './word.ts';

function succeeds(element: ElementAddress): boolean {
  return get32(element + SUCCEEDS) !== 0;
}

/** Checks once. TAKEN: the agent owns the mutex, the element is free. SHUT: freed, the element is free. WAITING: neither. */
export function pollMutex(element: ElementAddress): Poll {
  if (succeeds(element)) return compete(element);
  const gate = load32(element + GATE);
  if (gate === GRANTED) return compete(element);
  if (gate === CLOSED || (gate === QUEUED && isShut(element))) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  return gate === QUEUED && progress(element) >= wide(1) ? compete(element) : WAITING;
}

/** The waiter has a permit. WAITING: another agent has the mutex, and from here on no walker knows the element. */
function compete(element: ElementAddress): Poll {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  const mutex = asLine(get32(element + SEM));
  const office = load64(mutex + OFFICE);
  const owner = ownerOf(office);
  const id = get32(element + OWNER);
  if (owner === HANDED) {
    // Only the agent that has the permit may, so it cannot fail. Other agents may be counted meanwhile.
    // The gate is not FREE before the last write to the line: until then the element keeps the line's memory from being reused.
    put32(element + GATE, SPENT);
    add64(mutex + OFFICE, wide(id - HANDED));
    store32(element + GATE, FREE);
    return TAKEN;
  }
  // An agent that locks the mutex again and again keeps it until its turn is over. Otherwise some turns would be much shorter than others.
  const turn = load32(mutex + TURN);
  if (owner === 0 && succeeds(element) && turn === get32(element + TURN_SEEN)) {
    if (cas64(mutex + OFFICE, office, pair(id, withoutSuccessor(office))) === office) {
      store32(element + GATE, FREE);
      return TAKEN;
    }
  }
  put32(element + TURN_SEEN, turn);
  if (!succeeds(element)) {
    put32(element + SUCCEEDS, 1);
    store32(element + GATE, LINKED);
  }
  return WAITING;
}

/** Takes the gate from LINKED to PARKED. The successor also sets ASLEEP, so the next unlock wakes it. Any other result is the gate that was found. */
export function parkMutex(element: ElementAddress): Gate {
  const gate = asGate(cas32(element + GATE, LINKED, PARKED));
  if (!succeeds(element)) return gate;
  const mutex = asLine(get32(element + SEM));
  // Before ASLEEP: the unlock that finds ASLEEP finds this element, PARKED.
  store32(mutex + SUCCESSOR_AT, element);
  const office = load64(mutex + OFFICE);
  const owner = ownerOf(office);
  const asked = (high32(office) & ASLEEP) !== 0;
  if (owner === 0 || owner === HANDED || (!asked && cas64(mutex + OFFICE, office, plus(office, pair(0, ASLEEP))) !== office)) {
    // The successor does not sleep: it competes again.
    store32(element + GATE, LINKED);
  }
  return LINKED;
}

/** The turn is over: the next unlock hands over to the successor that waits with this element. RACED: call again. */
export function makeDue(element: ElementAddress): typeof IDLE | typeof RACED {
  if (!succeeds(element) || isFreed(element)) return IDLE;
  const mutex = asLine(get32(element + SEM));
  const office = load64(mutex + OFFICE);
  const owner = ownerOf(office);
  if (owner === 0 || owner === HANDED || (high32(office) & DUE) !== 0) return IDLE;
  return cas64(mutex + OFFICE, office, plus(office, pair(0, DUE))) === office ? IDLE : RACED;
}

class MutexOffice implements CompetingOffice {
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

export function cancelMutexWait(agent: AgentAddress, element: ElementAddress): Cancel {
  return cancelCompetingAt(mutexOffice, agent, element, asEntry(0));
}

export function cancelDeadMutexWait(agent: AgentAddress, element: ElementAddress): Cancel {
  return cancelDeadCompetingAt(mutexOffice, agent, element, asEntry(0));
}
