// The two halves of a blocking wait for a condition of a mutex, one before the sleep and one after it, and the
// notification that moves a waiter. Each is a sequence of steps of this kernel and of the mutex's. They are one step
// because each waiter wakes the next one: what a waiter does between its wake-up and its next sleep adds up over all
// waiters of a `notifyAll`.

import {
  AGAIN,
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  AGENT_IN_FLIGHT,
  AGENT_SPARE,
  asElement,
  asLine,
  GATE,
  IDLE,
  LINE,
  MODE_BLOCKING,
  NEEDS_WALK,
  OFFICE,
  PARKED,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type AreaAddress,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import {
  beginWait,
  cas64,
  clearHazard,
  endWait,
  get32,
  load32,
  load64,
  ownerOf,
  park,
  progress,
  putBack,
  setHazard,
  wide,
  type ChainKind,
} from '@sluice/core/kernel';
import { passMutexInOrder } from '../../kernel/mutex.ts';
import { pollMutex } from '../../kernel/waiter.ts';
import { isQuiet, waitersOf } from '../../kernel/word.ts';
import { endConditionWait, enqueueAtCondition, isMoved, notifyCondition } from './condition.ts';
import { moveToMutex } from './move-to-mutex.ts';

/**
 * Enqueues the owner of a mutex at a condition of it, prepares its sleep, and then unlocks the mutex for its longest
 * waiter. The agent must have a spare element. Afterwards it sleeps at the gate of that element while the gate is
 * PARKED, then calls `wakeAtCondition`.
 *
 * Returns the result of `passMutexInOrder`, or IDLE if the mutex was freed because no agent waits for it. After RACED
 * the mutex is still owned, and the caller unlocks it. Returns SHUT, and changes nothing, if the condition was freed.
 *
 * A waiter that is fewer than `near` notifications from the head of the line stays QUEUED: spinning may pay.
 *
 * @takes As `enqueueAtCondition`, `beginWait`, `park` and `passMutexInOrder`, one after the other. Without waiters of
 *   the mutex: the owner in `OFFICE` 0
 * @leaves As these steps
 * @death As after each of these steps
 */
export function sleepAtCondition(
  condition: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  mutex: LineAddress,
  mutexTag: i32,
  id: i32,
  near: i32,
  since: f64,
): Wake | ElementAddress | typeof RACED | typeof SHUT {
  const element = enqueueAtCondition(condition, tag, agent, entry);
  if (element <= 0) return SHUT;
  beginWait(asElement(element), MODE_BLOCKING, since);
  // Lost wake-up: the waiter is counted and has its ticket before the mutex is unlocked (invariant 1 of condition.ts).
  if (progress(asElement(element)) <= wide(-near)) park(asElement(element), agent);
  const office = load64(mutex + OFFICE);
  if (waitersOf(office) !== 0 || !isQuiet(office)) return passMutexInOrder(mutex, mutexTag, agent, id);
  if (ownerOf(office) !== id || cas64(mutex + OFFICE, office, wide(0)) !== office) return RACED;
  return hasWork(agent) ? NEEDS_WALK : IDLE;
}

/** Whether a walk has to follow: the agent has detached a chain, or an element is in flight. */
function hasWork(agent: AgentAddress): boolean {
  return (get32(agent + AGENT_CHAIN) | get32(agent + AGENT_IN_FLIGHT) | get32(agent + AGENT_DUTY_KIND)) !== 0;
}

/**
 * Ends the wait of a waiter that was moved to the line of the mutex and owns the mutex now. The element becomes the
 * agent's spare. Returns WAITING, and changes at most what `pollMutex` changes, if the wait goes on in another way. Returns
 * SHUT if the mutex was freed: the element is free, and the caller ends the wait.
 *
 * `mutexEntry`, `since` and `parks` are those of `endWait`.
 *
 * @takes As `pollMutex`, then `endWait` and `endConditionWait`
 * @leaves As these steps
 * @death As after each of these steps
 */
export function wakeAtCondition(
  element: ElementAddress,
  agent: AgentAddress,
  entry: EntryAddress,
  mutexEntry: EntryAddress,
  since: f64,
  parks: i32,
): typeof TAKEN | typeof WAITING | typeof SHUT {
  // Read the gate before LINE: the notifier writes LINE before it writes PARKED or a verdict (invariant 3).
  const gate = load32(element + GATE);
  if (gate === PARKED || !isMoved(element, entry) || get32(agent + AGENT_SPARE) !== 0) return WAITING;
  // With the order 'turns' the first poll makes the waiter the successor, and the second takes a free mutex.
  let seen = pollMutex(element);
  if (seen === WAITING) seen = pollMutex(element);
  // The element is free already, so the caller must not poll it again.
  if (seen === SHUT) return SHUT;
  if (seen !== TAKEN) return WAITING;
  endWait(agent, element, mutexEntry, since, parks);
  endConditionWait(entry);
  return TAKEN;
}

/** A chain in which a moved waiter takes its place. */
class MutexChain implements ChainKind {
  /** Never called: the waiter sleeps. */
  visitTombstone(_agent: AgentAddress, _area: AreaAddress, _element: ElementAddress): typeof AGAIN {
    return AGAIN;
  }

  isDue(_element: ElementAddress, _reached: i64): boolean {
    return true;
  }
}

/**
 * Notifies the longest waiter as `notifyCondition` does. If it sleeps and is the first in its chain, the step also
 * moves it to the line of the mutex and puts it into its chain there.
 *
 * Returns IDLE if the waiter is awake or was moved. Other results are those of `notifyCondition`. After NEEDS_WALK the
 * caller moves the waiter, if it was not moved, and runs the walk.
 *
 * @takes As `notifyCondition`, then `moveToMutex`, then the part of `walk` that puts an element into its chain
 * @leaves As these steps
 * @death As after each of these steps
 */
export function notifyAndMoveToMutex(
  condition: LineAddress,
  tag: i32,
  agent: AgentAddress,
  mutex: LineAddress,
  mutexTag: i32,
): Wake | typeof WAITING | typeof RACED | typeof SHUT {
  const notified = notifyCondition(condition, tag, agent);
  if (notified !== NEEDS_WALK) return notified;
  const element = asElement(get32(agent + AGENT_CHAIN));
  if (moveToMutex(condition, agent, mutex, mutexTag) !== TAKEN) return NEEDS_WALK;
  // The mutex was free, or its owner has handed it over meanwhile: the walk brings the verdict.
  if (load32(element + GATE) !== PARKED || progress(element) >= wide(1)) return NEEDS_WALK;
  // Set the hazard word: the step still reads the line after it has put the element into its chain.
  setHazard(agent, asLine(get32(element + LINE)));
  putBack(new MutexChain(), agent, agent, element, 1);
  clearHazard(agent);
  return hasWork(agent) ? NEEDS_WALK : IDLE;
}
