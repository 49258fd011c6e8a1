// How messages and reports name agents.

import { identityOf, type AgentIdentity } from '../agent/identity.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { printable } from '../api/wording.ts';
import type { AgentAddress } from '../kernel/addresses.ts';
import { AGENT_LEFT, AGENT_STATE, HEADER_AGENT_POOL, OWNER } from '../kernel/layout.ts';
import { records } from '../memory/records.ts';
import { MAX_RECORDS } from './counted.ts';

/** The most agents that a text names. Further agents are only counted. */
export const MAX_NAMED = 3;

/** "agent 3 (thread 5, resizer)", "agent 3 (thread 5), agent 4 (thread 6) and 9 others". */
export function agentsText(context: AgentContext, agents: readonly number[]): string {
  const [only, ...others] = agents;
  if (only === undefined) return 'no agent';
  if (others.length === 0) return agentText(context, only);
  const named = agents.slice(0, MAX_NAMED).map((agent) => agentText(context, agent));
  const more = agents.length - named.length;
  const last = more > 0 ? `${more} ${more === 1 ? 'other' : 'others'}` : named.pop();
  return `${named.join(', ')} and ${last}`;
}

function agentText(context: AgentContext, agent: number): string {
  if (agent === context.id) return `this agent (agent ${agent})`;
  const record = recordOfAgent(context, agent);
  if (record === 0) return `agent ${agent}`;
  const identity = identityOf(context.words, record);
  // The agent may have left meanwhile, and the record may have the name of the next one.
  return agentTitle(agent, context.words.load32(record + OWNER) === agent ? identity : { name: '' });
}

/** "agent 3 (thread 5, resizer)", "agent 1 (main thread)", "agent 3". */
export function agentTitle(agent: number, { thread, name }: Pick<AgentIdentity, 'thread' | 'name'>): string {
  if (thread === 0) return `agent ${agent} (main thread)`;
  const parts = [thread === undefined ? '' : `thread ${thread}`, printable(name)].filter((part) => part !== '');
  return parts.length === 0 ? `agent ${agent}` : `agent ${agent} (${parts.join(', ')})`;
}

/** Returns the record of an agent, or 0. */
export function recordOfAgent({ words }: AgentContext, agent: number): AgentAddress | 0 {
  let seen = 0;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
    if (owner === agent && words.load32(record + AGENT_STATE) !== AGENT_LEFT) return record;
    if (++seen === MAX_RECORDS) break;
  }
  return 0;
}
