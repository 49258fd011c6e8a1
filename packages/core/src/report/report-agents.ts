// What the agents of an arena hold and wait for, for people and for tests.

import { sleepersOnConditions } from './claims.ts';
import {
  AGENT_JOINED,
  AGENT_LEFT,
  AGENT_PARKS,
  AGENT_STATE,
  BLOCK_KIND,
  BLOCK_TAG,
  HEADER_AGENT_POOL,
  LAST_BASE_KIND,
} from '../kernel/layout.ts';
import { isOwnedLock } from './lock-health.ts';
import { blockOf, blocks } from '../memory/blocks.ts';
import { readName } from '../memory/name.ts';
import { records } from '../memory/records.ts';
import { kindOf } from './kind-of.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { allHoldings, allWaiting } from './holders-and-waiters.ts';

export interface AgentReport {
  readonly agent: number;
  /** ms since 1970. */
  readonly joined: number;
  /** How often it woke from a sleep or an async wait. */
  readonly wakeUps: number;
  /** The primitives and permits that it has acquired and not released. */
  readonly holds: readonly Holding[];
  /** Its waits, the oldest first. */
  readonly waits: readonly Waiting[];
}

/** A primitive as a holder or a waiter sees it. */
interface PrimitiveUse {
  /**
   * `condition` is a wait by `@sluice/address-wait`, which is at no primitive. The other fields are then meaningless.
   */
  readonly kind: string;
  readonly name: string;
  readonly address: number;
  readonly permits: number;
}

export interface Holding extends PrimitiveUse {
  /** ms since 1970, when it was last admitted after a wait; absent if it never had to wait for these. */
  readonly since?: number;
}

export interface Waiting extends PrimitiveUse {
  readonly how: 'blocking' | 'async';
  /** ms since 1970, when the wait began. */
  readonly since: number;
}

export function reportAgents(context: AgentContext): AgentReport[] {
  const { words } = context;
  const holdings = [...allHoldings(context)];
  const waiting = allWaits(context);
  return [...records(words, HEADER_AGENT_POOL)]
    .filter(({ record, owner }) => owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT)
    .map(({ record, owner }) => ({
      agent: owner,
      joined: Number(words.get64(record + AGENT_JOINED)),
      wakeUps: words.get32(record + AGENT_PARKS),
      holds: holdings
        .filter(({ agent }) => agent === owner)
        .map(({ since, ...held }) => (since === 0 ? useOf(context, held) : { ...useOf(context, held), since })),
      waits: waiting.filter(({ agent }) => agent === owner).map(({ wait }) => wait),
    }));
}

function allWaits(context: AgentContext): { readonly agent: number; readonly wait: Waiting }[] {
  const { words } = context;
  const inLine = [...allWaiting(context)];
  // At some semaphores, waiters sleep on a condition with an element other than the one that stands in line.
  const isInLine = (agent: number): boolean =>
    inLine.some((waiting) => waiting.agent === agent && waiting.kind === 'blocking');
  const waits = inLine.map(({ agent, kind, since, ...wanted }) => ({
    agent,
    wait: { ...useOf(context, wanted), how: kind, since },
  }));
  const others = sleepersOnConditions(words)
    .filter(({ agent, kind }) => kind === 'async' || !isInLine(agent))
    .map(({ agent, kind, since, tag, permits }) => ({
      agent,
      wait: { ...awaited(context, tag, permits), how: kind, since },
    }));
  return [...waits, ...others].sort((a, b) => a.wait.since - b.wait.since);
}

function awaited(context: AgentContext, tag: number, permits: number): PrimitiveUse {
  const { words } = context;
  const address =
    permits === 0 ? undefined : [...blocks(words)].find((block) => words.load32(block + BLOCK_TAG) === tag);
  return address === undefined
    ? { kind: 'condition', name: '', address: 0, permits }
    : useOf(context, { address, permits });
}

function useOf(
  context: AgentContext,
  { address, permits }: { readonly address: number; readonly permits: number },
): PrimitiveUse {
  const { words } = context;
  const block = blockOf(words, address);
  return { kind: useKind(context, address), name: readName(words, block), address: block, permits };
}

function useKind(context: AgentContext, address: number): string {
  const { words } = context;
  if (isOwnedLock(words, address)) return 'lock';
  const block = blockOf(words, address);
  if (words.load32(block + BLOCK_KIND) > LAST_BASE_KIND) return kindOf(context, block);
  return 'semaphore';
}
