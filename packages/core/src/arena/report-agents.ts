// What the agents of an arena hold and wait for, for people and for tests.

import { sleepersOnConditions } from '../channel/waiting.ts';
import {
  AGENT_JOINED,
  AGENT_LEFT,
  AGENT_PARKS,
  AGENT_STATE,
  BLOCK_TAG,
  FLAG_CAPACITOR,
  FLAG_EVENT,
  FLAG_LANE,
  FLAG_SIDE,
  FLAG_TURNSTILE,
  FLAGS,
  HEADER_AGENT_POOL,
} from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { isOwnedLock } from '../lock-health.ts';
import { blockOf, blocks } from './blocks.ts';
import { readName } from './name.ts';
import { records } from './pool.ts';
import type { AgentContext } from './agent-context.ts';
import { allHoldings, allWaiting } from './holders-and-waiters.ts';

export interface AgentReport {
  readonly agent: number;
  /** ms since 1970. */
  readonly joined: number;
  /** How often it woke from a sleep or an async wait. */
  readonly wakeUps: number;
  /** What it has acquired and not released. */
  readonly holds: readonly Holding[];
  /** What it waits for, the oldest wait first. */
  readonly waits: readonly Waiting[];
}

/** A primitive as a holder or a waiter sees it. */
interface PrimitiveUse {
  /** `condition`: a wait that is not at a primitive, by @sluice/address-wait. The other fields then say nothing. */
  readonly kind: 'semaphore' | 'lock' | 'event' | 'capacitor' | 'buffer' | 'condition';
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

export function reportAgents({ words }: AgentContext): AgentReport[] {
  const holdings = [...allHoldings(words)];
  const waiting = allWaits(words);
  return [...records(words, HEADER_AGENT_POOL)]
    .filter(({ record, owner }) => owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT)
    .map(({ record, owner }) => ({
      agent: owner,
      joined: Number(words.get64(record + AGENT_JOINED)),
      wakeUps: words.get32(record + AGENT_PARKS),
      holds: holdings
        .filter(({ agent }) => agent === owner)
        .map(({ since, ...held }) => (since === 0 ? useOf(words, held) : { ...useOf(words, held), since })),
      waits: waiting.filter(({ agent }) => agent === owner).map(({ wait }) => wait),
    }));
}

function allWaits(words: Words): { readonly agent: number; readonly wait: Waiting }[] {
  const inLine = [...allWaiting(words)];
  // Some semaphores' waiters sleep on a condition with an element other than the one that stands in line.
  const isInLine = (agent: number): boolean => inLine.some((waiting) => waiting.agent === agent && waiting.kind === 'blocking');
  const waits = inLine.map(({ agent, kind, since, ...wanted }) => ({ agent, wait: { ...useOf(words, wanted), how: kind, since } }));
  const others = sleepersOnConditions(words)
    .filter(({ agent, kind }) => kind === 'async' || !isInLine(agent))
    .map(({ agent, kind, since, tag, permits }) => ({ agent, wait: { ...awaited(words, tag, permits), how: kind, since } }));
  return [...waits, ...others].sort((a, b) => a.wait.since - b.wait.since);
}

function awaited(words: Words, tag: number, permits: number): PrimitiveUse {
  const address = permits === 0 ? undefined : [...blocks(words)].find((block) => words.load32(block + BLOCK_TAG) === tag);
  return address === undefined ? { kind: 'condition', name: '', address: 0, permits } : useOf(words, { address, permits });
}

function useOf(words: Words, { address, permits }: { readonly address: number; readonly permits: number }): PrimitiveUse {
  const block = blockOf(words, address);
  return { kind: kindOf(words, address), name: readName(words, block), address: block, permits };
}

function kindOf(words: Words, address: number): PrimitiveUse['kind'] {
  if (isOwnedLock(words, address)) return 'lock';
  const flags = words.get32(address + FLAGS);
  if ((flags & FLAG_EVENT) !== 0) return 'event';
  if ((flags & FLAG_SIDE) !== 0) return 'buffer';
  return (flags & (FLAG_CAPACITOR | FLAG_TURNSTILE | FLAG_LANE)) !== 0 ? 'capacitor' : 'semaphore';
}
