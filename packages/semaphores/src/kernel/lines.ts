// A wait at any line of a semaphore of this package: of one with a single line, behind the box office of a lightweight
// one (box.ts), in a lane (multilane.ts), or in a level (levels.ts). Cancelling a wait at one of the lines behind a
// first one takes two agents that agree, as at a bouncer (core: bouncer.ts).

import {
  add64,
  ADMITTED_DETACHED,
  asChain,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  cas32,
  clamp,
  CLOSED,
  COUNT,
  credit,
  detachOf,
  ENTRY_HELD,
  FLAGS,
  FREE,
  GATE,
  get32,
  get64,
  GRANT,
  GRANTED,
  guard,
  isFreed,
  isShut,
  LEAVING,
  LINKED,
  load32,
  load64,
  offset,
  OWN_CHAIN,
  PARKED,
  progress,
  put32,
  put64,
  QUEUED,
  RACED,
  RELEASED_FOR_OTHERS,
  restoreAt,
  SEM,
  SHUT,
  SPENT,
  store32,
  TAKEN,
  unguard,
  WAITING,
  wide,
  type RecordedOffice,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
} from '@sluice/core/kernel';
import { boxRestore, cancelAtBox } from './box.ts';
import { announceAt, hasTokens, isOfFamily, takenByClose, takeToken } from './family.ts';
import { FLAG_BOX, FLAG_DEALER, FLAG_DEALT, FLAG_INNER, FLAG_LEVEL, FLAG_LEVELS, FRONT } from './layout.ts';
import { cancelAtLevel, restoreToLevels } from './levels.ts';
import { cancelInLanes, postForDead } from './multilane.ts';

const MOST: i32 = 0x7fffffff;

/** Whether it is one of the lines behind a first one, where the first one counts the waiters. */
function isBehind(line: LineAddress): boolean {
  return (get32(line + FLAGS) & (FLAG_INNER | FLAG_DEALT)) !== 0;
}

/**
 * Checks once. TAKEN: the permits are credited, the element is free. SHUT: closed, the element is free. WAITING:
 * neither. RACED, only with tokens: call again.
 *
 * @step `pollMember`, `cancelMemberWait`
 * @takes `pollMember`: permits, as `poll`; of tokens one by CAS. `cancelMemberWait`: a grant that was first. Behind the
 *   first line of a lightweight semaphore: the count + 1, or the permit that was released for it, with its ticket. In a
 *   level of a priority one: `LEVEL_WAITERS` + 2^32 - 1, and the count + 1, with one of `UNDEALT` less if it is a
 *   permit that was for the waiter. In a lane of a multilane one: its number, if it was the last; else its ticket stays
 *   in its lane, as a stray. Then `leaveLine`
 * @leaves `ENTRY_HELD` + 1. `LEAVING` 1: not counted any more, still in line
 * @death Given back; cancelled, and not counted out again
 */
export function pollMember(element: ElementAddress, entry: EntryAddress): Poll | typeof RACED {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return settleMember(element, entry);
  if (gate === CLOSED) return giveBackClosed(element);
  if (gate !== QUEUED) return WAITING;
  if (isShut(element)) return wasAdmitted(element) ? admit(element, entry) : giveBackClosed(element);
  return progress(element) >= wide(get32(element + COUNT)) ? admit(element, entry) : WAITING;
}

function giveBackClosed(element: ElementAddress): typeof SHUT {
  put32(element + GATE, FREE);
  return SHUT;
}

/**
 * For a closed line of the family, and for a level: whether the waiter was admitted before the close. No verdict says
 * so there.
 */
function wasAdmitted(element: ElementAddress): boolean {
  const line = asLine(get32(element + SEM));
  if (isFreed(element) || (!isOfFamily(line) && (get32(line + FLAGS) & FLAG_LEVEL) === 0)) return false;
  const needed = wide(get32(element + COUNT) - takenByClose(line));
  return progress(element) >= needed;
}

function admit(element: ElementAddress, entry: EntryAddress): typeof TAKEN | typeof SHUT | typeof RACED {
  const line = asLine(get32(element + SEM));
  if (!isFreed(element) && hasTokens(line) && !takeToken(line)) return RACED;
  return settleMember(element, entry);
}

/** The wait ends with its permits. SHUT: the semaphore was freed, and its permits no longer exist. */
function settleMember(element: ElementAddress, entry: EntryAddress): typeof TAKEN | typeof SHUT {
  if (isFreed(element)) return giveBackClosed(element);
  // Before the credit: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
  put32(element + GATE, FREE);
  credit(entry, wide(get32(element + COUNT)));
  return TAKEN;
}

/**
 * Cancels a wait. TAKEN: a grant came first. ADMITTED_DETACHED: as TAKEN, but the element stays behind. CANCELLED:
 * left, the element is the caller's. WAITING: still in line; call core's `leaveLine`. SHUT: closed. RACED: call again.
 * Run the walk afterwards. `dead` 1: for a dead agent. A grant that came first is then in `entry`. Without an entry it
 * is passed on.
 */
export function cancelMemberWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  const line = asLine(get32(element + SEM));
  const count = wide(get32(element + COUNT));
  guard(agent, line);
  const behind = isBehind(line);
  const left = cancelGuarded(agent, element, entry);
  if (dead !== 0 && (left === TAKEN || left === ADMITTED_DETACHED)) {
    if (behind) giveToFront(line, agent, count);
    // Closed under a grant: then no agent needs the permits.
    else if (entry === 0 && !isShut(element)) announceAt(line, agent, add64(line + GRANT, count), clamp(count, MOST));
  }
  unguard(agent);
  return left;
}

