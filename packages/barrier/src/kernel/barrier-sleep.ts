// A blocking arrival at a barrier in two steps, one before its sleep and one after it. With many threads each of them
// arrives a few thousand times a second, and what it touches is not in the processor's cache: two steps touch less than
// ten.
import {
  AGAIN,
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  AGENT_PARKS,
  AGENT_SCRATCH,
  AGENT_SPARE,
  asElement,
  beginWait,
  get32,
  MODE_BLOCKING,
  NEEDS_WALK,
  put32,
  TAKEN,
  WAITING,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
} from '@sluice/core/kernel';
import { arriveAtBarrier } from './barrier.ts';
import { missingAtBarrier, pollBarrier } from './barrier-wait.ts';
import { listenAtBarrier, ringBarrier } from './bell.ts';
import { ACTING_IN, OUTCOME } from './layout.ts';
import { AWAKE, HAS_LIMIT, NOT_YET, RUNG } from './outcomes.ts';

/**
 * Arrives as `arriveAtBarrier` and goes to sleep as `listenAtBarrier`. 0 or more: sleep while BELL has that value, then
 * call `wakeAtBarrier`. AWAKE: arrived, but not to sleep yet: fewer than `near` others are missing, or
 * `listenAtBarrier` says so. In both cases the element is in AGENT_SCRATCH. RUNG, TAKEN: decided at once, OUTCOME says
 * how; RUNG: notify BELL. NEEDS_WALK: the same, and run the
 * walk. NOT_YET: nothing changed: the agent has no spare element, or runs the action, and `acts` lacks HAS_LIMIT. Other
 * results as of `arriveAtBarrier`.
 *
 * @takes As `arriveAtBarrier`, then as `listenAtBarrier`; the last: also as `ringBarrier`
 * @leaves As there; the element in `AGENT_SCRATCH`, `MODE`, `SINCE`
 * @death As after `arriveAtBarrier`; notified
 */
export function arriveToSleep(
  barrier: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  acts: i32,
  near: i32,
  since: f64,
  pending: i32,
): i32 {
  if (get32(agent + AGENT_SPARE) === 0 || ((acts & HAS_LIMIT) === 0 && get32(entry + ACTING_IN) !== 0)) return NOT_YET;
  const element = arriveAtBarrier(barrier, tag, agent, entry, 1, acts & 1);
  if (element <= 0) return element === TAKEN ? ringAtOnce(agent) : element;
  put32(agent + AGENT_SCRATCH, element);
  beginWait(asElement(element), MODE_BLOCKING, since);
  if (missingAtBarrier(asElement(element)) <= near) return AWAKE;
  const heard = listenAtBarrier(asElement(element), pending);
  return heard >= 0 ? heard : AWAKE;
}

/** The last one to arrive rings in the same step, unless a walk has to follow anyway. */
function ringAtOnce(agent: AgentAddress): i32 {
  if (get32(agent + AGENT_CHAIN) !== 0) return NEEDS_WALK;
  if (get32(agent + AGENT_DUTY_KIND) === 0) return TAKEN;
  return ringBarrier(agent) === AGAIN ? NEEDS_WALK : RUNG;
}

/**
 * After the sleep. Returns OUTCOME, and the element is the agent's spare. WAITING: woken too early. SHUT: freed.
 * `parks`: how often the agent has slept.
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
