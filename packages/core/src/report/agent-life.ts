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
/** How long an event loop must not have turned before reports say so, in ms. */
const STILL_MS = 250;
/** Time between two probes of the same agent, in ms. */
const ASK_MS = 1000;

/** What this thread knows of another agent's thread. */
export interface AgentLife {
  readonly life: Life;
  /** ms since 1970, when this thread first found that the other one has ended. Only with `dead`. */
  readonly deadSince?: number;
  /**
   * ms since 1970: the event loop of the other thread has not turned since then. Absent if it has turned within the last
   * 250 ms, or if this thread has not asked before. Only with `alive` and `unknown`.
   */
  readonly stillSince?: number;
}

interface Answer {
  readonly agent: number;
  /** ms on this thread's clock. */
  readonly at: number;
  readonly report: AgentLife;
  /** ms since 1970, of the first question whose answer the agent has not replaced. 0: none. */
  readonly asked: number;
}

/** The last answer of the agent of each record, by the object for which this thread asks. */
const answers = new WeakMap<object, Map<AgentAddress, Answer>>();

/**
 * Returns whether the agent of a record exists. Probes it at most once a second; within the second the last answer
 * counts. Returns 'unknown' while the agent could answer only the probes of recoveries. Each call also checks whether
 * the agent has replaced the answers that it gave: only then has its event loop turned.
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
  // The agent replaces the answer that a question uses up when its event loop turns.
  const asked = last?.agent === agent && words.load32(record + AGENT_ARMED) < ARMED_WAITS ? last.asked : 0;
  const still = asked === 0 || parking.date() - asked < STILL_MS ? undefined : { stillSince: asked };
  if (last?.agent === agent && last.report.life === 'dead') return last.report;
  if (last?.agent === agent && now - last.at < ASK_MS) return { ...last.report, ...still };
  const life = context.knownLife?.(record) ?? ask(context, record);
  const report: AgentLife = life === 'dead' ? { life, deadSince: parking.date() } : { life };
  known.set(record, { agent, at: now, report, asked: asked === 0 && life === 'alive' ? parking.date() : asked });
  return life === 'dead' ? report : { ...report, ...still };
}

function ask(context: Onlooker, record: AgentAddress): Life {
  const { words } = context;
  if (words.load32(record + AGENT_STATE) === AGENT_PENDING) return 'dead';
  // Each probe uses up one answer. The agent renews its answers only when its event loop turns.
  if (words.load32(record + AGENT_ARMED) <= LEFT_TO_RECOVERY) return 'unknown';
  return probe(context, record);
}
