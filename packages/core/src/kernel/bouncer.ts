// A wait at a bouncer: a semaphore behind a box office that a kind defines. The box office counts the waiters and
// decides which agent enters. The bouncer puts the other agents to sleep.
//
// The releasing agent takes a waiter off the count before it releases the waiter's permit. So a cancelling waiter first
// takes itself off the count. If the count is already 0, its permit is on the way, and it must take the permit:
//
//   due                   its permit was released, though the walker that brings it may still be on its way: the waiter
//                         takes the permit
//   count 0               every waiter is promised a permit, also this one: the waiter takes its permit, even if the
//                         release is still to come
//   else                  the waiter is removed from the count (LEAVING) and leaves the line (cancel-wait.ts,
//                         `leaveLine`). A permit that was promised before it left may still reach it. The waiter passes
//                         that permit on to the next waiter in the count (`passOn`)
//
// A waiter that finds its own permit takes it together with its ticket, without the walker. The ticket stays drawn, the
// permit is counted for it, and the element stays in the chain as SPENT. So every permit keeps its waiter. A permit
// without a waiter would later admit two agents.
//
// NO WAKE-UP IS LOST. The word of the box office says both whether an agent may enter and how many agents wait. A
// waiter W is counted there, then draws its ticket (`draw`), pushes its element and reads grant (`link`). The releasing
// agent R changes the word, and in the same write takes one waiter off the count; then it adds to grant and reads the
// bucket (`announce`). If W changed the word without comparing it, R could miss W:
//
//   1. W reads the word: it may not enter, and no agent waits.
//   2. R changes the word: an agent may enter. It found no waiter, so it releases no permit.
//   3. W adds itself to the count, draws its ticket, finds no grant, and sleeps. An agent may enter, and no agent comes
//      that would release a permit for W.
//
// Because one compare-and-swap or one addition changes the word, either W finds at step 3 that an agent may enter, or R
// finds W in the count at step 2 and releases a permit. For that permit and W's ticket, the proof in admit.ts holds.
// The kinds name the mutants that break this order.

import { announce, queue } from './admit.ts';
import { clearHazard, setHazard } from './hazard.ts';
import { BLOCK_TAG, ENTRY_HELD, ENTRY_LINE, ENTRY_TAG, GATE, GRANT, LEAVING, OWNER, LINE, TICKET } from './layout.ts';
import {
  ADMITTED_DETACHED,
  CANCELLED,
  CLOSED,
  FREE,
  GRANTED,
  LINKED,
  MUST_SETTLE,
  MUST_UNCOUNT,
  PARKED,
  RACED,
  SHUT,
  SPENT,
  TAKEN,
  WAITING,
  type Admission,
  type Cancel,
  type Poll,
  type Uncount,
} from './states.ts';
import { isFreed, isShut, progress, verdictOf } from './wait.ts';
import { add64, cas32, clamp, get32, get64, load32, put32, put64, store32, wide } from './words.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

const MOST: i32 = 0x7fffffff;

/** The box office that a kind defines. The functions become part of the kind's steps. */
export interface BoxOffice {
  /**
   * Records that the agent `id` got its permit: makes that agent the owner, or adds the permit to `entry`. It cannot
   * fail.
   */
  admit(line: LineAddress, id: i32, entry: EntryAddress): void;
  /**
   * Removes one waiter from the count and returns CANCELLED. Returns TAKEN if a permit is under way for the waiter,
   * which must take it. Returns RACED if it lost a race: call again.
   */
  uncount(line: LineAddress, agent: AgentAddress): Uncount;
  /**
   * Handles a dead agent that was admitted but had not seen its admission. `left` is TAKEN or ADMITTED_DETACHED.
   * Returns the result of the cancellation.
   */
  noteUnseen(line: LineAddress, agent: AgentAddress, entry: EntryAddress, left: Admission): Cancel;
}

