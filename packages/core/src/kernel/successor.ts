// The waiters of a lock in turns (../turn.ts). A permit at the bouncer makes a waiter the successor: it competes with
// the agents that run until it gets the lock. Its element is then in no chain, and no walker knows it (SUCCEEDS). The
// word OFFICE, its states and its invariants are the kind's.

import type { ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';
import type { CompetingOffice } from './competing.ts';
import { GATE, OFFICE, SEM, SUCCEEDS, SUCCESSOR_AT, TURN, TURN_SEEN } from './layout.ts';
import {
  asGate,
  CLOSED,
  FREE,
  GRANTED,
  IDLE,
  LINKED,
  PARKED,
  QUEUED,
  RACED,
  SHUT,
  SPENT,
  TAKEN,
  WAITING,
  type Gate,
  type Poll,
} from './states.ts';
import { isFreed, isShut, progress } from './wait.ts';
import { cas32, cas64, get32, high32, load32, load64, pair, plus, put32, store32, wide } from './words.ts';

/** What the waiters need to know about a lock in turns. The functions become part of the kind's steps. */
export interface TurnOffice extends CompetingOffice {
  /** The line of the box office, for a waiter in `line`. */
  officeAt(line: LineAddress): LineAddress;
  /** Whether the lock is on its way to the waiter that has the permit. */
  isHanded(office: i64): boolean;
  /** Whether the lock is free in a turn. */
  isFree(office: i64): boolean;
  /** Whether the next unlock can hand over. */
  isHeld(office: i64): boolean;
  /** In the high half of OFFICE: the successor sleeps, and the next unlock wakes it. */
  asleep(): i32;
  /** There: the turn is over. */
  due(): i32;
  /** The waiter whose lock is on its way gets it. It cannot fail. */
  receive(lock: LineAddress, office: i64, element: ElementAddress, entry: EntryAddress): void;
  /** The successor takes the lock, which is free. False: the word changed. */
  take(lock: LineAddress, office: i64, element: ElementAddress, entry: EntryAddress): boolean;
}

export function succeeds(element: ElementAddress): boolean {
  return get32(element + SUCCEEDS) !== 0;
}

/**
 * Checks once. TAKEN: the agent has the lock, the element is free. SHUT: freed, the element is free. WAITING: neither.
 */
export function pollInTurns<Office extends TurnOffice>(
  kind: Office,
  element: ElementAddress,
  entry: EntryAddress,
): Poll {
  if (!succeeds(element)) {
    const gate = load32(element + GATE);
    if (gate === CLOSED || (gate === QUEUED && isShut(element))) {
      put32(element + GATE, FREE);
      return SHUT;
    }
    if (gate !== GRANTED && (gate !== QUEUED || progress(element) < wide(1))) return WAITING;
  }
  return compete(kind, element, entry);
}

/** The waiter has a permit. WAITING: other agents have the lock, and from here on no walker knows the element. */
function compete<Office extends TurnOffice>(kind: Office, element: ElementAddress, entry: EntryAddress): Poll {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  const lock = kind.officeAt(asLine(get32(element + SEM)));
  const office = load64(lock + OFFICE);
  if (kind.isHanded(office)) {
    // Other agents may be counted meanwhile. The gate is not FREE before the last write to the line: until then the
    // element keeps the line's memory from being reused.
    put32(element + GATE, SPENT);
    kind.receive(lock, office, element, entry);
    store32(element + GATE, FREE);
    return TAKEN;
  }
  // An agent that locks again and again keeps the lock until its turn is over. Otherwise some turns would be much
  // shorter than others.
  const turn = load32(lock + TURN);
  if (
    kind.isFree(office) &&
    succeeds(element) &&
    turn === get32(element + TURN_SEEN) &&
    kind.take(lock, office, element, entry)
  ) {
    store32(element + GATE, FREE);
    return TAKEN;
  }
  put32(element + TURN_SEEN, turn);
  if (!succeeds(element)) {
    put32(element + SUCCEEDS, 1);
    store32(element + GATE, LINKED);
  }
  return WAITING;
}

/**
 * Takes the gate from LINKED to PARKED. The successor also sets ASLEEP, so the next unlock wakes it. Any other result
 * is the gate that was found.
 */
export function parkInTurns<Office extends TurnOffice>(kind: Office, element: ElementAddress): Gate {
  const gate = asGate(cas32(element + GATE, LINKED, PARKED));
  if (!succeeds(element)) return gate;
  const lock = kind.officeAt(asLine(get32(element + SEM)));
  // Before ASLEEP: the unlock that finds ASLEEP finds this element, PARKED.
  store32(lock + SUCCESSOR_AT, element);
  const office = load64(lock + OFFICE);
  const asked = (high32(office) & kind.asleep()) !== 0;
  if (
    kind.isFree(office) ||
    kind.isHanded(office) ||
    (!asked && cas64(lock + OFFICE, office, plus(office, pair(0, kind.asleep()))) !== office)
  ) {
    // The successor does not sleep: it competes again.
    store32(element + GATE, LINKED);
  }
  return LINKED;
}

/** The turn is over: the next unlock hands over to the successor that waits with this element. RACED: call again. */
export function makeDueAt<Office extends TurnOffice>(
  kind: Office,
  element: ElementAddress,
): typeof IDLE | typeof RACED {
  if (!succeeds(element) || isFreed(element)) return IDLE;
  const lock = kind.officeAt(asLine(get32(element + SEM)));
  const office = load64(lock + OFFICE);
  if (!kind.isHeld(office) || (high32(office) & kind.due()) !== 0) return IDLE;
  return cas64(lock + OFFICE, office, plus(office, pair(0, kind.due()))) === office ? IDLE : RACED;
}
