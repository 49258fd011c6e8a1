// Steps that cancel all waits at a resizable semaphore: the write of the word that records the cancel, and the visits
// that wake the waiters. Invariants 6 and 7 of resizable.ts.

import {
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_FROM,
  AGENT_DUTY_KIND,
  AGENT_DUTY_LEFT,
  AGENT_DUTY_TAG,
  asElement,
  asLine,
  BLOCK_TAG,
  GRANT,
  HEADER_ELEMENT_POOL,
  IDLE,
  POOL_COUNT,
  POOL_NEXT,
  POOL_RECORDS,
  POOL_STRIDE,
  RACED,
  LINE,
  SHUT,
  TAG,
  TAKEN,
  type AgentAddress,
  type LineAddress,
  type Try,
  type Walk,
} from '@sluice/core/format';
import {
  cas64,
  get32,
  get64,
  high32,
  load32,
  load64,
  low32,
  pair,
  put32,
  put64,
  rewake,
  store32,
  times32,
  wide,
} from '@sluice/core/kernel';
import { CANCEL_REASON, CANCELLED_AT, KIND_SIZED } from './layout.ts';
import { officeOf } from './resizable.ts';

/**
 * Cancels all waits that are counted now and not due. Returns TAKEN, RACED or SHUT. After TAKEN run the walk, which
 * wakes the sleeping waiters. A waiter gets `reason` if it reads it before another cancel.
 *
 * @takes The waiters of a resizable semaphore that are not due: `CANCELLED_AT` by CAS
 * @leaves `AGENT_DUTY_KIND`, `AGENT_DUTY_FROM`, `AGENT_DUTY_LEFT`, `AGENT_DUTY_TAG`, then `AGENT_DUTY`, before it
 * @death Walk: each waiter is woken
 */
export function cancelAllSized(home: LineAddress, tag: i32, agent: AgentAddress, reason: i32): Try {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  const word = load64(office + CANCELLED_AT);
  // The duty first: with `jsEngine` an agent may die in between, and a visit without a cancel is harmless.
  put32(agent + AGENT_DUTY_KIND, KIND_SIZED);
  put64(agent + AGENT_DUTY_FROM, wide(0));
  put32(agent + AGENT_DUTY_LEFT, 1);
  put32(agent + AGENT_DUTY_TAG, tag);
  put32(agent + AGENT_DUTY, home);
  store32(office + CANCEL_REASON, reason);
  const isDone = cas64(office + CANCELLED_AT, word, pair(low32(load64(home + GRANT)), high32(word) + 1)) === word;
  return isDone ? TAKEN : RACED;
}

/** Does a part of the walk after a cancel: visits the next element, and wakes its agent if it sleeps in that line. */
export function walkSized(agent: AgentAddress): Walk {
  // Keeps the block: the record may stop naming it before the last load from it.
  const home = asLine(get32(agent + AGENT_DUTY));
  if (home === 0 || load32(home + BLOCK_TAG) !== get32(agent + AGENT_DUTY_TAG)) return endDuty(agent);
  if (get32(agent + AGENT_DUTY_LEFT) !== 0) {
    // Read after the cancel: if an element joins the pool later, it serves a waiter that sees the cancel.
    put64(agent + AGENT_DUTY_FROM, pair(load32(HEADER_ELEMENT_POOL), 0));
    put32(agent + AGENT_DUTY_LEFT, 0);
    return AGAIN;
  }
  const at = get64(agent + AGENT_DUTY_FROM);
  const pool = low32(at);
  const index = high32(at);
  if (pool === 0) return endDuty(agent);
  const element = asElement(pool + POOL_RECORDS + times32(index, get32(pool + POOL_STRIDE)));
  const isLast = index + 1 >= get32(pool + POOL_COUNT);
  put64(agent + AGENT_DUTY_FROM, isLast ? pair(get32(pool + POOL_NEXT), 0) : pair(pool, index + 1));
  if (asLine(get32(element + LINE)) !== home || get32(element + TAG) !== get32(agent + AGENT_DUTY_TAG)) return AGAIN;
  const woken = rewake(agent, element);
  return woken === 0 ? AGAIN : woken;
}

function endDuty(agent: AgentAddress): typeof IDLE {
  store32(agent + AGENT_DUTY, 0);
  put32(agent + AGENT_DUTY_KIND, 0);
  return IDLE;
}