/** Defined by a kind whose ledger entries record the permits that agents hold. */
export interface RecordedOffice {
  /**
   * Releases either one or all of the `held` permits of a dead agent, and removes them from `entry`. Returns their
   * number, or RACED if it lost a race: call again.
   */
  giveBack(line: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32;
}

/**
 * Draws a ticket at a bouncer for an agent that the box office has counted. Returns the agent's spare element, QUEUED.
 */
export function draw(bouncer: LineAddress, tag: i32, agent: AgentAddress): ElementAddress {
  const element = queue(agent, bouncer, tag, 1, add64(bouncer + TICKET, wide(1)));
  put32(element + LEAVING, 0);
  return element;
}

/**
 * Checks once. Returns TAKEN if the waiter was admitted and SHUT if the line is closed or freed. In both cases the
 * element is free. Returns WAITING otherwise.
 */
export function pollAt<Office extends BoxOffice>(office: Office, element: ElementAddress, entry: EntryAddress): Poll {
  const verdict = verdictOf(element);
  return verdict === TAKEN ? settleAt(office, element, entry) : verdict;
}

/** Ends the wait with its permit. Returns SHUT if the line was freed: its permits no longer exist. */
function settleAt<Office extends BoxOffice>(
  office: Office,
  element: ElementAddress,
  entry: EntryAddress,
): typeof TAKEN | typeof SHUT {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  // Keep the gate from being FREE until the last write to the line: until then the element protects the line's memory
  // from reuse (kernel/hazard.ts). With `jsEngine` an agent may die in between. In this order, neither the permit nor
  // the element is duplicated.
  put32(element + GATE, SPENT);
  office.admit(asLine(get32(element + LINE)), get32(element + OWNER), entry);
  store32(element + GATE, FREE);
  return TAKEN;
}

/**
 * Cancels a wait at the box office. Run the walk afterwards.
 *
 * Returns TAKEN if a grant came first, or ADMITTED_DETACHED if in addition the element stays behind. Returns CANCELLED
 * if the waiter left and the caller has the element. Returns WAITING if the waiter is no longer counted but still in
 * line: call `leaveLine`. Returns SHUT if the line is closed, and RACED if it lost a race: call again.
 *
 * `dead` is 1 for a dead agent. A dead agent has not seen a grant that came first. That grant is passed on, or noted in
 * `entry`.
 */
export function cancelAt<Office extends BoxOffice>(
  office: Office,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): Cancel {
  const line = asLine(get32(element + LINE));
  setHazard(agent, line);
  const left = cancelUnderHazard(office, agent, element, entry);
  const ended =
    dead !== 0 && (left === TAKEN || left === ADMITTED_DETACHED) ? office.noteUnseen(line, agent, entry, left) : left;
  clearHazard(agent);
  return ended;
}

function cancelUnderHazard<Office extends BoxOffice>(
  office: Office,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
): Cancel {
  // From here on only a verdict can change a LINKED gate, because the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  // Another primitive may by now use the block of a freed line.
  if (isFreed(element)) return pollAt(office, element, entry);
  const gate = load32(element + GATE);
  const begun = beginCancel(agent, element, gate);
  const left =
    begun === MUST_UNCOUNT ? afterUncount(element, office.uncount(asLine(get32(element + LINE)), agent)) : begun;
  return left === MUST_SETTLE ? seizeAt(office, element, entry, gate) : left;
}

/**
 * Begins to cancel a wait in a line that was not freed. `gate` is the element's gate, and not PARKED. Returns MUST_SETTLE
 * or MUST_UNCOUNT if more is to be done, and otherwise the result of the cancellation.
 */
export function beginCancel(
  agent: AgentAddress,
  element: ElementAddress,
  gate: i32,
): typeof SHUT | typeof CANCELLED | typeof WAITING | typeof MUST_SETTLE | typeof MUST_UNCOUNT {
  if (gate === CLOSED) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  if (get32(element + LEAVING) !== 0) return gate === GRANTED ? passOn(agent, element) : WAITING;
  if (gate === GRANTED || progress(element) >= wide(1)) return MUST_SETTLE;
  // Write this before the count changes: with `jsEngine` an agent may die in between, and recovery must not remove it
  // from the count twice.
  put32(element + LEAVING, 1);
  return MUST_UNCOUNT;
}

/** Goes on after MUST_UNCOUNT. `counted` is the result of the box office. */
export function afterUncount(
  element: ElementAddress,
  counted: Uncount,
): typeof WAITING | typeof MUST_SETTLE | typeof RACED {
  if (counted === CANCELLED) return WAITING;
  put32(element + LEAVING, 0);
  return counted === TAKEN ? MUST_SETTLE : RACED;
}

/** Takes the promised permit without waiting for its walker. */
function seizeAt<Office extends BoxOffice>(
  office: Office,
  element: ElementAddress,
  entry: EntryAddress,
  gate: i32,
): Cancel {
  const line = asLine(get32(element + LINE));
  // The element is in no chain, so no walker will look for it.
  if (gate !== LINKED) return settleAt(office, element, entry);
  const id = get32(element + OWNER);
  const found = cas32(element + GATE, LINKED, SPENT);
  if (found === GRANTED) return settleAt(office, element, entry);
  if (found !== LINKED) return RACED;
  // Use the values read before: a walker may have freed the element, and another agent may use it.
  office.admit(line, id, entry);
  return ADMITTED_DETACHED;
}

/**
 * Passes on a permit that reached a waiter after it left the box office. The permit belongs to one of the waiters that
 * are still counted.
 */
function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const line = asLine(get32(element + LINE));
  store32(element + GATE, FREE);
  if (isShut(element)) return SHUT;
  announce(line, agent, add64(line + GRANT, wide(1)), 1);
  return CANCELLED;
}

/**
 * Releases the permits that a ledger entry records for a dead agent. Returns their number, or RACED if it lost a race:
 * call again. Run the walk afterwards.
 */
export function restoreAt<Office extends RecordedOffice>(
  office: Office,
  agent: AgentAddress,
  entry: EntryAddress,
): i32 {
  setHazard(agent, asLine(get32(entry + ENTRY_LINE)));
  const restored = restoreEntry(office, agent, entry);
  clearHazard(agent);
  return restored;
}

function restoreEntry<Office extends RecordedOffice>(office: Office, agent: AgentAddress, entry: EntryAddress): i32 {
  const line = asLine(get32(entry + ENTRY_LINE));
  const held = get64(entry + ENTRY_HELD);
  if (held === wide(0)) return 0;
  if (load32(line + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) {
    put64(entry + ENTRY_HELD, wide(0));
    return 0;
  }
  return office.giveBack(line, agent, entry, clamp(held, MOST));
}
