// Giving the turn to agents that units are there for: the kind's own walk. Words and invariants: sides.ts.

import {
  add64,
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_DUTY_TAG,
  announce,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  cas32,
  get32,
  GRANT,
  IDLE,
  load32,
  load64,
  OFFICE,
  OWNER,
  ownerOf,
  put32,
  store32,
  TAKEN,
  takeWord,
  wide,
  type AgentAddress,
  type LineAddress,
} from '@sluice/core/kernel';
import { BUFFER_CODE, IN_PLACE, NEEDED, TURN } from './layout.ts';
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
  // Last: with `jsEngine` an agent may die in between, and then there is nothing to do.
  put32(agent + AGENT_DUTY_KIND, BUFFER_CODE);
}

/** Whether units are there that an agent waits for. */
export function isDue(side: LineAddress): boolean {
  return mayGiveTurn(side) || isNeeded(side);
}

function mayGiveTurn(side: LineAddress): boolean {
  if (inLine(side) <= wide(0) || load32(side + TURN) !== 0) return false;
  return !isClosed(side) && unitsNow(side) >= leastOf(side);
}

/** Whether the agent with the turn sleeps for units that are now there. */
function isNeeded(side: LineAddress): boolean {
  const needed = load32(semaphoreOf(side) + NEEDED);
  return needed !== 0 && unitsNow(side) >= needed;
}

/**
 * A part of the walk: gives the turn to agents that units are there for, first to a producer, then to a consumer.
 *
 * @takes For each side of the buffer in `AGENT_DUTY`: frees that side's lock if the agent still has it, unless it has a
 *   claim or a peek open there (`IN_PLACE`). Else, if the agent with the turn sleeps for units that are there: `NEEDED`
 *   0, `GRANT` + 1 of the semaphore where it sleeps. Else, if an agent waits for units that are there and no agent has
 *   the turn or the lock: gives the turn, `GRANT` + 1, `TURN` 1
 * @leaves The lock taken and freed in the same step; the range as in `release`. `AGENT_DUTY`: the consumers after the
 *   producers; then `AGENT_DUTY_KIND` 0
 * @death Called again
 */
export function serveSides(agent: AgentAddress): typeof IDLE | typeof AGAIN {
  if (get32(agent + AGENT_DUTY_KIND) !== BUFFER_CODE) return IDLE;
  const side = asLine(get32(agent + AGENT_DUTY));
  // The buffer was freed after the death of the agent that left this note.
  const gone = load32(producersOf(side) - BLOCK_LINE + BLOCK_TAG) !== get32(agent + AGENT_DUTY_TAG);
  if (!gone && promise(side, agent)) return AGAIN;
  if (!gone && isProducers(side)) put32(agent + AGENT_DUTY, otherOf(side));
  else endServing(agent);
  return AGAIN;
}

function endServing(agent: AgentAddress): void {
  put32(agent + AGENT_DUTY_KIND, 0);
  put32(agent + AGENT_DUTY, 0);
}

/** Returns whether there may be more to do. */
function promise(side: LineAddress, agent: AgentAddress): boolean {
  const id = get32(agent + OWNER);
  const owner = ownerOf(load64(side + OFFICE));
  // Between `claim` and `commit` this agent keeps the lock, whatever else it does at the buffer. It checks when it
  // leaves.
  if (owner === id && get32(side + IN_PLACE) !== 0) return false;
  if (owner !== id) {
    if (wakeNeeded(side, agent)) return true;
    if (!mayGiveTurn(side)) return false;
    // If another agent owns the lock, that agent checks when it leaves. If the lock is free, a waiter that cancelled
    // changed the word: try again.
    if (takeWord(side, load32(side + BLOCK_TAG), id) !== TAKEN) return ownerOf(load64(side + OFFICE)) === 0;
    if (mayGiveTurn(side)) giveTurn(side, agent);
  }
  // Otherwise this agent owns the lock since its last call, or since it left: other agents came to the lock in that
  // moment.
  freeSideLock(side, agent);
  return true;
}

/** The permit comes first: with `jsEngine` an agent may die in between, and a surplus turn only costs order. */
function giveTurn(side: LineAddress, agent: AgentAddress): void {
  const sem = semaphoreOf(side);
  const grant = add64(sem + GRANT, wide(1));
  store32(side + TURN, 1);
  announce(sem, agent, grant, 1);
}

function wakeNeeded(side: LineAddress, agent: AgentAddress): boolean {
  if (!isNeeded(side)) return false;
  const word = semaphoreOf(side) + NEEDED;
  const needed = load32(word);
  if (needed === 0 || cas32(word, needed, 0) !== needed) return true;
  announce(moreOf(side), agent, add64(moreOf(side) + GRANT, wide(1)), 1);
  return true;
}
