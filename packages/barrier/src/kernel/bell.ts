// The bell of a barrier: one word on which its blocking waiters sleep. One notification wakes all of them. Async
// waiters are in the chain of their ticket.
//
//   BELL, 31 bits
//   bit 0        HEARD: a waiter sleeps on the word, or is about to
//   bits 1-30    how often the bell was rung; it wraps
//
//   HEARD 0 ▶ 1             [listenAtBarrier, arriveAtBarrierToSleep]
//   HEARD 1 ▶ 0, rung + 1   [ringBarrier, arriveAtBarrierToSleep]
//   rung + 1                ringBell of the core, when the barrier is freed or a recovery left something to agents with
//                           a kind
//
// An element whose waiter sleeps on the bell is QUEUED and in no chain. So its owner checks GRANT itself, and leaves no
// element behind.
//
// LOST WAKE-UP. A waiter W sets HEARD, and then loads the words that it waits for: GRANT, the tag, HEADER_PENDING
// (`listenAtBarrier`). It sleeps only if BELL has not changed since it set HEARD. An agent R that changes one of these
// words reads BELL afterwards (`endRing`, `ringBarrier`; for a recovery the core's `ringBell`). If R finds HEARD, it
// changes BELL and notifies. If it does not, waiters that set HEARD later see the change. If W loaded GRANT first (the
// mutant "a waiter checks the generation before it sets HEARD"), R could miss W:
//
//   1. W loads GRANT: its generation is open.
//   2. R, the last party, writes GRANT: the generation has ended.
//   3. R reads BELL: no HEARD, so no waiter listens and R does not ring.
//   4. W sets HEARD and sleeps, although its generation has ended.
//
// The same happens if R reads BELL before it writes GRANT (the mutant "the step that ends a generation checks HEARD
// before it writes the word").
//
// The step that changes GRANT first records the ring as a duty for the walk of the kind (AGENT_DUTY_KIND). The walk
// rings and clears the duty. So if the agent dies in between, its recovery rings. AGENT_DUTY is a reference to the
// line, because an admitted waiter may free the barrier before the walk.
import {
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_NOTIFY,
  asLine,
  asNotify,
  BELL,
  cas32,
  GATE,
  get32,
  HEADER_PENDING,
  isShut,
  load32,
  progress,
  put32,
  RACED,
  LINE,
  TAKEN,
  WAITING,
  wide,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
  type NotifyAddress,
} from '@sluice/core/kernel';
import { BARRIER_CODE } from './layout.ts';

const HEARD: i32 = 1;
/** All bits of BELL. Its values are 0 or more, so none is taken for an outcome of a step. */
const BITS: i32 = 0x7fffffff;

/**
 * The last step before a waiter sleeps on the bell. Returns BELL: sleep while it is the same. Returns TAKEN if the wait
 * is over or the barrier was freed: poll. Returns WAITING if HEADER_PENDING is not `pending`: finish the pending
 * recoveries, and call again. Returns RACED if it lost a race: call again.
 *
 * @takes Nothing: `HEARD` in `BELL` of the barrier
 * @leaves `BELL`
 * @death Cancelled; another waiter's notification may find no sleeper
 */
export function listenAtBarrier(element: ElementAddress, pending: i32): i32 {
  const line = asLine(get32(element + LINE));
  const bell = load32(line + BELL);
  if ((bell & HEARD) === 0 && cas32(line + BELL, bell, bell | HEARD) !== bell) return RACED;
  if (isShut(element) || progress(element) >= wide(1)) return TAKEN;
  return load32(HEADER_PENDING) === pending ? bell | HEARD : WAITING;
}

/** Records the duty to ring, for a step that is about to end a generation. From here on the walk rings. */
export function beginRing(agent: AgentAddress, line: LineAddress): void {
  put32(agent + AGENT_DUTY, line);
  put32(agent + AGENT_DUTY_KIND, BARRIER_CODE);
}

/** Clears the duty after that step, if no waiter listens. If `isEnded` is false, the step has changed nothing. */
export function endRing(agent: AgentAddress, line: LineAddress, isEnded: boolean): void {
  if (!isEnded || (load32(line + BELL) & HEARD) === 0) clearRing(agent);
}

/**
 * Rings for AGENT_DUTY. This is the walk of the kind. Returns AGAIN, or the word to notify.
 *
 * @takes If a waiter listens: the ring of the barrier in `AGENT_DUTY`, `BELL` + 1 by CAS, without `HEARD`
 * @leaves `AGENT_NOTIFY` first, the word; then `AGENT_DUTY_KIND` 0, `AGENT_DUTY` 0
 * @death Notified; walk
 */
export function ringBarrier(agent: AgentAddress): typeof AGAIN | NotifyAddress {
  const line = asLine(get32(agent + AGENT_DUTY));
  const bell = load32(line + BELL);
  if ((bell & HEARD) === 0) {
    clearRing(agent);
    return AGAIN;
  }
  // Write this before the word: with `jsEngine` an agent may die in between, and its recovery would find that no waiter
  // listens.
  put32(agent + AGENT_NOTIFY, line + BELL - GATE);
  if (cas32(line + BELL, bell, (bell + HEARD) & BITS) !== bell) return AGAIN;
  clearRing(agent);
  return asNotify(line + BELL - GATE);
}

function clearRing(agent: AgentAddress): void {
  put32(agent + AGENT_DUTY_KIND, 0);
  put32(agent + AGENT_DUTY, 0);
}
