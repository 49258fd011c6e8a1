// Steps of the agents that wait until a permit of a resizable semaphore is free, and take none. Invariant 5 of
// resizable.ts.

import {
  ADMITTED_DETACHED,
  BLOCK_TAG,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  cancelAdmitted,
  GRANT,
  high32,
  load32,
  load64,
  pollAdmitted,
  queue,
  SHUT,
  store32,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type LineAddress,
  type Poll,
} from '@sluice/core/kernel';
import { BALANCE, WATCHED } from './layout.ts';
import { officeOf } from './resizable.ts';

/**
 * TAKEN: `count` permits are free. WAITING: they are not, with `mayWait` 0. Else the agent's spare element, QUEUED. The
 * agent must have a spare.
 *
 * @takes A place in the second line: `WATCHED` 1. No ticket: `AT` is `GRANT` of that line
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
 * Checks once. TAKEN: a permit has become free, the element is free. SHUT: closed, the element is free. WAITING:
 * neither.
 */
export function pollWatcher(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait for a free permit. Results as of `cancelAdmitted`. `dead` 1: for a dead agent. An admission that came
 * first gave it nothing: its wait counts as withdrawn.
 */
export function cancelWatcher(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress, dead: i32): Cancel {
  const left = cancelAdmitted(agent, element);
  if (dead === 0) return left;
  if (left === TAKEN) return CANCELLED;
  return left === ADMITTED_DETACHED ? CANCELLED_LEFT_BEHIND : left;
}
