// Moves a waiter to another line, where it goes on waiting: an agent that walks moves the first element of its detached
// chain. The waiter must sleep, and must have a permit at the line that it leaves.
//
//   PARKED ▶ PROMISED   reserves the element: a waiter whose gate is PROMISED does not cancel. Then its waiter is
//                       counted at the other line's box office
//   PROMISED ▶ PARKED   LINE, TAG and DRAWN are those of the other line: the element belongs to it now. If the waiter
//                       could not be counted, they are unchanged

import type { AgentAddress, ElementAddress, LineAddress } from './addresses.ts';
import { asElement, asLine } from './addresses.ts';
import { announce } from './admit.ts';
import { clearHazard, setHazard } from './hazard.ts';
import {
  AGENT_CHAIN,
  AGENT_IN_FLIGHT,
  DRAWN,
  BLOCK_TAG,
  GATE,
  GRANT,
  MODE,
  MODE_BLOCKING,
  NEXT,
  LINE,
  TAG,
  TICKET,
  UP,
} from './layout.ts';
import { OVERFLOW, PARKED, PROMISED, RACED, TAKEN, WAITING, type Move } from './states.ts';
import { isShut, progress } from './wait.ts';
import { add64, cas32, get32, load32, put32, put64, store32, wide } from './words.ts';

/** A box office that counts waiters that other agents move to its line. */
export interface ReceivingOffice {
  /**
   * Counts a waiter. Returns WAITING if the waiter was counted. Returns TAKEN if it was counted and the caller must
   * release one permit after drawing its ticket. Returns OVERFLOW or RACED if it was not counted.
   */
  count(lock: LineAddress): Move | typeof OVERFLOW;
  /** Returns the line in which the waiters of the box office wait. */
  lineOf(lock: LineAddress): LineAddress;
}

/**
 * Moves the first element of the agent's detached chain to the box office in the line `lock`, which has that tag.
 *
 * Returns TAKEN if it moved the element. The element is then in flight, and the walk places it. Returns WAITING if the
 * element must not be moved: its waiter is not one that waits in the line `from`, has a permit there and sleeps. Returns
 * RACED if the caller must call again.
 */
export function moveFirst<Office extends ReceivingOffice>(
  kind: Office,
  from: LineAddress,
  agent: AgentAddress,
  lock: LineAddress,
  tag: i32,
): Move {
  const element = asElement(get32(agent + AGENT_CHAIN));
  if (element === 0 || get32(agent + AGENT_IN_FLIGHT) !== 0) return WAITING;
  // While the element is in the chain, its LINE keeps the memory of the line from being reused.
  if (asLine(get32(element + LINE)) !== from || isShut(element) || get32(element + MODE) !== MODE_BLOCKING)
    return WAITING;
  if (progress(element) < wide(1)) return WAITING;
  setHazard(agent, lock);
  const moved = moveToLine(kind, agent, element, lock, tag);
  clearHazard(agent);
  return moved;
}

function moveToLine<Office extends ReceivingOffice>(
  kind: Office,
  agent: AgentAddress,
  element: ElementAddress,
  lock: LineAddress,
  tag: i32,
): Move {
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
  put64(element + DRAWN, add64(line + TICKET, wide(1)));
  put32(element + TAG, tag);
  put32(element + LINE, line);
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
