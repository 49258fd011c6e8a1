// A wait at a bouncer: a semaphore behind a box office that a kind brings. The box office counts the waiters and
// decides which agent enters; the bouncer makes agents wait.
//
// Cancelling a wait there takes two agents that agree. An agent that admits waiters relies on the count of waiters, and
// promises them permits before it releases them. So a waiter leaves the box office first, and only while no permit is
// promised to it:
//
//   due                   its permit is there, even if the walker that brings it is still on its way: the waiter takes
//                         it
//   none left to count    every waiter is promised a permit, so this one is, too: it takes the permit, which may not be
//                         there yet
//   else                  removed from the count (LEAVING): from here on no agent relies on it, and it leaves the line
//                         (wait.ts, leaveLine). A permit that reaches it nevertheless, promised to the waiters before
//                         it left, is passed on to the next of them
//
// A waiter that finds its own permit takes it together with its ticket, without the walker. The ticket stays drawn, the
// permit is counted for it, and the element stays in the chain as SPENT. So no permit is ever left without a waiter.
// Such a permit would admit two agents later.

import { announce, queue } from './admit.ts';
import { guard, unguard } from './guard.ts';
import { BLOCK_TAG, ENTRY_HELD, ENTRY_SEM, ENTRY_TAG, GATE, GRANT, LEAVING, OWNER, SEM, TICKET } from './layout.ts';
import {
  ADMITTED_DETACHED,
  CANCELLED,
  CLOSED,
  FREE,
  GRANTED,
  LINKED,
  PARKED,
  QUEUED,
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
import { isFreed, isShut, progress } from './wait.ts';
import { add64, cas32, clamp, get32, get64, load32, put32, put64, store32, wide } from './words.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

const MOST: i32 = 0x7fffffff;

/** What a kind defines of its box office. The functions become part of the kind's steps. */
export interface BoxOffice {
  /** The agent with that id got its permit: makes it the owner, or records the permit in `entry`. It cannot fail. */
  admit(line: LineAddress, id: i32, entry: EntryAddress): void;
  /**
   * Removes one waiter from the count. CANCELLED. TAKEN: a permit is under way for the waiter, which has to take it.
   * RACED: call again.
   */
  cancel(line: LineAddress, agent: AgentAddress): Uncount;
  /**
   * A dead agent was admitted and never knew. `left`: TAKEN or ADMITTED_DETACHED. Returns the result of the
   * cancellation.
   */
  noteUnseen(line: LineAddress, agent: AgentAddress, entry: EntryAddress, left: Admission): Cancel;
}

/** What a kind defines whose ledger entries record what agents hold. */
export interface RecordedOffice {
  /**
   * Releases `held` permits of a dead agent, one or all, and takes them out of `entry`. Returns their number. RACED:
   * call again.
   */
  giveBack(line: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32;
}

/**
 * Draws a ticket at a bouncer, for an agent that the box office has counted. Returns the agent's spare element, QUEUED.
 */
export function draw(bouncer: LineAddress, tag: i32, agent: AgentAddress): ElementAddress {
  const element = queue(agent, bouncer, tag, 1, add64(bouncer + TICKET, wide(1)));
  put32(element + LEAVING, 0);
  return element;
}

/** Checks once. TAKEN: admitted, the element is free. SHUT: closed or freed, the element is free. WAITING: neither. */
export function pollAt<Office extends BoxOffice>(office: Office, element: ElementAddress, entry: EntryAddress): Poll {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return settleAt(office, element, entry);
  if (gate === CLOSED || (gate === QUEUED && isShut(element))) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  return gate === QUEUED && progress(element) >= wide(1) ? settleAt(office, element, entry) : WAITING;
}

/** The wait ends with its permit. SHUT: the line was freed, and its permits no longer exist. */
function settleAt<Office extends BoxOffice>(
  office: Office,
  element: ElementAddress,
  entry: EntryAddress,
): typeof TAKEN | typeof SHUT {
  if (isFreed(element)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  // The gate is not FREE before the last write to the line: until then the element keeps the line's memory from being
  // reused (guard.ts). With `jsEngine` an agent may die in between, and then neither the permit nor the element is
  // there twice.
  put32(element + GATE, SPENT);
  office.admit(asLine(get32(element + SEM)), get32(element + OWNER), entry);
  store32(element + GATE, FREE);
  return TAKEN;
}

/**
 * Cancels a wait at the box office. TAKEN: a grant came first. ADMITTED_DETACHED: as TAKEN, but the element stays
 * behind. CANCELLED: left, the element is the caller's. WAITING: no longer counted, but still in line; call
 * `leaveLine`. SHUT: closed. RACED: call again. Run the walk afterwards. `dead` 1: for a dead agent. A grant that came
 * first is then passed on, or noted in `entry`: the agent has not seen it.
 */
export function cancelAt<Office extends BoxOffice>(
  office: Office,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): Cancel {
  const line = asLine(get32(element + SEM));
  guard(agent, line);
  const left = cancelGuarded(office, agent, element, entry);
  const ended =
    dead !== 0 && (left === TAKEN || left === ADMITTED_DETACHED) ? office.noteUnseen(line, agent, entry, left) : left;
  unguard(agent);
  return ended;
}

function cancelGuarded<Office extends BoxOffice>(
  office: Office,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
): Cancel {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  // The block of a freed line may hold another primitive by now.
  if (isFreed(element)) return pollAt(office, element, entry);
  const gate = load32(element + GATE);
  if (gate === CLOSED) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  if (get32(element + LEAVING) !== 0) return gate === GRANTED ? passOn(agent, element) : WAITING;
  if (gate === GRANTED || progress(element) >= wide(1)) return seizeAt(office, element, entry, gate);
  // Before the count: with `jsEngine` an agent may die in between, and must not be removed from the count a second
  // time.
  put32(element + LEAVING, 1);
  const counted = office.cancel(asLine(get32(element + SEM)), agent);
  if (counted === CANCELLED) return WAITING;
  put32(element + LEAVING, 0);
  return counted === TAKEN ? seizeAt(office, element, entry, gate) : RACED;
}

/** Takes the permit that is promised, without waiting for its walker. */
function seizeAt<Office extends BoxOffice>(
  office: Office,
  element: ElementAddress,
  entry: EntryAddress,
  gate: i32,
): Cancel {
  const line = asLine(get32(element + SEM));
  // Not in a chain: no walker will look for it.
  if (gate !== LINKED) return settleAt(office, element, entry);
  const id = get32(element + OWNER);
  const found = cas32(element + GATE, LINKED, SPENT);
  if (found === GRANTED) return settleAt(office, element, entry);
  if (found !== LINKED) return RACED;
  // With the values read before: a walker may have freed the element, and another agent may use it.
  office.admit(line, id, entry);
  return ADMITTED_DETACHED;
}

/**
 * The waiter left the box office, but a permit reached it: that permit is for one of the waiters that are still
 * counted.
 */
export function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const line = asLine(get32(element + SEM));
  store32(element + GATE, FREE);
  if (isShut(element)) return SHUT;
  announce(line, agent, add64(line + GRANT, wide(1)), 1);
  return CANCELLED;
}

/**
 * Releases what a dead agent holds according to a ledger entry. Returns the number of permits, or RACED: call again.
 * Run the walk afterwards.
 */
export function restoreAt<Office extends RecordedOffice>(
  office: Office,
  agent: AgentAddress,
  entry: EntryAddress,
): i32 {
  guard(agent, asLine(get32(entry + ENTRY_SEM)));
  const restored = restoreEntry(office, agent, entry);
  unguard(agent);
  return restored;
}

function restoreEntry<Office extends RecordedOffice>(office: Office, agent: AgentAddress, entry: EntryAddress): i32 {
  const line = asLine(get32(entry + ENTRY_SEM));
  const held = get64(entry + ENTRY_HELD);
  if (held === wide(0)) return 0;
  if (load32(line + BLOCK_TAG) !== get32(entry + ENTRY_TAG)) {
    put64(entry + ENTRY_HELD, wide(0));
    return 0;
  }
  return office.giveBack(line, agent, entry, clamp(held, MOST));
}
