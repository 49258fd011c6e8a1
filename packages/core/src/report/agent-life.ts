// Whether the threads of agents still exist, for messages and reports.

import { ARMED_WAITS, probe, type Life } from '../agent/liveness-probe.ts';
import type { AgentAddress } from '../kernel/addresses.ts';
import { AGENT_ARMED, AGENT_PENDING, AGENT_STATE, OWNER } from '../kernel/layout.ts';
import type { Onlooker } from './holders-and-waiters.ts';

/**
 * The number of liveness probes kept in reserve for agents that recover others. A blocked agent can answer only a
 * limited number of probes.
 */
const LEFT_TO_RECOVERY = ARMED_WAITS - 6;
/** Time between two probes of the same agent, in ms. */
const ASK_MS = 1000;

/** What this thread knows of another agent's thread. */
export interface AgentLife {
  readonly life: Life;
  /** ms since 1970, when this thread first found that the other one has ended. Only with `dead`. */
  readonly deadSince?: number;
}

interface Answer {
  readonly agent: number;
  /** ms on this thread's clock. */
  readonly at: number;
  readonly report: AgentLife;
}

/** The last answer of the agent of each record, by the object for which this thread asks. */
const answers = new WeakMap<object, Map<AgentAddress, Answer>>();

/**
 * Returns whether the agent of a record exists. Probes it at most once a second; within the second the last answer
 * counts. Returns 'unknown' while the agent could answer only the probes of recoveries.
 */
export function lifeOf(context: Onlooker, record: AgentAddress): AgentLife {
  const { words, parking } = context;
  const agent = words.load32(record + OWNER);
  if (agent === context.id) return { life: 'alive' };
  const asker = context.asker ?? context;
  const known = answers.get(asker) ?? new Map<AgentAddress, Answer>();
  answers.set(asker, known);
  const last = known.get(record);
  const now = parking.now();
  if (last?.agent === agent && (last.report.life === 'dead' || now - last.at < ASK_MS)) return last.report;
  const life = context.knownLife?.(record) ?? ask(context, record);
  const report: AgentLife = life === 'dead' ? { life, deadSince: parking.date() } : { life };
  known.set(record, { agent, at: now, report });
  return report;
}

function ask(context: Onlooker, record: AgentAddress): Life {
  const { words } = context;
  if (words.load32(record + AGENT_STATE) === AGENT_PENDING) return 'dead';
  // Each probe uses up one answer. The agent renews its answers only when its event loop turns.
  if (words.load32(record + AGENT_ARMED) <= LEFT_TO_RECOVERY) return 'unknown';
  return probe(context, record);
}
