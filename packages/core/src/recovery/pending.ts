// Recoveries that one agent cannot finish. An agent recovers only the kinds whose kernels it has loaded, because the
// steps of a kind are in its package. The record of the dead agent stays PENDING, and agents that have loaded the
// missing kind finish its recovery.
//
//   the reclaimer                                  an agent that waits at a line of a kind
//   record ▶ PENDING, no reclaimer                 gate ▶ PARKED [park]
//   HEADER_PENDING + 1                             HEADER_PENDING changed? finish what this agent has the kernels for
//   wakes every waiter at a line of a kind: gate   sleeps while the gate is PARKED, or on its line's SLEEP_WORD
//   PARKED ▶ LINKED [rewake], or wakes its sleepers
//   (sleep-word.ts)
//
// Each side writes before it reads. So either the waiter sees the count, or the reclaimer finds the waiter PARKED and
// wakes it. Later agents read the count before they wait, when they are refused, and when they load a kind.
//
// INVARIANTS
//
//   1. While a record is PENDING, its parts that belong to kinds are as the dead agent or an earlier finisher left
//      them. So a finisher that dies is recovered like any other agent, and the next finisher begins again
//      (claim-dead-agent.ts, 4).
//   2. Waiters are notified after the reclaimer has given the record back. A waiter that found the record taken would
//      not check again. The agent that notifies may die before that. Therefore every recovery ends with this step: if
//      any record is PENDING, count and wake.
//   3. An agent takes a PENDING record only if it can advance its recovery (`canAdvance`). So two agents do not wake
//      each other for ever.

import {
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_GATHER,
  AGENT_GATHERED,
  AGENT_IN_FLIGHT,
  AGENT_PENDING,
  AGENT_POSTS,
  AGENT_POST_LINE,
  AGENT_STATE,
  AGENT_STUB,
  AGENT_SWEEP,
  AGENT_TO_WAKE,
  BLOCK_KIND,
  BLOCK_TAG,
  GATE,
  HEADER_AGENT_POOL,
  HEADER_ELEMENT_POOL,
  HEADER_PENDING,
  KIND_AREA,
  LAST_BASE_KIND,
  LINE,
  TAG,
  UP,
} from '../kernel/layout.ts';
import { CLOSED, FREE, GRANTED, LINKED, PARKED, PROMISED, QUEUED } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { wakeConditionWaiters } from './condition-waiters.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { wakeSleepers } from '../agent/sleep-word.ts';
import { blockOf, blocks, isLine } from '../memory/blocks.ts';
import { ownedLines, ownerOfLine } from '../report/holders-and-waiters.ts';
import { entries, records } from '../memory/records.ts';
import { asElement, type AgentAddress, type ElementAddress } from '../kernel/addresses.ts';

/** Gates of an element whose wait a recovery has to end. */
const IN_LINE = new Set<number>([QUEUED, LINKED, PARKED, GRANTED, CLOSED, PROMISED]);
/** Words of an agent record that tell whether a step's second half is still to come. */
const IN_FLIGHT = [
  AGENT_CHAIN,
  AGENT_IN_FLIGHT,
  AGENT_POSTS,
  AGENT_POST_LINE,
  AGENT_SWEEP,
  AGENT_GATHER,
  AGENT_GATHERED,
  AGENT_TO_WAKE,
] as const;

/** Whether the line at that address is of a kind that this agent has not loaded. */
export function isForeign(context: AgentContext, line: number): boolean {
  const code = kindAt(context.words, line);
  return code > LAST_BASE_KIND && context.kindWith(code) === undefined;
}

/** Whether the dead agent's record has a part of a walk that only an agent with another kind can finish. */
export function isDutyForeign(context: AgentContext, record: AgentAddress): boolean {
  const code = context.words.get32(record + AGENT_DUTY_KIND);
  // The words of a walk are written one by one. If only the first one was written, nothing is to be finished.
  return code !== 0 && context.kindWith(code) === undefined && blockOfDuty(context.words, record) !== 0;
}

/** Returns the block that this part of a walk concerns, or 0 if nothing is left. */
export function blockOfDuty(words: Words, record: AgentAddress): number {
  const area = record + KIND_AREA;
  const element =
    words.get32(area + AGENT_IN_FLIGHT) || words.get32(area + AGENT_CHAIN) || words.get32(area + AGENT_POSTS);
  const line =
    words.get32(record + AGENT_DUTY) ||
    words.get32(area + AGENT_POST_LINE) ||
    (element === 0 ? 0 : words.get32(element + LINE));
  return line === 0 ? 0 : blockOf(words, line);
}

/**
 * Whether the line is foreign (see `isForeign`) in the recovery of the agent with that record. The record has one place
 * for the unfinished walk of a kind. While another kind needs that place, all lines of kinds with a walk are foreign.
 */
export function isForeignFor(context: AgentContext, record: AgentAddress, line: number): boolean {
  if (isForeign(context, line)) return true;
  return context.kindWith(kindAt(context.words, line))?.steps.walk !== undefined && isDutyForeign(context, record);
}

