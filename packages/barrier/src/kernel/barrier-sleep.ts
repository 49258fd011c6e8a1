// A blocking arrival at a barrier in two steps, one before its sleep and one after it. With many threads, each thread
// arrives a few thousand times a second, and the words that it needs are not in the processor's cache. Two steps touch
// fewer of them than ten.

import {
  AGAIN,
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  AGENT_PARKS,
  AGENT_SCRATCH,
  AGENT_SPARE,
  asElement,
  GRANT,
  MODE_BLOCKING,
  NEEDS_WALK,
  TAKEN,
  WAITING,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
} from '@sluice/core/format';
import { beginWait, get32, load32, put32 } from '@sluice/core/kernel';
import { arriveAtBarrier, partiesOf } from './barrier.ts';
import { missingAtBarrier, pollBarrier } from './barrier-wait.ts';
import { prepareSleepAtBarrier, wakeBarrierSleepers } from './sleep-word.ts';
import { ACTING_IN, OUTCOME } from './layout.ts';
import { AWAKE, HAS_LIMIT, NOT_YET, WAKES_ALL } from './outcomes.ts';

/**
 * Arrives as `arriveAtBarrier` does, and goes to sleep as `prepareSleepAtBarrier` does.
 *
 * A result of 0 or more is a value of SLEEP_WORD: sleep while SLEEP_WORD has that value, then call `wakeAtBarrier`. AWAKE: the
 * agent arrived but must not sleep yet: it should spin, or `prepareSleepAtBarrier` refused. It should spin if at most `near`
 * others are missing, and the barrier has at most `most` parties. In both cases the element is in AGENT_SCRATCH.
 *
 * WAKES_ALL, TAKEN or NEEDS_WALK: the wait was decided at once, and OUTCOME tells how. After WAKES_ALL notify SLEEP_WORD, and after
 * NEEDS_WALK run the walk. NOT_YET: nothing changed. The agent has no spare element, or it runs the action and `acts`
 * lacks HAS_LIMIT. Other results are those of `arriveAtBarrier`.
 *
 * @takes As `arriveAtBarrier`, then as `prepareSleepAtBarrier`; the last party also as `wakeBarrierSleepers`
 * @leaves As these steps; the element in `AGENT_SCRATCH`, `MODE`, `SINCE`
 * @death As after `arriveAtBarrier`; notified
 */
export function arriveAtBarrierToSleep(
  barrier: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  acts: i32,
  near: i32,
  most: i32,
  since: f64,
  pending: i32,
): i32 {
  if (get32(agent + AGENT_SPARE) === 0 || ((acts & HAS_LIMIT) === 0 && get32(entry + ACTING_IN) !== 0)) return NOT_YET;
  const element = arriveAtBarrier(barrier, tag, agent, entry, 1, acts & 1);
  if (element <= 0) return element === TAKEN ? wakeAtOnce(agent) : element;
  put32(agent + AGENT_SCRATCH, element);
  beginWait(asElement(element), MODE_BLOCKING, since);
  if (near > 0 && partiesOf(load32(barrier + GRANT)) <= most && missingAtBarrier(asElement(element)) <= near)
    return AWAKE;
  const sleepWord = prepareSleepAtBarrier(asElement(element), pending);
  return sleepWord >= 0 ? sleepWord : AWAKE;
}

/** Wakes the sleepers in the step in which the last party arrives, unless a walk has to follow anyway. */
function wakeAtOnce(agent: AgentAddress): i32 {
  if (get32(agent + AGENT_CHAIN) !== 0) return NEEDS_WALK;
  if (get32(agent + AGENT_DUTY_KIND) === 0) return TAKEN;
  return wakeBarrierSleepers(agent) === AGAIN ? NEEDS_WALK : WAKES_ALL;
}

/**
 * Ends the sleep. Returns OUTCOME, and the element becomes the agent's spare. Returns WAITING if the agent woke too
 * early, and SHUT if the barrier was freed. `parks` is the number of times that the agent has slept.
 *
 * @takes Nothing is taken
 * @leaves As `pollBarrier`; `AGENT_PARKS`, `AGENT_SPARE`
 * @death The element goes to the pool
 */
export function wakeAtBarrier(agent: AgentAddress, entry: EntryAddress, parks: i32): i32 {
  const element = asElement(get32(agent + AGENT_SCRATCH));
  const seen = pollBarrier(element, entry);
  if (seen === WAITING) return WAITING;
  put32(agent + AGENT_PARKS, parks);
  put32(agent + AGENT_SPARE, element);
  return seen === TAKEN ? get32(entry + OUTCOME) : seen;
}
