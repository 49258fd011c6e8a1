// One page of text about an arena.

import type { AgentReport, Arena, Holding, Waiting } from '@sluice/core';
import { checkInteger, checkOptions, plural, duration, printable } from '@sluice/core/calls';
import { chosenArena } from '@sluice/core/internal';
import type { Onlooker } from '@sluice/core/report';
import { findingsIn, type ReportInput } from './findings.ts';
import { readGraph, type ReadWait } from './read-graph.ts';
import { onlookerOf } from './reader.ts';
import { SnapshotIndex } from './snapshot-index.ts';
import { forText, nameOf, type Named } from './wording.ts';

export interface ReportOptions {
  /** The most lines of each section. Default 20. */
  readonly lines?: number;
}

export const REPORT_OPTIONS: readonly (keyof ReportOptions)[] = ['lines'];
export const DEFAULT_LINES = 20;
const MAX_LINES = 1_000_000;
/** The most groups of waits that the section of the oldest waits lists. */
const OLDEST = 5;

/**
 * Returns one page of text that answers why a program hangs.
 *
 * It begins with what looks wrong: deadlocks, agents whose threads have ended and that still hold something, locks that
 * were granted to threads whose event loops do not turn, buffers whose known servers all wait for something else. The
 * oldest waits follow. Then it lists each primitive in use with its holders and its line, and each agent with what it
 * holds and waits for. Equal waiters are one line with a count.
 *
 * Any thread that has opened the arena may call it. The text is for people: it may change with every version. The call
 * takes time in proportion to the blocks and agents of the arena, and to the holdings and waits.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { formatReport } from '@sluice/inspect';
 *
 * const arena = Arena.create();
 * Semaphore.create(2, { arena, name: 'connections' }).acquire();
 * const [first] = formatReport(arena).split('\n');
 * console.log(first); // Nothing looks wrong: no deadlock, no dead agent.
 * ```
 *
 * @param arena - Default: the realm's default arena.
 * @throws {RangeError} If an option is out of range.
 * @throws {TypeError} If `arena` is no arena, or an option has the wrong type or is unknown.
 * @throws {MisuseError} If this thread's agent has left the arena.
 */
export function formatReport(arena?: Arena, options: ReportOptions = {}): string {
  checkOptions(options, REPORT_OPTIONS);
  const most = checkLines(options);
  return reportText(onlookerOf(chosenArena(arena)), most);
}

/** Returns the option `lines`. Throws `TypeError` or `RangeError`. */
export function checkLines({ lines = DEFAULT_LINES }: ReportOptions): number {
  return checkInteger('lines', lines, 1, MAX_LINES);
}