/** Returns the code of a line's kind: the line's own kind, or its block's. */
export function kindAt(words: Words, line: number): number {
  return words.load32(line + BLOCK_KIND) || words.load32(blockOf(words, line) + BLOCK_KIND);
}

export function isPending(words: Words, record: AgentAddress): boolean {
  return words.load32(record + AGENT_STATE) === AGENT_PENDING;
}

/** Whether a dead agent's record waits for agents with kinds that this agent has not loaded. */
export function isLeftToOthers(context: AgentContext, record: AgentAddress, id: number): boolean {
  return isPending(context.words, record) && !canAdvance(context, record, id);
}

/** Yields the PENDING records of dead agents whose recovery this agent can advance. */
export function* pendingRecords(
  context: AgentContext,
): Generator<{ readonly record: AgentAddress; readonly id: number }> {
  for (const { record, owner } of records(context.words, HEADER_AGENT_POOL)) {
    if (owner !== 0 && isPending(context.words, record) && canAdvance(context, record, owner))
      yield { record, id: owner };
  }
}

/** Whether this agent has the kernel for a part of what a dead agent left, or nothing is left. */
function canAdvance(context: AgentContext, record: AgentAddress, id: number): boolean {
  if (isInFlight(context.words, record)) return true;
  const duty = context.words.get32(record + AGENT_DUTY_KIND);
  if (duty !== 0 && !isDutyForeign(context, record)) return true;
  const lines = [...linesLeft(context.words, record, id)];
  return (lines.length === 0 && duty === 0) || lines.some((line) => line === 0 || !isForeignFor(context, record, line));
}

/**
 * Whether a step of the agent, or of its recovery, waits for its second half. Steps that a kind's walk has to finish do
 * not count.
 */
function isInFlight(words: Words, record: AgentAddress): boolean {
  return IN_FLIGHT.some((word) => words.get32(record + word) !== 0);
}

/**
 * Returns the number of chains that the agent had detached and not fully walked. It is at least 1 if the agent had
 * anything left to walk.
 */
export function chainsInFlight(words: Words, record: AgentAddress): number {
  let chains = 0;
  for (let chain = words.get32(record + AGENT_CHAIN); chain !== 0; chain = words.get32(chain + UP)) chains += 1;
  return chains === 0 && (isInFlight(words, record) || words.get32(record + AGENT_DUTY_KIND) !== 0) ? 1 : chains;
}

/** Yields the lines at which the agent waits, holds permits or is the owner. 0 stands for a line that was freed. */
function* linesLeft(words: Words, record: AgentAddress, id: number): Generator<number> {
  const stub = asElement(record + AGENT_STUB);
  if (words.load32(stub + GATE) === QUEUED) yield lineOfWait(words, stub);
  for (const { record: element, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner === id && IN_LINE.has(words.load32(element + GATE))) yield lineOfWait(words, element);
  }
  for (const { owner, address, tag, held } of entries(words))
    if (owner === id && tag !== 0 && held !== 0n) yield lineAt(words, address, tag);
  for (const block of blocks(words))
    for (const line of ownedLines(words, block)) if (ownerOfLine(words, line) === id) yield line;
}

function lineOfWait(words: Words, element: ElementAddress): number {
  return lineAt(words, words.get32(element + LINE), words.get32(element + TAG));
}

/**
 * Returns `line` if a line with that tag is still there, otherwise 0. By now there may be bytes of a region, for
 * example.
 */
export function lineAt(words: Words, line: number, tag: number): number {
  const now = words.load32(line + BLOCK_TAG);
  return (now === tag || now === -tag) && isLine(words, line) ? line : 0;
}

/** While any record is PENDING, tells agents with kinds to check. */
export function announcePending(context: AgentContext): void {
  const { words } = context;
  if (![...records(words, HEADER_AGENT_POOL)].some(({ record, owner }) => owner !== 0 && isPending(words, record)))
    return;
  words.add32(HEADER_PENDING, 1);
  wakeAtKinds(context);
  // Some kinds let their waiters sleep on conditions.
  wakeConditionWaiters(context, context.agent);
}

/** Wakes every waiter at a line of a kind that a package brings, whether or not this agent has loaded it. */
function wakeAtKinds(context: AgentContext): void {
  const { words, kernel, agent } = context;
  for (const { record: element, owner } of records(words, HEADER_ELEMENT_POOL)) {
    const gate = owner === 0 ? FREE : words.load32(element + GATE);
    if (gate !== PARKED && gate !== QUEUED) continue;
    const line = lineOfWait(words, element);
    if (line === 0 || kindAt(words, line) <= LAST_BASE_KIND) continue;
    if (gate === PARKED) {
      const woken = kernel.rewake(agent, element);
      if (woken !== 0) context.notify(woken);
    } else wakeSleepers(context, line, words.get32(element + TAG));
  }
}
