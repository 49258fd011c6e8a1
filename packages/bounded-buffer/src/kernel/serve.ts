// The part of the walk that admits the head of a side's line once its units are available. Words and invariants:
// sides.ts.

import {
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_DUTY_TAG,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  GRANT,
  IDLE,
  OFFICE,
  OWNER,
  TAKEN,
  type AgentAddress,
  type LineAddress,
} from '@sluice/core/format';
import {
  add64,
  announce,
  cas32,
  get32,
  load32,
  load64,
  ownerOf,
  put32,
  store32,
  takeWord,
  wide,
} from '@sluice/core/kernel';
import { BUFFER_CODE, IN_PLACE, NEEDED, HAS_HEAD } from './layout.ts';
import { freeSideLock } from './side-lock.ts';
import {
  inLine,
  isClosed,
  isProducers,
  leastOf,
  moreOf,
  otherOf,
  producersOf,
  semaphoreOf,
  unitsNow,
} from './sides.ts';

/** Leaves the check of both sides to the walk. */
export function beginServing(agent: AgentAddress, side: LineAddress): void {
  const producers = producersOf(side);
  put32(agent + AGENT_DUTY_TAG, load32(producers - BLOCK_LINE + BLOCK_TAG));
  put32(agent + AGENT_DUTY, producers);
  // Written last: with `jsEngine` an agent that dies before this write leaves nothing to do.
  put32(agent + AGENT_DUTY_KIND, BUFFER_CODE);
}

/** Whether an agent of the side waits for units that are available. */
export function isDue(side: LineAddress): boolean {
  return mayAdmitHead(side) || isNeeded(side);
}

/** Whether an agent is in line for units that are available, and the line has no head. */
export function mayAdmitHead(side: LineAddress): boolean {
  if (inLine(side) <= wide(0) || load32(side + HAS_HEAD) !== 0) return false;
  return !isClosed(side) && unitsNow(side) >= leastOf(side);
}

/** Whether the head of the line sleeps for units that are now available. */
function isNeeded(side: LineAddress): boolean {
  const needed = load32(semaphoreOf(side) + NEEDED);
  return needed !== 0 && unitsNow(side) >= needed;
}

/**
 * Does a part of the walk: admits the heads whose units are available, first a producer, then a consumer.
 *
 * @takes For each side of the buffer in `AGENT_DUTY`: frees that side's lock if the agent still has it, unless it has a
 *   claim or a peek open there (`IN_PLACE`). Otherwise, if the head of the line sleeps for units that are available:
 *   `NEEDED` 0, `GRANT` + 1 of the semaphore where it sleeps. Otherwise, if an agent waits for units that are
 *   available, the line has no head, and the lock has no owner: admits the head, `GRANT` + 1, `HAS_HEAD` 1
 * @leaves The lock taken and freed in the same step; the range as in `release`. `AGENT_DUTY`: the consumers after the
 *   producers; then `AGENT_DUTY_KIND` 0
 * @death Called again
 */
export function serveSides(agent: AgentAddress): typeof IDLE | typeof AGAIN {
  if (get32(agent + AGENT_DUTY_KIND) !== BUFFER_CODE) return IDLE;
  const side = asLine(get32(agent + AGENT_DUTY));
  // The buffer was freed after the death of the agent that wrote this duty.
  const isGone = load32(producersOf(side) - BLOCK_LINE + BLOCK_TAG) !== get32(agent + AGENT_DUTY_TAG);
  if (!isGone && serveSide(side, agent)) return AGAIN;
  if (!isGone && isProducers(side)) put32(agent + AGENT_DUTY, otherOf(side));
  else endServing(agent);
  return AGAIN;
}

/** Notes that nothing is left to the walk. */
export function endServing(agent: AgentAddress): void {
  put32(agent + AGENT_DUTY_KIND, 0);
  put32(agent + AGENT_DUTY, 0);
}

/** Admits the head of the line, or wakes it. Returns whether there may be more to do. */
function serveSide(side: LineAddress, agent: AgentAddress): boolean {
  const id = get32(agent + OWNER);
  const owner = ownerOf(load64(side + OFFICE));
  // Between `claim` and `commit` this agent keeps the lock, even during other calls on the buffer. It makes this check
  // when it leaves.
  if (owner === id && get32(side + IN_PLACE) !== 0) return false;
  if (owner !== id) {
    if (wakeNeeded(side, agent)) return true;
    if (!mayAdmitHead(side)) return false;
    // If another agent owns the lock, that agent makes this check when it leaves. If the lock is free, a waiter that
    // cancelled has changed the word: try again.
    if (takeWord(side, load32(side + BLOCK_TAG), id) !== TAKEN) return ownerOf(load64(side + OFFICE)) === 0;
    if (mayAdmitHead(side)) admitHead(side, agent);
  }
  // Otherwise this agent owns the lock: either since its last call, or because it could not free the lock while other
  // agents arrived at it.
  freeSideLock(side, agent);
  return true;
}

/**
 * Admits the head. The permit is written first: with `jsEngine` an agent may die in between, and a second head only
 * affects the order.
 */
function admitHead(side: LineAddress, agent: AgentAddress): void {
  const line = semaphoreOf(side);
  const grant = add64(line + GRANT, wide(1));
  store32(side + HAS_HEAD, 1);
  announce(line, agent, grant, 1);
}

function wakeNeeded(side: LineAddress, agent: AgentAddress): boolean {
  if (!isNeeded(side)) return false;
  const word = semaphoreOf(side) + NEEDED;
  const needed = load32(word);
  if (needed === 0 || cas32(word, needed, 0) !== needed) return true;
  announce(moreOf(side), agent, add64(moreOf(side) + GRANT, wide(1)), 1);
  return true;
}
