// Steps at the box office of an auto-reset event, after Preshing's AutoResetEvent.
//
// OFFICE, one 32-bit word
//
//   1    signalled: the next to come goes on at once
//   0    not signalled, nobody waits
//   -N   not signalled, N wait, and no permit is under way for them
//
// INVARIANT. N + permits under way = those that were counted and neither went on since nor gave up. So with N = 0 whoever
// waits knows that a permit is under way for it.

import { announce } from './admit.ts';
import { BLOCK_TAG, GRANT, OFFICE } from './layout.ts';
import { draw } from './mutex.ts';
import { IDLE, CANCELLED, RACED, SHUT, TAKEN, WAITING } from './states.ts';
import { add32, add64, cas32, load32, wide } from './words.ts';

/** Signals: one waiter goes on, or the next to come does. RACED: call again. NEEDS_WALK: run the walk. */
export function signal(event: i32, tag: i32, agent: i32): i32 {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const status = load32(event + OFFICE);
  // Not a mere look: with a return here instead of the write, what was published before this signal would be ordered before
  // nobody's wait. Whoever consumed the signal meanwhile may have looked too early, and this one would be lost.
  if (status === 1) return cas32(event + OFFICE, 1, 1) === 1 ? IDLE : RACED;
  if (cas32(event + OFFICE, status, status + 1) !== status) return RACED;
  return status < 0 ? announce(event, agent, add64(event + GRANT, wide(1)), 1) : IDLE;
}

/** Takes the signal if there is one. WAITING: there is none. RACED: call again. */
export function consume(event: i32, tag: i32): i32 {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  if (load32(event + OFFICE) !== 1) return WAITING;
  return cas32(event + OFFICE, 1, 0) === 1 ? TAKEN : RACED;
}

/** Takes the signal, or is counted and draws a ticket: the agent's spare element, QUEUED; it must have one. */
export function enqueueAtEvent(event: i32, tag: i32, agent: i32): i32 {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  return add32(event + OFFICE, -1) === 1 ? TAKEN : draw(event, tag, agent);
}

/** One waiter less. TAKEN: a permit is under way for it. RACED: call again. */
export function cancelAtEvent(event: i32): i32 {
  const status = load32(event + OFFICE);
  if (status >= 0) return TAKEN;
  return cas32(event + OFFICE, status, status + 1) === status ? CANCELLED : RACED;
}
