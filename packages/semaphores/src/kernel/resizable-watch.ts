// Steps of agents that wait until a permit of a resizable semaphore is free, without taking it. Invariant 5 of
// resizable.ts.

import {
  ADMITTED_DETACHED,
  BLOCK_TAG,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  GRANT,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import { cancelAdmitted, high32, load32, load64, pollAdmitted, queue, store32 } from '@sluice/core/kernel';
import { BALANCE, WATCHED } from './layout.ts';
import { officeOf } from './resizable.ts';

/**
 * Enters the line for free permits. Returns TAKEN, without waiting, if `count` permits are free. Otherwise returns
 * WAITING if `mayWait` is 0, or the agent's spare element, which is then QUEUED. The agent must have a spare.
 *
 * @takes A place in the second line: `WATCHED` 1. No ticket: `DRAWN` is `GRANT` of that line
 * @leaves The element, as in `acquire`
 * @death Cancelled
 */
export function watchSized(home: LineAddress, tag: i32, agent: AgentAddress, count: i32, mayWait: i32): Enqueue {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  if (mayWait !== 0) store32(office + WATCHED, 1);
  const round = load64(office + GRANT);
  if (high32(load64(office + BALANCE)) >= count) return TAKEN;
  return mayWait === 0 ? WAITING : queue(agent, office, tag, 1, round);
}

/**
 * Checks a wait once. Returns TAKEN if a permit has become free, and SHUT if the semaphore was closed. Then the element
 * is free. Otherwise returns WAITING.
 */
export function pollWatcher(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait for a free permit. Returns the results of `cancelAdmitted`. `dead` is 1 for a dead agent. An admission
 * gives the waiter nothing, so a dead agent's wait counts as cancelled even if it was admitted first.
 */
export function cancelWatcher(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress, dead: i32): Cancel {
  const left = cancelAdmitted(agent, element);
  if (dead === 0) return left;
  if (left === TAKEN) return CANCELLED;
  return left === ADMITTED_DETACHED ? CANCELLED_LEFT_BEHIND : left;
}
