// The liveness token. With it an agent finds out at once, and without the other agent's help, whether another agent
// exists.
//
// Each agent keeps some async waits pending on a word of its record. A JavaScript engine drops the waits of a thread
// that has ended. So `notify` on that word returns 1 for an agent that exists, even if the agent sleeps or spins, and 0
// for a dead agent. Each probe uses up one wait. The agent replaces it when its event loop turns.
//
// The language does not guarantee that engines drop these waits. If an engine kept them, `notify` would return 1 for
// dead agents. Dead agents would not be recovered, but no living agent would be harmed.

import { AGENT_ARMED, AGENT_LIFE } from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import type { AgentContext } from './agent-context.ts';
import type { Parking } from './parking.ts';

export type Life = 'alive' | 'dead' | 'unknown';

/** The number of probes that an agent can answer while its event loop stands still. */
const ANSWERS = 32;
/** The number of waits that are not counted as answers: a late probe of the record's former owner may use one up. */
const UNCOUNTED_WAITS = 2;
export const ARMED_WAITS = ANSWERS + UNCOUNTED_WAITS;

/** An agent's count of its own waits. */
interface Waits {
  pending: number;
}

/** Lets an agent that has just joined answer probes, until `disarm` or the end of its thread. */
export function arm(context: AgentContext): void {
  const { parking, agent } = context;
  const waits: Waits = { pending: 0 };
  // The self-test: an armed word returns 1, a word without a wait returns 0. Run it before any wait is counted, because
  // other agents probe as soon as a wait is counted.
  if (parking.waitAsync(agent + AGENT_LIFE, 0) === undefined) return;
  if (parking.notify(agent + AGENT_LIFE, 1) !== 1 || parking.notify(agent + AGENT_ARMED, 1) !== 0) return;
  for (let wait = 0; wait < ARMED_WAITS; wait++) armOne(context, waits);
}

function armOne(context: AgentContext, waits: Waits): void {
  const { words, parking, agent } = context;
  const used = parking.waitAsync(agent + AGENT_LIFE, 0);
  if (used === undefined) return;
  waits.pending += 1;
  // Increase the count after the wait is pending, and never above the number of pending waits: with a count that is too
  // high, a probe would declare a living agent dead. Between the load and the add other agents only decrease the count.
  if (words.load32(agent + AGENT_ARMED) < waits.pending) words.add32(agent + AGENT_ARMED, 1);
  void used.then(() => {
    waits.pending -= 1;
    if (!context.hasLeft) armOne(context, waits);
  });
}

/**
 * Ends the token of an agent that leaves, and every wait that is pending on it: the waits must not answer for the next
 * agent of the record. Call it only after `context.hasLeft` is true. Otherwise the agent would replace the waits.
 */
export function disarm({ parking, agent }: AgentContext): void {
  parking.notify(agent + AGENT_LIFE);
}

/** What a thread needs to probe agents. It need not be an agent itself. */
interface Prober {
  readonly words: Words;
  readonly parking: Pick<Parking, 'notify'>;
}

/**
 * Probes whether the agent of a record exists. Returns 'unknown' if no counted wait is left or another agent was
 * faster.
 */
export function probe({ words, parking }: Prober, record: number): Life {
  const counted = words.load32(record + AGENT_ARMED);
  // Decrement the count before the probe, so that two agents that probe at once never use the same wait.
  if (counted <= UNCOUNTED_WAITS || words.cas32(record + AGENT_ARMED, counted, counted - 1) !== counted)
    return 'unknown';
  return parking.notify(record + AGENT_LIFE, 1) === 1 ? 'alive' : 'dead';
}
