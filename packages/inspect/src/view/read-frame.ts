// Reads a frame from an arena, in a thread that need not be one of its agents.

import type { AgentReport } from '@sluice/core';
import { printable } from '@sluice/core/calls';
import type { Onlooker } from '@sluice/core/report';
import { isPrimitive, rowsOf, type Row, type ViewDeadlock } from '../drawing/rows.ts';
import { findingsIn, type Finding, type ReportInput } from '../report/findings.ts';
import { componentsOf } from '../report/graph.ts';
import { readGraph } from '../report/read-graph.ts';
import { SnapshotIndex } from '../report/snapshot-index.ts';
import { nameOf, type Named } from '../report/wording.ts';
import { MAX_FINDING_LINES, MAX_MARKS, MAX_NAMES, MAX_ROWS } from './frame-bounds.ts';
import type { AgentFrame, ArenaFrame } from './frame.ts';
import { gateFacts } from './gate-facts.ts';
import { Filter } from './filter.ts';

/** Throws `CorruptArenaError` if the words of the arena contradict each other. */
export function readFrame(onlooker: Onlooker, filter: string): ArenaFrame {
  const index = new SnapshotIndex(onlooker);
  const { report } = index;
  const graph = readGraph(onlooker, index.dead, index.read);
  const now = onlooker.parking.date();
  const seen: ReportInput = { graph, index, now };
  const deadlocks = componentsOf(graph).map(({ certain, cycle }): ViewDeadlock => {
    const waits = cycle.map(({ agent, block }, at) => {
      return { agent, waitsFor: { address: block }, heldBy: cycle[(at + 1) % cycle.length]?.agent ?? agent };
    });
    return { certain, waits };
  });
  const ids = report.agents.map(({ agent }) => agent);
  const blocks = report.blocks.filter(isPrimitive).map(({ kind, name, address, closed }) => {
    return { kind, name: printable(name), address, closed, ...gateFacts(onlooker, address, ids) };
  });
  const accepts = new Filter(filter);
  const rows = rowsOf({ agents: report.agents, blocks, deadlocks }, now);
  const primitives = rows.filter((row) => accepts.primitive(row));
  const stuck = new Set(deadlocks.flatMap(({ waits }) => waits.map(({ agent }) => agent)));
  const agents = report.agents.map((agent) => agentFrame(agent, stuck)).filter((agent) => accepts.agent(agent));
  return {
    id: report.id,
    now,
    pages: report.pages,
    maxPages: report.maxPages,
    counts: {
      primitives: rows.length,
      agents: report.agents.length,
      waits: report.agents.reduce((sum, { waits }) => sum + waits.length, 0),
    },
    findings: cutFindings(findingsIn(seen)),
    primitives: first(primitives, useOf).map(cutMarks),
    agents: first(agents, ({ life, isStuck, waits }) => (life === 'dead' || isStuck ? 2 : waits === '' ? 0 : 1)),
    matches: { primitives: primitives.length, agents: agents.length },
  };
}

function useOf({ cycle, holders, waiters }: Row): number {
  if (cycle !== '') return 3;
  return waiters.length > 0 ? 2 : holders.length > 0 ? 1 : 0;
}

/** Returns at most MAX_ROWS elements, those with the highest rank, in their old order. */
function first<T>(all: readonly T[], rankOf: (each: T) => number): readonly T[] {
  if (all.length <= MAX_ROWS) return all;
  const chosen = new Set([...all].sort((a, b) => rankOf(b) - rankOf(a)).slice(0, MAX_ROWS));
  return all.filter((each) => chosen.has(each));
}

function cutMarks(row: Row): Row {
  const { holders, waiters } = row;
  return {
    ...row,
    holders: holders.slice(0, MAX_MARKS),
    waiters: waiters.slice(0, MAX_MARKS),
    moreHolders: Math.max(0, holders.length - MAX_MARKS),
    moreWaiters: Math.max(0, waiters.length - MAX_MARKS),
  };
}

function cutFindings(findings: readonly Finding[]): Finding[] {
  let left = MAX_FINDING_LINES;
  return findings.flatMap((finding) => {
    const lines = finding.slice(0, left);
    left -= lines.length;
    return lines.length === 0 ? [] : [lines];
  });
}

function agentFrame(report: AgentReport, stuck: ReadonlySet<number>): AgentFrame {
  const { agent, title, life, runtime, osThread, joined, wakeUps, holds, waits } = report;
  return {
    agent,
    title,
    life,
    runtime,
    osThread,
    joined,
    wakeUps,
    holds: namesOf(holds),
    waits: namesOf(waits),
    since: waits[0]?.since,
    isStuck: stuck.has(agent),
  };
}

/** "lock 'a', semaphore 'b' and 3 more". */
function namesOf(uses: readonly Named[]): string {
  const names = [...new Set(uses.map(nameOf))];
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