function cancelGuarded(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  // The block of a freed line may hold another primitive by now.
  return isFreed(element) || !isBehind(asLine(get32(element + SEM)))
    ? pollMember(element, entry)
    : cancelBehind(agent, element, entry);
}

function cancelBehind(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  const gate = load32(element + GATE);
  if (get32(element + LEAVING) !== 0 && gate !== CLOSED)
    return gate === GRANTED ? passOn(agent, element) : leaveUncounted(agent, element);
  const seen = pollMember(element, entry);
  if (seen !== WAITING) return seen;
  // Before the count: with `jsEngine` an agent may die in between, and must not be removed from the count a second
  // time.
  put32(element + LEAVING, 1);
  const counted = cancelAtFront(agent, element);
  if (counted === CANCELLED) return leaveUncounted(agent, element);
  put32(element + LEAVING, 0);
  if (counted === TAKEN) return seizeInner(element, entry, gate);
  return counted === CANCELLED_LEFT_BEHIND ? WAITING : RACED;
}

/**
 * Removes a waiter from the count. TAKEN: a permit was released for it. CANCELLED_LEFT_BEHIND: it stays counted, and is
 * a stray.
 */
function cancelAtFront(
  agent: AgentAddress,
  element: ElementAddress,
): typeof TAKEN | typeof CANCELLED | typeof CANCELLED_LEFT_BEHIND | typeof RACED {
  const line = asLine(get32(element + SEM));
  const flags = get32(line + FLAGS);
  if ((flags & FLAG_LEVEL) !== 0) return cancelAtLevel(agent, line);
  return (flags & FLAG_INNER) !== 0 ? cancelAtBox(asLine(get32(line + FRONT))) : cancelInLanes(agent, element);
}

/** A waiter for a token has no ticket to take out of the line. */
function leaveUncounted(agent: AgentAddress, element: ElementAddress): typeof WAITING | typeof CANCELLED {
  const line = asLine(get32(element + SEM));
  if (!hasTokens(line)) return WAITING;
  store32(element + GATE, FREE);
  detachOf(agent, line, asChain(line + OWN_CHAIN));
  return CANCELLED;
}

/** As `seize`. Tokens have no tickets: the agent that releases the token is about to add the one that is taken here. */
function seizeInner(element: ElementAddress, entry: EntryAddress, gate: i32): Cancel {
  const line = asLine(get32(element + SEM));
  if (hasTokens(line)) add64(line + GRANT, wide(-1));
  return seize(element, entry, gate);
}

/** Takes the permit that is promised, without waiting for its walker. */
function seize(element: ElementAddress, entry: EntryAddress, gate: i32): Cancel {
  // Not in a chain: no walker will look for it.
  if (gate !== LINKED) return settleMember(element, entry);
  const found = cas32(element + GATE, LINKED, SPENT);
  if (found === GRANTED) return settleMember(element, entry);
  if (found !== LINKED) return RACED;
  // The element is not read again: a walker may have freed it, and another agent may use it.
  credit(entry, wide(1));
  return ADMITTED_DETACHED;
}

/**
 * The waiter is counted no more, but a permit reached it: that permit is for one of the waiters that are still counted.
 */
function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const line = asLine(get32(element + SEM));
  store32(element + GATE, FREE);
  if (isShut(element)) return SHUT;
  announceAt(line, agent, add64(line + GRANT, wide(1)), 1);
  return CANCELLED;
}

/** Releases permits of a dead agent at a semaphore with several lines. `line`: one of the lines behind the first. */
function giveToFront(line: LineAddress, agent: AgentAddress, count: i64): void {
  const front = asLine(get32(line + FRONT));
  if (load32(front + BLOCK_TAG) <= 0) return;
  const flags = get32(line + FLAGS);
  if ((flags & FLAG_LEVEL) !== 0) restoreToLevels(front, agent, count);
  else if ((flags & FLAG_INNER) !== 0) boxRestore(front, agent, count);
  else postForDead(front, agent, clamp(count, MOST));
}

class HeldPermits implements RecordedOffice {
  /** Less what other agents released for the dead one (RELEASED_FOR_OTHERS). */
  giveBack(sem: LineAddress, agent: AgentAddress, entry: EntryAddress, permits: i32): i32 {
    const held = get64(entry + ENTRY_HELD);
    const debt = load64(sem + RELEASED_FOR_OTHERS);
    if (debt > wide(0)) return offset(sem, entry, held, debt);
    put64(entry + ENTRY_HELD, wide(0));
    if ((get32(sem + FLAGS) & (FLAG_BOX | FLAG_DEALER | FLAG_LEVELS)) !== 0)
      giveToFront(asLine(sem + BLOCK_LINE), agent, held);
    else announceAt(sem, agent, add64(sem + GRANT, held), permits);
    return permits;
  }
}

const heldPermits = /* @__PURE__ */ new HeldPermits();

/**
 * Releases what a ledger entry says that a dead agent holds. Returns the number of permits, or RACED: call again. Run
 * the walk afterwards.
 */
export function restoreMember(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(heldPermits, agent, entry);
}
