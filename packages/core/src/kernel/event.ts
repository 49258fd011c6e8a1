// Steps at the box office of an auto-reset event, after Preshing's AutoResetEvent.
//
// OFFICE, one 32-bit word
//
//   1    signalled: the next agent to arrive goes on at once
//   0    not signalled, no agent waits
//   -N   not signalled, N agents wait, and no permit is under way for them
//
// INVARIANT. N + permits under way = agents that were counted and have neither gone on since nor cancelled. So with N = 0 a waiter knows
// that a permit is under way for it.

import { announce } from './admit.ts';
import { BLOCK_TAG, GRANT, OFFICE } from './layout.ts';
import { draw } from './bouncer.ts';
import { IDLE, CANCELLED, RACED, SHUT, TAKEN, WAITING } from './states.ts';
import { add32, add64, cas32, load32, wide } from './words.ts';

/** Signals: one waiter goes on, or the next agent to arrive does. RACED: call again. NEEDS_WALK: run the walk. */
export function signal(event: i32, tag: i32, agent: i32): i32 {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const status = load32(event + OFFICE);
  // A write, not only a load. If the step returned here without writing, this signal would not order what was published before it ahead of
  // any wait. The agent that consumed the signal meanwhile may have checked too early, and this signal would be lost.
  if (status === 1) return cas32(event + OFFICE, 1, 1) === 1 ? IDLE : RACED;
  if (cas32(event + OFFICE, status, status + 1) !== status) return RACED;
  return status < 0 ? announce(event, agent, add64(event + GRANT, wide(1)), 1) : IDLE;
}

/** Consumes the signal if there is one. WAITING: there is none. RACED: call again. */
export function consume(event: i32, tag: i32): i32 {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  if (load32(event + OFFICE) !== 1) return WAITING;
  return cas32(event + OFFICE, 1, 0) === 1 ? TAKEN : RACED;
}

/**
 * Consumes the signal, or counts the agent and draws a ticket. TAKEN, SHUT, or the agent's spare element, QUEUED. The agent must have a
 * spare.
 */
export function enqueueAtEvent(event: i32, tag: i32, agent: i32): i32 {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  return add32(event + OFFICE, -1) === 1 ? TAKEN : draw(event, tag, agent);
}

/** Removes one waiter from the count. TAKEN: a permit is under way for it. RACED: call again. */
export function cancelAtEvent(event: i32): i32 {
  const status = load32(event + OFFICE);
  if (status >= 0) return TAKEN;
  return cas32(event + OFFICE, status, status + 1) === status ? CANCELLED : RACED;
}
