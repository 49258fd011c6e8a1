// What looks wrong in an arena: each finding is a few lines of text, the worst finding first.

import type { AgentReport } from '@sluice/core';
import { duration, plural } from '@sluice/core/calls';
import type { Component } from './graph.ts';
import { deadlocksOf, type ReadGraph, type ReadWait } from './read-graph.ts';
import type { SnapshotIndex } from './snapshot-index.ts';
import { waitText } from './wait-text.ts';
import { forText, nameOf } from './wording.ts';

/** The lines of one finding. */
export type Finding = readonly string[];

/** The input of a report. */
export interface ReportInput {
  readonly graph: ReadGraph;
  readonly index: SnapshotIndex;
  /** ms since 1970. */
  readonly now: number;
}

/** The most waits of a cycle, and the most waiters behind a dead holder, that a finding lists. */
const MAX_LISTED = 6;

const REMEDY = '  No thread has recovered it: watch workers with arena.watch(worker), or call arena.reclaimDead().';

/**
 * Returns what looks wrong: certain deadlocks, dead agents, grants that no event loop sees, possible deadlocks, buffers
 * whose known servers all wait.
 */
export function findingsIn(seen: ReportInput): Finding[] {
  const components = deadlocksOf(seen.graph);
  const inComponents = new Set(components.flatMap(({ agents }) => agents));
  return [
    ...components.filter(({ certain }) => certain).map((component) => deadlock(component, seen)),
    ...deadAgents(seen),
    ...unseenGrants(seen, inComponents),
    ...components.filter(({ certain }) => !certain).map((component) => deadlock(component, seen)),
    ...stalled(seen, inComponents),
  ];
}

function deadlock({ certain, agents, cycle }: Component<ReadWait>, seen: ReportInput): string[] {
  const { index, now } = seen;
  const lines = cycle.slice(0, MAX_LISTED).map((wait, at) => {
    // What the agent holds is what the wait before it waits for.
    const before = cycle.at(at - 1) ?? wait;
    return `  ${index.agent(wait.agent)} ${holdText(before, wait.agent, seen)} and ${waitText(index, wait)}${forText(now - wait.since)}`;
  });
  const more = agents.length - lines.length;
  return [
    headOf(certain, agents.length),
    ...lines,
    ...(more > 0 ? [`  ${plural(more, 'more agent')} in the same deadlock`] : []),
  ];
}

function headOf(certain: boolean, agents: number): string {
  const who = agents === 1 ? 'an agent waits for itself' : `${agents} agents wait for each other`;
  return certain
    ? `Deadlock: ${who}, and no release by another agent can end it.`
    : `Possible deadlock: ${who}. Only another agent, or other async code of these threads, can end it.`;
}

/** " (acquired at resize (worker.mjs:12))", or ''. */
function inBrackets(place: string): string {
  return place === '' ? '' : ` (${place.slice(2)})`;
}

/** "holds lock 'a'", "takes from buffer 'jobs'". */
function holdText({ target, block, end, isUpgrade }: ReadWait, agent: number, { graph, index }: ReportInput): string {
  const what = nameOf(index.block(block));
  // An upgrade waits for the other readers.
  const manner = isUpgrade === true ? ' for reading' : '';
  if (end === undefined) return `holds ${what}${manner}${inBrackets(index.acquired(agent, block))}`;
  const isKnown = graph.enders.get(target)?.has(agent) === true;
  return isKnown ? `${end.verb} ${what}` : `presumably ${end.verb} ${what}`;
}

