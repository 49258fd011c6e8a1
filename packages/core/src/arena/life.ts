// The liveness token: how one agent finds out whether another still exists, at once and without its help.
//
// Each agent has some async waits pending on a word of its record. An engine drops the waits of a thread that has ended,
// so `notify` on that word answers 1 for an agent that exists, also when it sleeps or spins, and 0 for one that is gone.
// Each question uses up one wait, and the agent puts a new one in its place when its event loop turns. That the engine
// drops them is not promised by the language: one that does not would answer 1 for the dead, which recovers nobody but
// harms nobody either.

import { AGENT_ARMED, AGENT_LIFE } from '../kernel/layout.ts';
import type { AgentContext } from './agent-context.ts';

export type Life = 'alive' | 'dead' | 'unknown';

/** Questions that an agent can answer while its event loop stands still. */
const ANSWERS = 16;
/** Waits that are not asked for: a question to the former owner of a record may arrive late and use one up uncounted. */
const RESERVE = 2;
export const ARMED_WAITS = ANSWERS + RESERVE;

/** What an agent knows of its own waits. */
interface Waits {
  pending: number;
}

/** Makes an agent that has just joined answer, until `disarm` or the end of its thread. */
export function arm(context: AgentContext): void {
  const { parking, agent } = context;
  const waits: Waits = { pending: 0 };
  // The self-test: an armed word answers 1, one that nobody waits on answers 0. Before anything is counted, as then others
  // ask, too.
  if (parking.waitAsync(agent + AGENT_LIFE, 0) === undefined) return;
  if (parking.notify(agent + AGENT_LIFE, 1) !== 1 || parking.notify(agent + AGENT_ARMED, 1) !== 0) return;
  for (let wait = 0; wait < ARMED_WAITS; wait++) armOne(context, waits);
}

function armOne(context: AgentContext, waits: Waits): void {
  const { words, parking, agent } = context;
  const used = parking.waitAsync(agent + AGENT_LIFE, 0);
  if (used === undefined) return;
  waits.pending += 1;
  // After the wait is pending, and never above the number of those that are: a count that is too high would declare a
  // living agent dead. Between the look and the add others only lower it.
  if (words.load32(agent + AGENT_ARMED) < waits.pending) words.add32(agent + AGENT_ARMED, 1);
  void used.then(() => {
    waits.pending -= 1;
    if (!context.hasLeft) armOne(context, waits);
  });
}

/**
 * Ends the token of an agent that leaves, with every wait that is pending on it: the next agent of the record must not answer by them. Only
 * after `context.hasLeft` says so, or the agent would put new ones in their place.
 */
export function disarm({ parking, agent }: AgentContext): void {
  parking.notify(agent + AGENT_LIFE);
}

/** Asks whether the agent of a record exists. */
export function probe({ words, parking }: AgentContext, record: number): Life {
  const counted = words.load32(record + AGENT_ARMED);
  // Counted before the question is asked: two that ask at once never ask for the same wait.
  if (counted <= RESERVE || words.cas32(record + AGENT_ARMED, counted, counted - 1) !== counted) return 'unknown';
  return parking.notify(record + AGENT_LIFE, 1) === 1 ? 'alive' : 'dead';
}
