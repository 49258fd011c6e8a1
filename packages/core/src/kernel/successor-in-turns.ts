// The waiters of a lock in turns (../locks/turn.ts). A waiter that gets a permit at the bouncer becomes the successor.
// It competes with the running agents until it gets the lock. Its element is then in no chain, and no walker knows it
// (SUCCEEDS). The kind defines the word OFFICE, its states and its invariants.
//
// NO WAKE-UP IS LOST. The successor W writes PARKED to its gate, its element to SUCCESSOR_AT, and then ASLEEP to
// OFFICE, only while an agent owns the lock (`parkInTurns`). The owner R frees the lock by one change of OFFICE. If the
// word before had ASLEEP, R notifies the element that it read from SUCCESSOR_AT (`rewake`). If W set ASLEEP first (the
// mutant "the successor requests its wake-up before it can be found"), R could miss W:
//
//   1. W sets ASLEEP.
//   2. R reads SUCCESSOR_AT: 0, or the element of an earlier successor.
//   3. R frees the lock, which clears ASLEEP, and notifies that other element.
//   4. W writes SUCCESSOR_AT and sleeps. The lock is free, and no unlock looks for W again.
//
// In the right order, SUCCESSOR_AT names W whenever OFFICE has ASLEEP. If the lock became free before W could set
// ASLEEP, W does not sleep, but competes again (the mutant "the successor goes to sleep although the mutex is free").

import type { ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';
import type { CompetingOffice } from './competing-lock.ts';
import { GATE, OFFICE, LINE, SUCCEEDS, SUCCESSOR_AT, TURN, TURN_SEEN } from './layout.ts';
import {
  asGate,
  FREE,
  IDLE,
  LINKED,
  PARKED,
  RACED,
  SHUT,
  SPENT,
  TAKEN,
  WAITING,
  type GateState,
  type Poll,
} from './states.ts';
import { isFreed, verdictOf } from './wait.ts';
import { cas32, cas64, get32, high32, load32, load64, pair, plus, put32, store32 } from './words.ts';

/** The operations on a lock in turns that its waiters need. The functions become part of the kind's steps. */
export interface TurnOffice extends CompetingOffice {
  /** Returns the line of the box office, for a waiter in `line`. */
  officeAt(line: LineAddress): LineAddress;
  /** Whether the lock has been handed to the waiter that has the permit. */
  isHanded(office: i64): boolean;
  /** Whether the lock is free during a turn. */
  isFree(office: i64): boolean;
  /** Whether the next unlock can hand over. */
  isHeld(office: i64): boolean;
  /** Returns the bit of OFFICE's high half for a sleeping successor. The next unlock wakes it. */
  asleep(): i32;
  /** Returns the bit of OFFICE's high half for the end of the turn. */
  due(): i32;
  /** Gives the lock to the waiter to which it was handed. It cannot fail. */
  receive(lock: LineAddress, office: i64, element: ElementAddress, entry: EntryAddress): void;
  /** Lets the successor take the free lock. Returns false if the word changed. */
  take(lock: LineAddress, office: i64, element: ElementAddress, entry: EntryAddress): boolean;
}

export function succeeds(element: ElementAddress): boolean {
  return get32(element + SUCCEEDS) !== 0;
}

/**
 * Checks once. Returns TAKEN if the agent has the lock, and SHUT if the lock was freed. In both cases the element is
 * free. Returns WAITING otherwise.
 */
export function pollInTurns<Office extends TurnOffice>(
  kind: Office,
  element: ElementAddress,
  entry: EntryAddress,
): Poll {
  if (!succeeds(element)) {
    const verdict = verdictOf(element);
    if (verdict !== TAKEN) return verdict;
  }
  return compete(kind, element, entry);
}

/**
 * Competes for the lock after the waiter got a permit. Returns WAITING if other agents have the lock; then no walker
 * knows the element.
 */
function compete<Office extends TurnOffice>(kind: Office, element: ElementAddress, entry: EntryAddress): Poll {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  const lock = kind.officeAt(asLine(get32(element + LINE)));
  const office = load64(lock + OFFICE);
  if (kind.isHanded(office)) {
    // SPENT, not FREE: until the last write to the line, a gate that is not FREE keeps the line's memory from reuse.
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
 * Takes the gate from LINKED to PARKED. Returns LINKED if it found LINKED, otherwise the gate that it found. The
 * successor also sets ASLEEP, so that the next unlock wakes it. If the lock became free meanwhile, or ASLEEP could not
 * be set, its gate is LINKED again and the successor does not sleep.
 */
export function parkInTurns<Office extends TurnOffice>(kind: Office, element: ElementAddress): GateState {
  const gate = asGate(cas32(element + GATE, LINKED, PARKED));
  if (!succeeds(element)) return gate;
  const lock = kind.officeAt(asLine(get32(element + LINE)));
  // Lost wake-up, successor side: write this before ASLEEP. The unlock that finds ASLEEP must find this element,
  // PARKED. Pairs with the load of SUCCESSOR_AT in the kind's unlock, before `rewake`.
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

/**
 * Ends the turn: the next unlock hands over to the successor that waits with this element. Returns RACED if it lost a
 * race: call again.
 */
export function makeDueAt<Office extends TurnOffice>(
  kind: Office,
  element: ElementAddress,
): typeof IDLE | typeof RACED {
  if (!succeeds(element) || isFreed(element)) return IDLE;
  const lock = kind.officeAt(asLine(get32(element + LINE)));
  const office = load64(lock + OFFICE);
  if (!kind.isHeld(office) || (high32(office) & kind.due()) !== 0) return IDLE;
  return cas64(lock + OFFICE, office, plus(office, pair(0, kind.due()))) === office ? IDLE : RACED;
}
