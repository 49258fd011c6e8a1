// The bell of a line: one word on which the waiters of the line sleep that are all admitted together. One notification wakes all of them.
// At a line with FLAG_BELL, waiters that block sleep there. Async waiters are in the chain of their ticket.
//
//   BELL, 31 bits
//   bit 0        HEARD: a waiter sleeps on the word, or is about to
//   bits 1-30    how often the bell was rung; it wraps
//
//   HEARD 0 ▶ 1             [listen]
//   HEARD 1 ▶ 0, rung + 1   [ring]
//
// An element whose waiter sleeps there is QUEUED and in no chain. So its owner looks at GRANT itself, and leaves without a trace.
//
// LOST WAKE-UP. A waiter sets HEARD, and then loads what it waits for: GRANT, the tag, HEADER_PENDING. It sleeps only if BELL is still what
// it was after that. An agent that changes one of these rings afterwards. If it finds HEARD, it changes the word and notifies. If it does not,
// waiters that set HEARD later see the change.
//
// The step that changes GRANT writes AGENT_RING first. The walk rings and clears the word. So the recovery of an agent that died in between
// rings, too. AGENT_RING is a reference to the line (../arena/references.ts): an admitted waiter may free the line before the walk.

import { guard, unguard } from './guard.ts';
import { AGENT_NOTIFY, AGENT_RING, BELL, BLOCK_TAG, GATE, HEADER_PENDING, SEM } from './layout.ts';
import { AGAIN, IDLE, NEEDS_WALK, RACED, TAKEN, WAITING, type Wake } from './states.ts';
import { cas32, get32, load32, put32, wide } from './words.ts';
import { isShut, progress } from './wait.ts';
import type { AgentAddress, ElementAddress, LineAddress, NotifyAddress } from './addresses.ts';
import { asLine, asNotify } from './addresses.ts';

const HEARD: i32 = 1;
/** All bits of BELL. A value that it has is never taken for an outcome of a step. */
const BITS: i32 = 0x7fffffff;

/**
 * The last step before a waiter sleeps on the bell of its line. Returns BELL: sleep while it is the same. TAKEN: the wait is over, or the line
 * is shut; poll. WAITING: HEADER_PENDING is not `pending`; finish what was left, and call again. RACED: call again.
 */
export function listen(element: ElementAddress, pending: i32): i32 {
  const line = asLine(get32(element + SEM));
  const bell = load32(line + BELL);
  if ((bell & HEARD) === 0 && cas32(line + BELL, bell, bell | HEARD) !== bell) return RACED;
  if (isShut(element) || progress(element) >= wide(1)) return TAKEN;
  return load32(HEADER_PENDING) === pending ? bell | HEARD : WAITING;
}

/** Before a step makes the tickets of waiters due: from here on the walk rings. */
export function beginRing(agent: AgentAddress, line: LineAddress): void {
  put32(agent + AGENT_RING, line);
}

/** After that: no walk is needed for the bell if no waiter listens. `isDue` false: nothing was changed. */
export function endRing(agent: AgentAddress, line: LineAddress, isDue: boolean): void {
  if (!isDue || (load32(line + BELL) & HEARD) === 0) put32(agent + AGENT_RING, 0);
}

/** Rings for AGENT_RING. AGAIN, or the word to notify. */
export function ring(agent: AgentAddress): typeof AGAIN | NotifyAddress {
  const line = asLine(get32(agent + AGENT_RING));
  const bell = load32(line + BELL);
  if ((bell & HEARD) === 0) {
    put32(agent + AGENT_RING, 0);
    return AGAIN;
  }
  // Before the word: with `jsEngine` an agent may die in between, and its recovery would find that no waiter listens.
  put32(agent + AGENT_NOTIFY, line + BELL - GATE);
  if (cas32(line + BELL, bell, (bell + HEARD) & BITS) !== bell) return AGAIN;
  put32(agent + AGENT_RING, 0);
  return asNotify(line + BELL - GATE);
}

/** The waiters at the bell of that line are to look again. IDLE: the line is gone. NEEDS_WALK: run the walk. */
export function ringAt(agent: AgentAddress, line: LineAddress, tag: i32): Wake {
  // The caller found the line by another agent's wait, which may be over.
  guard(agent, line);
  const isThere = load32(line + BLOCK_TAG) === tag;
  if (isThere) put32(agent + AGENT_RING, line);
  unguard(agent);
  return isThere ? NEEDS_WALK : IDLE;
}