/** Returns the report of an arena, with sections of at most that many lines. */
export function reportText(onlooker: Onlooker, most: number, index = new SnapshotIndex(onlooker)): string {
  const seen: ReportInput = { graph: readGraph(onlooker, index.dead, index.read), index, now: onlooker.parking.date() };
  const findings = findingsIn(seen);
  const waits = groups(seen.graph.waits);
  const sections = [
    findings.length === 0
      ? ['Nothing looks wrong: no deadlock, no dead agent.']
      : [...cut(findings.flat(), Math.max(most, DEFAULT_LINES))],
    oldestWaits(waits, seen),
    primitives(waits, seen, most),
    agents(seen, most),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** Returns at most that many lines, the last one with the number of those that are left out. */
function cut(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `  and ${plural(lines.length - most, 'more line')}`];
}

/** Waits that differ only in their agents and their ages. */
interface Group {
  readonly first: ReadWait;
  readonly agents: number[];
  since: number;
}

/** Groups waits by primitive, purpose, form and permits, and returns the groups with the oldest waits first. */
function groups(waits: readonly ReadWait[]): Group[] {
  const byTarget = new Map<number, Group[]>();
  for (const wait of waits) {
    const others = byTarget.get(wait.target);
    const group = others?.find(({ first }) => isAlike(first, wait));
    if (group !== undefined) {
      group.agents.push(wait.agent);
      group.since = Math.min(group.since, wait.since);
      continue;
    }
    const created: Group = { first: wait, agents: [wait.agent], since: wait.since };
    if (others === undefined) byTarget.set(wait.target, [created]);
    else others.push(created);
  }
  return [...byTarget.values()].flat().sort((a, b) => a.since - b.since);
}

function isAlike(one: ReadWait, other: ReadWait): boolean {
  return one.block === other.block && one.how === other.how && one.amount === other.amount;
}

/** "140 blocking waits, the longest for 2.1 s: agent 3 (thread 5, resizer) and 139 others". */
function groupText({ first, agents: ids, since }: Group, { index, now }: ReportInput): string {
  const { how, end, amount } = first;
  const count = ids.length === 1 ? `${how} wait` : `${ids.length} ${how} waits`;
  const wanted = end === undefined ? (amount > 1 ? plural(amount, 'permit') : '') : end.what;
  const what = wanted === '' ? '' : ` for ${wanted}`;
  const age = ids.length === 1 ? `,${forText(now - since)}` : `, the longest${forText(now - since)}`;
  return `${count}${what}${age}: ${index.agentList([...new Set(ids)])}`;
}

function oldestWaits(waits: readonly Group[], seen: ReportInput): string[] {
  const oldest = waits.slice(0, OLDEST);
  if (oldest.length === 0) return [];
  return [
    'Oldest waits',
    ...oldest.map((group) => `  ${nameOf(seen.index.block(group.first.block))}: ${groupText(group, seen)}`),
  ];
}

interface Use {
  readonly named: Named;
  readonly holders: { readonly agent: number; readonly holding: Holding }[];
  readonly waits: Group[];
  /** The number of waits. */
  count: number;
}

function primitives(waits: readonly Group[], seen: ReportInput, most: number): string[] {
  const { index } = seen;
  const uses = new Map<number, Use>();
  const useOf = (named: Named): Use => {
    const known = uses.get(named.address);
    if (known !== undefined) return known;
    const use: Use = { named, holders: [], waits: [], count: 0 };
    uses.set(named.address, use);
    return use;
  };
  for (const group of waits) {
    const use = useOf(index.block(group.first.block));
    use.waits.push(group);
    use.count += group.agents.length;
  }
  for (const { agent, holds } of index.report.agents)
    for (const holding of holds) useOf(holding).holders.push({ agent, holding });
  const ordered = [...uses.values()].sort((a, b) => b.count - a.count);
  const lines = ordered.flatMap(({ named, holders, waits: inLine }) => [
    `  ${nameOf(named)}${index.created(named.address)}: ${holders.length === 0 ? 'held by no agent' : `held by ${holdersText(holders, seen)}`}`,
    ...inLine.map((group) => `    ${groupText(group, seen)}`),
  ]);
  return [titleOf(seen, uses.size), ...cut(lines, most)];
}

function titleOf({ index: { report }, graph }: ReportInput, inUse: number): string {
  const { id, agents: all, pages, maxPages } = report;
  return (
    `Primitives in use: ${inUse}, ${plural(graph.waits.length, 'wait')}, ${plural(all.length, 'agent')} ` +
    `(arena ${id}, ${pages} of at most ${maxPages} pages)`
  );
}

/** "agent 2 (thread 1, resizer) for 2.1 s", "agent 3 (main thread) (2 permits)". */
function holdersText(holders: Use['holders'], { index, now }: ReportInput): string {
  const [only, ...others] = holders;
  if (only === undefined) return 'no agent';
  if (others.length > 0) {
    const permits = holders.reduce((sum, { holding }) => sum + holding.permits, 0);
    const list = index.agentList([...new Set(holders.map(({ agent }) => agent))]);
    return permits === holders.length ? list : `${list} (${plural(permits, 'permit')})`;
  }
  const { permits, since } = only.holding;
  return `${index.agent(only.agent)}${permits > 1 ? ` (${plural(permits, 'permit')})` : ''}${since === undefined ? '' : forText(now - since)}${index.acquired(only.agent, only.holding.address)}`;
}

function agents({ index, now }: ReportInput, most: number): string[] {
  const all = [...index.report.agents].sort((a, b) => rank(a) - rank(b) || oldestOf(a) - oldestOf(b));
  return [
    'Agents',
    ...cut(
      all.flatMap((agent) => agentLines(agent, index, now)),
      most,
    ),
  ];
}

/** Dead agents first, then those that wait, then those that hold something. */
function rank({ life, waits, holds }: AgentReport): number {
  if (life === 'dead') return 0;
  if (waits.length > 0) return 1;
  return holds.length > 0 ? 2 : 3;
}

function oldestOf({ waits: [oldest], joined }: AgentReport): number {
  return oldest?.since ?? joined;
}

function agentLines(agent: AgentReport, index: SnapshotIndex, now: number): string[] {
  const { title, name, runtime, osThread, joined, holds, waits } = agent;
  const waited = (block: number): string => index.waited(agent.agent, block, true);
  const facts = [
    ...(name !== '' && !title.includes(printable(name)) ? [printable(name)] : []),
    runtime,
    ...(osThread === undefined ? [] : [`OS thread ${osThread}`]),
    lifeText(agent, now),
    ...(agent.stillSince === undefined ? [] : [`event loop has not turned for ${duration(now - agent.stillSince)}`]),
    `joined ${duration(now - joined)} ago`,
  ];
  return [
    `  ${title}: ${facts.join(', ')}`,
    ...together(holds, now, (block) => index.acquired(agent.agent, block, true)).map((text) => `    holds ${text}`),
    ...together(
      waits.filter(({ how }) => how === 'blocking'),
      now,
      waited,
    ).map((text) => `    waits for ${text}`),
    ...together(
      waits.filter(({ how }) => how === 'async'),
      now,
      waited,
    ).map((text) => `    awaits ${text}`),
  ];
}

function lifeText({ life, deadSince }: AgentReport, now: number): string {
  if (life === 'unknown') return 'not known to be alive';
  if (life === 'alive' || deadSince === undefined) return life;
  return `found dead ${duration(now - deadSince)} ago`;
}

/** Equal uses as one text: "lock 'a' for 2.1 s", "semaphore 'b' (140 times, the longest for 2.1 s)". */
function together(uses: readonly (Holding | Waiting)[], now: number, placeOf: (block: number) => string): string[] {
  const all = new Map<number, { first: Named; count: number; permits: number; since: number | undefined }>();
  for (const use of uses) {
    const known = all.get(use.address);
    if (known === undefined) all.set(use.address, { first: use, count: 1, permits: use.permits, since: use.since });
    else {
      known.count += 1;
      known.permits += use.permits;
      known.since = Math.min(known.since ?? Infinity, use.since ?? Infinity);
    }
  }
  return [...all.values()].map(({ first, count, permits, since }) => {
    const name = nameOf(first);
    const time = since === undefined || since === Infinity ? '' : forText(now - since);
    if (count > 1)
      return `${name} (${count} times${time === '' ? '' : `, the longest${time}`})${placeOf(first.address)}`;
    return `${name}${permits > 1 ? ` (${plural(permits, 'permit')})` : ''}${time}${placeOf(first.address)}`;
  });
}
