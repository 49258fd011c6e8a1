// Moves a notified waiter that sleeps to the line of the lock. States and invariants are in condition.ts.

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

/** A lock that receives moved waiters in its line. */
export interface LockOfCondition {
  /**
   * Counts a waiter at the lock. Returns WAITING if the waiter was counted. Returns TAKEN if it was counted and the
   * caller must release one permit after drawing its ticket. Returns OVERFLOW or RACED if it was not counted.
   */
  count(lock: LineAddress): typeof WAITING | typeof TAKEN | typeof OVERFLOW | typeof RACED;
  /** Returns the line in which the lock's waiters wait. */
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
 * Moves the first element of the agent's detached chain to the mutex's line, if its waiter was notified by this
 * condition and sleeps.
 *
 * Returns TAKEN if it moved the element. The element is then in flight, and the core's walk places it. Returns WAITING
 * if the element must not be moved, and RACED if the caller must call again.
 *
 * @step `moveToMutex`, `moveToWriter`
 * @takes The first element of the detached chain: its waiter counted in the lock's `OFFICE`, and a ticket of the lock's
 *   line. If the lock is free, then `GRANT` + 1 in the lock's line
 * @leaves `AGENT_CHAIN`, `AGENT_IN_FLIGHT`; the element: `GATE` PROMISED meanwhile, `AT`, `TAG`, `SEM`
 * @death Walk: it places the element in the lock's line
 */
export function moveToMutex(condition: LineAddress, agent: AgentAddress): typeof TAKEN | typeof WAITING | typeof RACED {
  return moveFirst(new OfMutex(), condition, agent);
}

/** Moves an element as `moveToMutex` does, to the line of any kind of lock. */
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
  // Change the gate before counting the waiter: a waiter whose gate is PROMISED does not cancel.
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

/** Takes the first element out of the detached chain. The element is then in flight. */
function takeFirstOut(agent: AgentAddress, element: ElementAddress): void {
  const next = get32(element + NEXT);
  const up = get32(element + UP);
  if (next !== 0) put32(next + UP, up);
  put32(agent + AGENT_CHAIN, next !== 0 ? next : up);
  put32(agent + AGENT_IN_FLIGHT, element);
}
