// A wait in a level of a priority semaphore (levels.ts). Cancelling it needs two agents that agree, as at a bouncer
// (core: bouncer.ts).

import {
  ADMITTED_DETACHED,
  asLine,
  BLOCK_TAG,
  CANCELLED,
  CLOSED,
  COUNT,
  ENTRY_HELD,
  FREE,
  GATE,
  GRANT,
  GRANTED,
  LEAVING,
  LINKED,
  PARKED,
  QUEUED,
  RACED,
  RELEASED_FOR_OTHERS,
  LINE,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import {
  add64,
  announce,
  cas32,
  get32,
  get64,
  setHazard,
  isFreed,
  isShut,
  load32,
  load64,
  offset,
  progress,
  put32,
  put64,
  restoreAt,
  store32,
  clearHazard,
  wide,
  type RecordedOffice,
} from '@sluice/core/kernel';
import { FRONT } from './layout.ts';
import { cancelAtLevel, restoreToLevels } from './levels.ts';
import { giveBackClosed, seize, settleBehind } from './waits.ts';

/**
 * Checks a wait once. Returns TAKEN if the permit is credited, and SHUT if the semaphore was closed. Then the element
 * is free. Otherwise returns WAITING.
 *
 * @step `pollLevel`, `cancelLevelWait`
 * @takes `pollLevel`: a permit, as `poll`. `cancelLevelWait`: a grant that came before the cancel. Otherwise
 *   `LEVEL_WAITERS` + 2^32 - 1, and the count + 1; if an undealt permit was for the waiter, also `UNDEALT` - 1. Or the
 *   permit that was dealt for it, with its ticket. Then `leaveLine`
 * @leaves `ENTRY_HELD` + 1. `LEAVING` 1: no longer counted, still in line
 * @death The permit is given back; the wait is cancelled, and not removed from the count again
 */
export function pollLevel(element: ElementAddress, entry: EntryAddress): Poll {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return settleBehind(element, entry);
  if (gate === CLOSED) return giveBackClosed(element);
  if (gate !== QUEUED) return WAITING;
  // No verdict tells a waiter whether it was admitted before the close.
  const isClosed = isShut(element);
  if (!isFreed(element) && progress(element) >= wide(get32(element + COUNT))) return settleBehind(element, entry);
  return isClosed ? giveBackClosed(element) : WAITING;
}

/**
 * Cancels a wait.
 *
 * - TAKEN: a grant came first. ADMITTED_DETACHED: a grant came first, and the element stays behind.
 * - CANCELLED: the wait has ended, and the element is the caller's.
 * - WAITING: the waiter is still in line. Call the core's `leaveLine`.
 * - SHUT: the semaphore was closed. RACED: call again.
 *
 * Run the walk afterwards. `dead` is 1 for a dead agent. A grant that came first is then passed on.
 */
export function cancelLevelWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  const level = asLine(get32(element + LINE));
  setHazard(agent, level);
  const left = cancelUnderHazard(agent, element, entry);
  if (dead !== 0 && (left === TAKEN || left === ADMITTED_DETACHED)) giveToLevels(level, agent, wide(1));
  clearHazard(agent);
  return left;
}

function cancelUnderHazard(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
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
  const counted = cancelAtLevel(agent, asLine(get32(element + LINE)));
  if (counted === CANCELLED) return WAITING;
  put32(element + LEAVING, 0);
  return counted === TAKEN ? seize(element, entry, gate) : RACED;
}

/**
 * Passes on the permit of a waiter that is no longer counted: it belongs to a waiter of the same level that is still
 * counted.
 */
function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const level = asLine(get32(element + LINE));
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
  /** Excludes permits that other agents released for the dead agent (RELEASED_FOR_OTHERS). */
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
 * Releases the permits that a dead agent's ledger entry records. Returns their number, or RACED if the caller must call
 * again. Run the walk afterwards.
 */
export function restoreLevels(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(heldPermits, agent, entry);
}
