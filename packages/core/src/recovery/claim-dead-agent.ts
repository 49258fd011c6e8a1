// Decides which agent may recover which dead agent. recover-agent.ts does the work.
//
// INVARIANTS
//
//   1. After every kernel step of its agent, an agent record says everything that the agent has in flight
//      (docs/decisions/015).
//   2. One agent at a time recovers a record: the agent whose id is in the record's word RECLAIMER (kernel: takeOver).
//      The id gets there only after the record's owner was found dead. While an agent checks the owner, the word holds
//      that agent's negated id, and any other agent may replace it. So if a reclaimer dies before it changes anything,
//      the next reclaimer ignores it.
//   3. An agent that recovers a dead reclaimer also finishes the reclaimer's own recoveries. Dead agents do not wait in
//      a cycle: each died before the agent that recovers it.
//   4. The entire recovery consists of kernel steps on the dead agent's record. The reclaimer may die after any of
//      them. The next reclaimer begins from the start. Work that was done before is no longer in the record, so it is
//      not done twice.
//   5. Recovery allocates nothing: an arena that is full can be recovered, too.

import {
  AGENT_LEFT,
  AGENT_RECLAIMER,
  AGENT_STATE,
  AGENT_STUB,
  AGENT_THREAD,
  HEADER_AGENT_POOL,
  HEADER_PENDING,
  OWNER,
} from '../kernel/layout.ts';
import { TAKEN } from '../kernel/states.ts';
import { probe, type Life } from '../agent/liveness-probe.ts';
import { announcePending, isLeftToOthers, isPending, pendingRecords } from './pending.ts';
import { records } from '../memory/records.ts';
import type { ReclaimReport } from './reclaim-report.ts';
import { freeBlocksOfJoiners } from './recover-blocks.ts';
import { Recovery } from './recover-agent.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { observer, type Observer } from '../agent/observer.ts';
import type { AgentAddress } from '../kernel/addresses.ts';

/** The reason why an agent was not recovered, or only in part. */
export type Refusal = 'alive' | 'unknown' | 'busy';

/**
 * Recovers the agent of a record. If `certain`, the caller knows that the agent is dead; otherwise its token is probed.
 * Returns 'busy' if another agent recovers it, or if it is no longer there. `others` receives the reports of agents
 * that were recovered on the way.
 */
export function recover(
  context: AgentContext,
  record: AgentAddress,
  id: number,
  certain: boolean,
  others: ReclaimReport[] = [],
): ReclaimReport | Refusal {
  const { kernel, words } = context;
  const reclaimer = words.load32(record + AGENT_RECLAIMER);
  // An agent that leaves has its own id there. It no longer answers, but that does not mean that it is dead.
  if (reclaimer === id && !certain) return 'busy';
  if (reclaimer !== context.id) {
    if (reclaimer > 0 && reclaimer !== id) return recoverReclaimer(context, reclaimer, id, others);
    if (kernel.takeOver(record, id, reclaimer, -context.id) !== TAKEN) return 'busy';
    const life: Life =
      certain || hasLeft(context, record) || isPending(words, record) ? 'dead' : probe(context, record);
    if (life !== 'dead') {
      kernel.takeOver(record, id, -context.id, 0);
      return life;
    }
    if (kernel.takeOver(record, id, -context.id, context.id) !== TAKEN) return 'busy';
  }
  try {
    finishRecoveries(context, id, others);
    return observer === undefined
      ? new Recovery(context, record, id, others).run()
      : observedRecovery(observer, context, record, id, others);
  } catch (failure) {
    // If a call fails, for example by a stack overflow, the next reclaimer begins again from the start.
    kernel.takeOver(record, id, context.id, 0);
    throw failure;
  } finally {
    // Do this even if this agent left nothing to others: the dead agent may have died before it announced a recovery of
    // its own.
    announcePending(context);
  }
}

/** Recovers the agent, and tells the tool of the beginning and the end. */
function observedRecovery(
  tool: Observer,
  context: AgentContext,
  record: AgentAddress,
  id: number,
  others: ReclaimReport[],
): ReclaimReport {
  const begun = tool.reclaimBegins(context, id);
  let report: ReclaimReport | undefined;
  try {
    report = new Recovery(context, record, id, others).run();
    return report;
  } finally {
    tool.reclaimEnds(begun, report);
  }
}

/**
 * Recovers the agent that was to recover this one. If that reclaimer is dead as well, its recovery finishes this one.
 */
