// Moving a notified waiter that sleeps to the line of the lock. States and invariants are in condition.ts.

import {
  add64,
  AGENT_CHAIN,
  AGENT_IN_FLIGHT,
  announce,
  asElement,
  asLine,
  AT,
  BLOCK_TAG,
  cas32,
  GATE,
  get32,
  GRANT,
  guard,
  isShut,
  load32,
  MODE,
  MODE_BLOCKING,
  NEXT,
  OVERFLOW,
  PARKED,
  progress,
  PROMISED,
  put32,
  put64,
  RACED,
  SEM,
  store32,
  TAG,
  TAKEN,
  TICKET,
  unguard,
  UP,
  WAITING,
  wide,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
} from '@sluice/core/kernel';
import { countAtMutex } from '../../kernel/transfer.ts';
import { LOCK, LOCK_TAG } from './layout.ts';

/** A lock to whose line waiters are moved. */
export interface LockOfCondition {
  /**
   * Counts a waiter there. WAITING: counted. TAKEN: counted, and one permit follows its ticket. OVERFLOW, RACED: not
   * counted.
   */
  count(lock: LineAddress): typeof WAITING | typeof TAKEN | typeof OVERFLOW | typeof RACED;
  /** The line in which its waiters wait. */
  lineOf(lock: LineAddress): LineAddress;
}

class OfMutex implements LockOfCondition {
  count(mutex: LineAddress): typeof WAITING | typeof TAKEN | typeof OVERFLOW | typeof RACED {
    return countAtMutex(mutex);
  }

  lineOf(mutex: LineAddress): LineAddress {
    return mutex;
  }
}

/**
 * Moves the first element of the chain that the agent has detached to the mutex's line, if it is a notified waiter of
 * the condition that sleeps.
 * TAKEN: moved; the agent has it in flight, and the core's walk places it. WAITING: it is not to be moved. RACED: call
 * again.
 *
 * @step `moveToMutex`, `moveToWriter`
 * @takes The first element of the detached chain: its waiter counted in the lock's `OFFICE`, a ticket of the lock's
 *   line; at a free lock then `GRANT` + 1 there
 * @leaves `AGENT_CHAIN`, `AGENT_IN_FLIGHT`; the element: `GATE` PROMISED meanwhile, `AT`, `TAG`, `SEM`
 * @death Walk: the element gets to the lock's line
 */
export function moveToMutex(condition: LineAddress, agent: AgentAddress): typeof TAKEN | typeof WAITING | typeof RACED {
  return moveFirst(new OfMutex(), condition, agent);
}

/** As `moveToMutex`, for the kernel of another kind of lock. */
export function moveFirst<Lock extends LockOfCondition>(
  kind: Lock,
  condition: LineAddress,
  agent: AgentAddress,
): typeof TAKEN | typeof WAITING | typeof RACED {
  const element = asElement(get32(agent + AGENT_CHAIN));
  if (element === 0 || get32(agent + AGENT_IN_FLIGHT) !== 0) return WAITING;
  // While the element is in the chain, its SEM keeps the condition's memory from being reused.
  if (asLine(get32(element + SEM)) !== condition || isShut(element) || get32(element + MODE) !== MODE_BLOCKING)
    return WAITING;
  if (progress(element) < wide(1)) return WAITING;
  guard(agent, asLine(get32(condition + LOCK)));
  const moved = moveToLine(kind, condition, agent, element);
  unguard(agent);
  return moved;
}

function moveToLine<Lock extends LockOfCondition>(
  kind: Lock,
  condition: LineAddress,
  agent: AgentAddress,
  element: ElementAddress,
): typeof TAKEN | typeof WAITING | typeof RACED {
  const lock = asLine(get32(condition + LOCK));
  const tag = get32(condition + LOCK_TAG);
  if (load32(lock + BLOCK_TAG) !== tag) return WAITING;
  // Before the waiter is counted: from here on it does not cancel.
  if (cas32(element + GATE, PARKED, PROMISED) !== PARKED) return WAITING;
  const counted = kind.count(lock);
  if (counted === RACED || counted === OVERFLOW) {
    store32(element + GATE, PARKED);
    return counted === RACED ? RACED : WAITING;
  }
  takeFirstOut(agent, element);
  const line = kind.lineOf(lock);
  put64(element + AT, add64(line + TICKET, wide(1)));
  put32(element + TAG, tag);
  put32(element + SEM, line);
  store32(element + GATE, PARKED);
  if (counted === TAKEN) announce(line, agent, add64(line + GRANT, wide(1)), 1);
  return TAKEN;
}

/** Takes the first element of the detached chain in flight. */
function takeFirstOut(agent: AgentAddress, element: ElementAddress): void {
  const next = get32(element + NEXT);
  const up = get32(element + UP);
  if (next !== 0) put32(next + UP, up);
  put32(agent + AGENT_CHAIN, next !== 0 ? next : up);
  put32(agent + AGENT_IN_FLIGHT, element);
}
