// How messages name agents, and what they say about agents whose threads have ended.

import { ARMED_WAITS, probe } from '../agent/liveness-token.ts';
import { records } from '../memory/records.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { AGENT_ARMED, AGENT_LEFT, AGENT_STATE, AGENT_THREAD, HEADER_AGENT_POOL } from '../kernel/layout.ts';
import { MOST_RECORDS } from '../report/counted.ts';

/** The most agents that a message names. Further agents are only counted. */
const MOST_NAMED = 3;
/**
 * The number of liveness probes kept in reserve for agents that recover others. A blocked agent can answer only a
 * limited number of probes.
 */
const LEFT_TO_RECOVERY = ARMED_WAITS - 6;
/** Time between two probes of the same agent, in ms. */
const ASK_MS = 1000;

/** "agent 3 (thread 5)", "agents 3, 4 and 5", "agents 3, 4, 5 and 9 others". */
export function agentsText(context: AgentContext, agents: readonly number[]): string {
  const [only, ...others] = agents;
  if (only === undefined) return 'no agent';
  if (others.length === 0) return agentText(context, only);
  const named = agents.slice(0, MOST_NAMED).map(String);
  const more = agents.length - named.length;
  const last = more > 0 ? `${more} ${more === 1 ? 'other' : 'others'}` : named.pop();
  return `agents ${named.join(', ')} and ${last}`;
}

function agentText(context: AgentContext, agent: number): string {
  if (agent === context.id) return `this agent (agent ${agent})`;
  const record = recordOfAgent(context, agent);
  const thread = record === 0 ? 0 : context.words.load32(record + AGENT_THREAD);
  return thread === 0 ? `agent ${agent}` : `agent ${agent} (${thread === 1 ? 'main thread' : `thread ${thread - 1}`})`;
}

/**
 * Returns what to do about blocking agents whose threads have ended. Returns '' if none has ended, or if that is
 * unknown.
 */
export function endedText(context: AgentContext, agents: readonly number[]): string {
  const ended = agents.slice(0, MOST_NAMED).filter((agent) => hasEnded(context, agent));
  if (ended.length === 0) return '';
  return ` The thread of ${agentsText(context, ended)} has ended, and no thread has recovered it: watch workers with arena.watch(worker), or call arena.reclaimDead().`;
}

/** The time of the last probe of each agent. Infinity means that the agent's thread has ended. */
const asked = new WeakMap<AgentContext, Map<number, number>>();

function hasEnded(context: AgentContext, agent: number): boolean {
  if (agent === context.id) return false;
  const times = asked.get(context) ?? new Map<number, number>();
  asked.set(context, times);
  const now = context.parking.now();
  const last = times.get(agent) ?? -Infinity;
  if (last === Infinity || now - last < ASK_MS) return last === Infinity;
  const record = recordOfAgent(context, agent);
  // Each probe uses up one answer. The agent renews its answers only when its event loop turns.
  if (record === 0 || context.words.load32(record + AGENT_ARMED) <= LEFT_TO_RECOVERY) return false;
  const ended = probe(context, record) === 'dead';
  times.set(agent, ended ? Infinity : now);
  return ended;
}

function recordOfAgent({ words }: AgentContext, agent: number): number {
  let seen = 0;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
    if (owner === agent && words.load32(record + AGENT_STATE) !== AGENT_LEFT) return record;
    if (++seen === MOST_RECORDS) break;
  }
  return 0;
}