function recoverReclaimer(
  context: AgentContext,
  reclaimer: number,
  id: number,
  others: ReclaimReport[],
): ReclaimReport | Refusal {
  const record = recordOf(context, reclaimer);
  if (record === 0) return 'busy';
  recoverToo(context, record, reclaimer, others);
  const at = others.findIndex(({ agent }) => agent === id);
  const [own] = at < 0 ? [] : others.splice(at, 1);
  return own === undefined ? 'busy' : { ...own, finished: others };
}

/** Finishes the recoveries that a dead agent had begun. Their agents are dead, too. */
function finishRecoveries(context: AgentContext, dead: number, others: ReclaimReport[]): void {
  const { words, kernel, id } = context;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
    // A free record has no agent to recover. Damage may give it a reclaimer.
    if (owner === 0 || words.load32(record + AGENT_RECLAIMER) !== dead) continue;
    if (kernel.takeOver(record, owner, dead, id) === TAKEN) recoverToo(context, record, owner, others);
  }
}

function recoverToo(context: AgentContext, record: AgentAddress, id: number, others: ReclaimReport[]): void {
  const outcome = recover(context, record, id, false, others);
  // `finished` is emptied, because it is the list that receives the report.
  if (typeof outcome !== 'string') others.push({ ...outcome, finished: [] });
}

/**
 * Finishes recoveries that other agents left to agents with the kinds that this agent has loaded (pending.ts). Returns
 * whether it looked at any.
 */
export function finishPending(context: AgentContext): boolean {
  const count = context.words.load32(HEADER_PENDING);
  if (count === context.pendingSeen) return false;
  context.pendingSeen = count;
  for (const { record, id } of pendingRecords(context)) recover(context, record, id, true);
  return true;
}

/** Returns the record of an agent that joined and was not recovered, or 0 if there is none. */
export function recordOf(context: AgentContext, id: number): AgentAddress | 0 {
  for (const { record, owner } of records(context.words, HEADER_AGENT_POOL)) {
    if (owner === id && !hasLeft(context, record)) return record;
  }
  return 0;
}

/** Whether the agent was recovered and only its stub keeps its record in use. */
export function hasLeft({ words }: AgentContext, record: number): boolean {
  return words.load32(record + AGENT_STATE) === AGENT_LEFT;
}

/** Frees the records of recovered agents whose stubs are off their chains. */
export function tidy(context: AgentContext): void {
  const { words } = context;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
    if (owner !== 0 && hasLeft(context, record) && words.load32(record + AGENT_STUB + OWNER) === 0)
      recover(context, record, owner, true);
  }
}

/** Recovers every agent that is found dead. */
export function recoverDead(context: AgentContext): ReclaimReport[] {
  const reports: ReclaimReport[] = [];
  for (const { record, owner } of records(context.words, HEADER_AGENT_POOL)) {
    if (owner === 0 || owner === context.id || hasLeft(context, record) || isLeftToOthers(context, record, owner))
      continue;
    reports.push(...recoverAll(context, record, owner, false).reports);
  }
  tidy(context);
  return reports;
}

/** Recovers an agent as `recover` does. Puts all reports in one list, even if the agent itself was not recovered. */
export function recoverAll(
  context: AgentContext,
  record: AgentAddress,
  id: number,
  certain: boolean,
): { readonly reports: readonly ReclaimReport[]; readonly done: boolean } {
  const others: ReclaimReport[] = [];
  const outcome = recover(context, record, id, certain, others);
  if (typeof outcome === 'string') return { reports: others, done: false };
  const { finished, ...own } = outcome;
  return { reports: [...finished, { ...own, finished: [] }], done: true };
}

/**
 * Recovers all agents of a thread that has ended. `thread` is as in AGENT_THREAD. `done` is true if no other agent is
 * still recovering one of them.
 */
export function recoverThread(
  context: AgentContext,
  thread: number,
): { readonly reports: readonly ReclaimReport[]; readonly done: boolean } {
  const { words } = context;
  const found: ReclaimReport[] = [];
  let isDone = true;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL)) {
    if (
      owner === 0 ||
      words.load32(record + AGENT_THREAD) !== thread ||
      hasLeft(context, record) ||
      isLeftToOthers(context, record, owner)
    )
      continue;
    const { reports, done } = recoverAll(context, record, owner, true);
    isDone &&= done;
    found.push(...reports);
  }
  freeBlocksOfJoiners(context, thread);
  tidy(context);
  return { reports: found, done: isDone };
}
