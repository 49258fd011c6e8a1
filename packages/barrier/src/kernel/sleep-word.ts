// The sleep word of a barrier: one word on which its blocking waiters sleep. One notification wakes all of them. Async
// waiters are in the chain of their ticket.
//
//   SLEEP_WORD, 31 bits
//   bit 0        HAS_SLEEPERS: a waiter sleeps on the word, or is about to
//   bits 1-30    how often the sleepers were woken; it wraps
//
//   HAS_SLEEPERS 0 ▶ 1              [prepareSleepAtBarrier, arriveAtBarrierToSleep]
//   HAS_SLEEPERS 1 ▶ 0, count + 1   [wakeBarrierSleepers, arriveAtBarrierToSleep]
//   count + 1                       wakeSleepers of the core, when the barrier is freed or a recovery left something to
//                                   agents with a kind
//
// An element whose waiter sleeps on the word is QUEUED and in no chain. So its owner checks GRANT itself, and leaves no
// element behind.
//
// LOST WAKE-UP. A waiter W sets HAS_SLEEPERS, and then loads the words that it waits for: GRANT, the tag,
// HEADER_PENDING (`prepareSleepAtBarrier`). It sleeps only if SLEEP_WORD has not changed since it set HAS_SLEEPERS. An
// agent R that changes one of these words reads SLEEP_WORD afterwards (`endWake`, `wakeBarrierSleepers`; for a recovery
// the core's `wakeSleepers`). If R finds HAS_SLEEPERS, it changes SLEEP_WORD and notifies. If it does not, waiters that
// set HAS_SLEEPERS later see the change. If W loaded GRANT first (the mutant "a waiter checks the generation before it
// sets HAS_SLEEPERS"), R could miss W:
//
//   1. W loads GRANT: its generation is open.
//   2. R, the last party, writes GRANT: the generation has ended.
//   3. R reads SLEEP_WORD: no HAS_SLEEPERS, so no waiter sleeps and R wakes none.
//   4. W sets HAS_SLEEPERS and sleeps, although its generation has ended.
//
// The same happens if R reads SLEEP_WORD before it writes GRANT (the mutant "the step that ends a generation checks
// HAS_SLEEPERS before it writes the word").
//
// The step that changes GRANT first records the wake-up as a duty for the walk of the kind (AGENT_DUTY_KIND). The walk
// wakes the sleepers and clears the duty. So if the agent dies in between, its recovery wakes them. AGENT_DUTY is a
// reference to the line, because an admitted waiter may free the barrier before the walk.

import {
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_NOTIFY,
  asLine,
  asNotify,
  SLEEP_WORD,
  GATE,
  HEADER_PENDING,
  RACED,
  LINE,
  TAKEN,
  WAITING,
  type AgentAddress,
  type ElementAddress,
  type LineAddress,
  type NotifyAddress,
} from '@sluice/core/format';
import { cas32, get32, isShut, load32, progress, put32, wide } from '@sluice/core/kernel';
import { BARRIER_CODE } from './layout.ts';

const HAS_SLEEPERS: i32 = 1;
function hasSleepers(word: i32): boolean {
  return (word & HAS_SLEEPERS) !== 0;
}

/** All bits of SLEEP_WORD. Its values are 0 or more, so none is taken for an outcome of a step. */
const BITS: i32 = 0x7fffffff;

/**
 * The last step before a waiter sleeps. Returns SLEEP_WORD: sleep while it is the same. Returns TAKEN if the wait
 * is over or the barrier was freed: poll. Returns WAITING if HEADER_PENDING is not `pending`: finish the pending
 * recoveries, and call again. Returns RACED if it lost a race: call again.
 *
 * @takes Nothing: `HAS_SLEEPERS` in `SLEEP_WORD` of the barrier
 * @leaves `SLEEP_WORD`
 * @death Cancelled; another waiter's notification may find no sleeper
 */
export function prepareSleepAtBarrier(element: ElementAddress, pending: i32): i32 {
  const line = asLine(get32(element + LINE));
  const before = load32(line + SLEEP_WORD);
  if (!hasSleepers(before) && cas32(line + SLEEP_WORD, before, before | HAS_SLEEPERS) !== before) return RACED;
  if (isShut(element) || progress(element) >= wide(1)) return TAKEN;
  return load32(HEADER_PENDING) === pending ? before | HAS_SLEEPERS : WAITING;
}

/** Records the duty to wake the sleepers, for a step that is about to end a generation. From here on the walk does it. */
export function beginWake(agent: AgentAddress, line: LineAddress): void {
  put32(agent + AGENT_DUTY, line);
  put32(agent + AGENT_DUTY_KIND, BARRIER_CODE);
}

/** Clears the duty after that step, if no waiter sleeps. If `isEnded` is false, the step has changed nothing. */
export function endWake(agent: AgentAddress, line: LineAddress, isEnded: boolean): void {
  if (!isEnded || !hasSleepers(load32(line + SLEEP_WORD))) clearWake(agent);
}

/**
 * Wakes the sleepers of AGENT_DUTY. This is the walk of the kind. Returns AGAIN, or the word to notify.
 *
 * @takes If a waiter sleeps: the wake-up of the barrier in `AGENT_DUTY`, `SLEEP_WORD` + 1 by CAS, without `HAS_SLEEPERS`
 * @leaves `AGENT_NOTIFY` first, the word; then `AGENT_DUTY_KIND` 0, `AGENT_DUTY` 0
 * @death Notified; walk
 */
export function wakeBarrierSleepers(agent: AgentAddress): typeof AGAIN | NotifyAddress {
  const line = asLine(get32(agent + AGENT_DUTY));
  const before = load32(line + SLEEP_WORD);
  if (!hasSleepers(before)) {
    clearWake(agent);
    return AGAIN;
  }
  // Write this before the word: with `jsEngine` an agent may die in between, and its recovery would find that no waiter
  // sleeps.
  put32(agent + AGENT_NOTIFY, line + SLEEP_WORD - GATE);
  if (cas32(line + SLEEP_WORD, before, (before + HAS_SLEEPERS) & BITS) !== before) return AGAIN;
  clearWake(agent);
  return asNotify(line + SLEEP_WORD - GATE);
}

function clearWake(agent: AgentAddress): void {
  put32(agent + AGENT_DUTY_KIND, 0);
  put32(agent + AGENT_DUTY, 0);
}