function deadAgents(seen: ReportInput): Finding[] {
  const { index, graph } = seen;
  const dead = index.report.agents.filter(({ life }) => life === 'dead');
  if (dead.length === 0) return [];
  const waitsAt = new Map<number, ReadWait[]>();
  for (const wait of graph.waits) {
    const there = waitsAt.get(wait.block);
    if (there === undefined) waitsAt.set(wait.block, [wait]);
    else there.push(wait);
  }
  const behind = (agent: AgentReport): number =>
    agent.holds.reduce((count, { address }) => count + (waitsAt.get(address)?.length ?? 0), 0);
  return dead
    .map((agent) => ({ agent, count: behind(agent) }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_LISTED)
    .map(({ agent }) => deadAgent(agent, waitsAt, seen));
}

function deadAgent(
  { agent, title, holds }: AgentReport,
  waitsAt: ReadonlyMap<number, readonly ReadWait[]>,
  { index, now }: ReportInput,
): string[] {
  const names = [...new Set(holds.map(nameOf))];
  if (names.length === 0) return [`Dead agent: ${title} has ended.`, REMEDY];
  const listed = names.length > MAX_LISTED ? plural(names.length, 'primitive') : names.join(', ');
  const waits = [...new Set(holds.map(({ address }) => address))].flatMap((address) => waitsAt.get(address) ?? []);
  const oldest = [...waits].sort((a, b) => a.since - b.since).slice(0, MAX_LISTED);
  const [only] = holds;
  const from = names.length === 1 && only !== undefined ? index.acquired(agent, only.address) : '';
  const lines = oldest.map(
    (wait) => `  ${index.agent(wait.agent)} ${waitText(index, wait)}${forText(now - wait.since)}`,
  );
  const more = waits.length - lines.length;
  return [
    `Dead holder: ${title} has ended and still holds ${listed}${inBrackets(from)}. ${plural(waits.length, 'waiter')}.`,
    REMEDY,
    ...lines,
    ...(more > 0 ? [`  and ${plural(more, 'other')}`] : []),
  ];
}

/** Async waits that have what they wait for, in threads that do not return to their event loops. */
function unseenGrants({ graph, index, now }: ReportInput, inComponents: ReadonlySet<number>): Finding[] {
  const found: Finding[] = [];
  if (graph.unseen.length === 0) return found;
  const seen = new Set<string>();
  const blockingWaits = new Map<number, ReadWait>();
  const waitsAt = new Map<number, ReadWait[]>();
  for (const wait of graph.waits) {
    if (wait.blocks) blockingWaits.set(wait.agent, wait);
    const there = waitsAt.get(wait.target);
    if (there === undefined) waitsAt.set(wait.target, [wait]);
    else there.push(wait);
  }
  for (const { agent, target, block } of graph.unseen) {
    const key = `${agent} ${target}`;
    if (found.length === MAX_LISTED) break;
    if (seen.has(key)) continue;
    seen.add(key);
    const report = index.agents.get(agent);
    if (report === undefined || report.life === 'dead' || inComponents.has(agent)) continue;
    const blocking = blockingWaits.get(agent);
    if (blocking === undefined && report.stillSince === undefined) continue;
    const behind = (waitsAt.get(target) ?? []).filter((wait) => wait.agent !== agent).length;
    found.push([
      `Unseen grant: ${report.title} was granted ${nameOf(index.block(block))}, but its event loop does not turn. ${plural(behind, 'waiter')} behind it.`,
      blocking === undefined
        ? `  It has not returned to its event loop for ${duration(now - (report.stillSince ?? now))}: it runs other code, or it blocks outside of Sluice.`
        : `  It blocks: it ${waitText(index, blocking)}${forText(now - blocking.since)}`,
      '  The async call goes on when its thread returns to the event loop.',
    ]);
  }
  return found;
}

/** Buffers and the like at which agents wait, while every agent that could end these waits waits for something else. */
function stalled({ graph, index, now }: ReportInput, inComponents: ReadonlySet<number>): Finding[] {
  const waitOf = new Map<number, ReadWait>();
  const waiting = new Map<number, ReadWait[]>();
  for (const wait of graph.waits) {
    if (!waitOf.has(wait.agent)) waitOf.set(wait.agent, wait);
    if (wait.end === undefined) continue;
    const there = waiting.get(wait.target);
    if (there === undefined) waiting.set(wait.target, [wait]);
    else there.push(wait);
  }
  return [...waiting.values()].flatMap((waits): Finding[] => {
    const [first] = waits;
    const enders = [...(graph.enders.get(first?.target ?? 0) ?? [])];
    const [only, ...others] = enders;
    if (first?.end === undefined || only === undefined || waits.some(({ agent }) => inComponents.has(agent))) return [];
    const blocked = enders.filter((ender) => (waitOf.get(ender)?.block ?? first.block) !== first.block);
    const wait = waitOf.get(only);
    if (blocked.length < enders.length || wait === undefined) return [];
    const what = nameOf(index.block(first.block));
    return [
      [
        `Stalled: ${plural(waits.length, 'agent')} ${waits.length === 1 ? 'waits' : 'wait'} for ${first.end.what} in ${what}, and ` +
          (others.length === 0
            ? 'the only agent known to serve it waits, too.'
            : `all ${enders.length} agents known to serve it wait, too.`),
        `  ${index.agent(only)} ${waitText(index, wait)}${forText(now - wait.since)}`,
      ],
    ];
  });
}
