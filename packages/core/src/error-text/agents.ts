// What messages say about agents whose threads have ended.

import type { AgentContext } from '../agent/agent-context.ts';
import { lifeOf } from '../report/agent-life.ts';
import { agentsText, MAX_NAMED, recordOfAgent } from '../report/agent-names.ts';

/**
 * Returns what to do about blocking agents whose threads have ended. Returns '' if none has ended, or if that is
 * unknown.
 */
export function endedText(context: AgentContext, agents: readonly number[]): string {
  const ended = agents.slice(0, MAX_NAMED).filter((agent) => hasEnded(context, agent));
  if (ended.length === 0) return '';
  const [threads, have, them] = ended.length === 1 ? ['thread', 'has', 'it'] : ['threads', 'have', 'them'];
  return ` The ${threads} of ${agentsText(context, ended)} ${have} ended, and no thread has recovered ${them}: watch workers with arena.watch(worker), or call arena.reclaimDead().`;
}

function hasEnded(context: AgentContext, agent: number): boolean {
  const record = recordOfAgent(context, agent);
  return record !== 0 && lifeOf(context, record).life === 'dead';
}
