// A wait in a level of a priority semaphore (levels.ts). Cancelling it takes two agents that agree, as at a bouncer
// (core: bouncer.ts).

import {
  add64,
  ADMITTED_DETACHED,
  announce,
  asLine,
  BLOCK_TAG,
  CANCELLED,
  cas32,
  CLOSED,
  COUNT,
  ENTRY_HELD,
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
import { FRONT } from './layout.ts';
import { cancelAtLevel, restoreToLevels } from './levels.ts';
import { giveBackClosed, seize, settleBehind } from './waits.ts';

/**
 * Checks once. TAKEN: the permit is credited, the element is free. SHUT: closed, the element is free. WAITING: neither.
 *
 * @step `pollLevel`, `cancelLevelWait`
 * @takes `pollLevel`: a permit, as `poll`. `cancelLevelWait`: a grant that was first. Else `LEVEL_WAITERS` + 2^32 - 1,
 *   and the count + 1, with one of `UNDEALT` less if it is a permit that was for the waiter. Or the permit that was
 *   dealt for it, with its ticket. Then `leaveLine`
 * @leaves `ENTRY_HELD` + 1. `LEAVING` 1: not counted any more, still in line
 * @death Given back; cancelled, and not counted out again
 */
export function pollLevel(element: ElementAddress, entry: EntryAddress): Poll {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return settleBehind(element, entry);
  if (gate === CLOSED) return giveBackClosed(element);
  if (gate !== QUEUED) return WAITING;
  // No verdict tells a waiter that was admitted before the close.
  const isClosed = isShut(element);
  if (!isFreed(element) && progress(element) >= wide(get32(element + COUNT))) return settleBehind(element, entry);
  return isClosed ? giveBackClosed(element) : WAITING;
}

/**
 * Cancels a wait. TAKEN: a grant came first. ADMITTED_DETACHED: as TAKEN, but the element stays behind. CANCELLED:
 * left, the element is the caller's. WAITING: still in line; call core's `leaveLine`. SHUT: closed. RACED: call again.
 * Run the walk afterwards. `dead` 1: for a dead agent. A grant that came first is then passed on.
 */
export function cancelLevelWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  const level = asLine(get32(element + SEM));
  guard(agent, level);
  const left = cancelGuarded(agent, element, entry);
  if (dead !== 0 && (left === TAKEN || left === ADMITTED_DETACHED)) giveToLevels(level, agent, wide(1));
  unguard(agent);
  return left;
}

function cancelGuarded(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  // The block of a freed line may hold another primitive by now.
  return isFreed(element) ? pollLevel(element, entry) : leaveLevel(agent, element, entry);
}

function leaveLevel(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  const gate = load32(element + GATE);
  if (get32(element + LEAVING) !== 0 && gate !== CLOSED) return gate === GRANTED ? passOn(agent, element) : WAITING;
  const seen = pollLevel(element, entry);
  if (seen !== WAITING) return seen;
  // Before the count: with `jsEngine` an agent may die in between, and must not be removed from the count a second
  // time.
  put32(element + LEAVING, 1);
  const counted = cancelAtLevel(agent, asLine(get32(element + SEM)));
  if (counted === CANCELLED) return WAITING;
  put32(element + LEAVING, 0);
  return counted === TAKEN ? seize(element, entry, gate) : RACED;
}

/**
 * The waiter is counted no more, but a permit reached it: that permit is for one of the waiters of its level that are
 * still counted.
 */
function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const level = asLine(get32(element + SEM));
  store32(element + GATE, FREE);
  if (isShut(element)) return SHUT;
  announce(level, agent, add64(level + GRANT, wide(1)), 1);
  return CANCELLED;
}

/** Releases permits of a dead agent at the semaphore of that level. */
function giveToLevels(level: LineAddress, agent: AgentAddress, count: i64): void {
  const home = asLine(get32(level + FRONT));
  if (load32(home + BLOCK_TAG) > 0) restoreToLevels(home, agent, count);
}

class HeldPermits implements RecordedOffice {
  /** Less what other agents released for the dead one (RELEASED_FOR_OTHERS). */
  giveBack(home: LineAddress, agent: AgentAddress, entry: EntryAddress, permits: i32): i32 {
    const held = get64(entry + ENTRY_HELD);
    const debt = load64(home + RELEASED_FOR_OTHERS);
    if (debt > wide(0)) return offset(home, entry, held, debt);
    put64(entry + ENTRY_HELD, wide(0));
    restoreToLevels(home, agent, held);
    return permits;
  }
}

const heldPermits = /* @__PURE__ */ new HeldPermits();

/**
 * Releases what a ledger entry says that a dead agent holds. Returns the number of permits, or RACED: call again. Run
 * the walk afterwards.
 */
export function restoreLevels(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(heldPermits, agent, entry);
}
