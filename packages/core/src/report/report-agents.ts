// What the agents of an arena hold and wait for, for people and for tests.

import { lifeOf, type AgentLife } from './agent-life.ts';
import { agentTitle } from './agent-names.ts';
import {
  AGENT_JOINED,
  AGENT_LEFT,
  AGENT_PARKS,
  AGENT_STATE,
  BLOCK_KIND,
  BLOCK_TAG,
  HEADER_AGENT_POOL,
  LAST_BASE_KIND,
  OWNER,
} from '../kernel/layout.ts';
import { identityOf, type AgentIdentity } from '../agent/identity.ts';
import { isOwnedLock } from '../memory/lock-health.ts';
import { blockOf, blocks } from '../memory/blocks.ts';
import { readName } from '../memory/name.ts';
import { records } from '../memory/records.ts';
import { kindOf } from './kind-of.ts';
import { ageOf } from './semaphore-report.ts';
import type { Onlooker, Reader } from './holders-and-waiters.ts';
import type { ReadUses } from './read-waits.ts';

export interface AgentReport extends AgentIdentity, AgentLife {
  readonly agent: number;
  /** How messages name it, such as "agent 3 (thread 5, resizer)". */
  readonly title: string;
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
  /** ms since then, on this machine's wall clock. Absent if `since` is. */
  readonly age?: number;
}

export interface Waiting extends PrimitiveUse {
  readonly how: 'blocking' | 'async';
  /** ms since 1970, when the wait began. */
  readonly since: number;
  /** ms since then, on this machine's wall clock. */
  readonly age: number;
}

export function reportAgents(context: Onlooker, read: ReadUses): AgentReport[] {
  const { words } = context;
  const now = context.parking.date();
  const uses = new Uses(context);
  const holdings = byAgent(read.held);
  const waiting = waitsByAgent(read, uses, now);
  return [...records(words, HEADER_AGENT_POOL)]
    .filter(({ record, owner }) => owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT)
    .flatMap(({ record, owner }) => {
      const identity = identityOf(words, record);
      // The agent may have left meanwhile, and the record may have the name of the next one.
      if (words.load32(record + OWNER) !== owner) return [];
      return {
        agent: owner,
        title: agentTitle(owner, identity),
        ...identity,
        ...lifeOf(context, record),
        joined: Number(words.get64(record + AGENT_JOINED)),
        wakeUps: words.get32(record + AGENT_PARKS),
        holds: (holdings.get(owner) ?? []).map((held) => ({
          ...uses.at(held.address),
          permits: held.permits,
          ...(held.since !== 0 && { since: held.since, age: ageOf(held.since, now) }),
        })),
        waits: waiting.get(owner) ?? [],
      };
    });
}

function byAgent<T extends { readonly agent: number }>(all: Iterable<T>): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const each of all) {
    const group = groups.get(each.agent);
    if (group === undefined) groups.set(each.agent, [each]);
    else group.push(each);
  }
  return groups;
}

/** Returns the waits of each agent, the oldest first. */
function waitsByAgent({ waits, sleepers }: ReadUses, uses: Uses, now: number): ReadonlyMap<number, readonly Waiting[]> {
  const all = new Map<number, Waiting[]>();
  const add = (agent: number, use: Use, permits: number, how: Waiting['how'], since: number): void => {
    const { kind, name, address } = use;
    const wait: Waiting = { kind, name, address, permits, how, since, age: ageOf(since, now) };
    const others = all.get(agent);
    if (others === undefined) all.set(agent, [wait]);
    else others.push(wait);
  };
  // At some semaphores, waiters sleep on a condition with an element other than the one that stands in line.
  const blocked = new Set<number>();
  for (const { agent, address, permits, kind, since } of waits) {
    if (kind === 'blocking') blocked.add(agent);
    add(agent, uses.at(address), permits, kind, since);
  }
  for (const { agent, kind, since, tag, permits } of sleepers)
    if (kind === 'async' || !blocked.has(agent)) add(agent, uses.of(tag, permits), permits, kind, since);
  for (const each of all.values()) each.sort((a, b) => a.since - b.since);
  return all;
}

type Use = Omit<PrimitiveUse, 'permits'>;

const CONDITION: Use = { kind: 'condition', name: '', address: 0 };

/** The primitives that agents use. Each is looked up once: thousands of agents may wait for the same one. */
class Uses {
  readonly #context: Reader;
  readonly #known = new Map<number, Use>();
  #byTag: ReadonlyMap<number, number> | undefined;

  constructor(context: Reader) {
    this.#context = context;
  }

  at(address: number): Use {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const { words } = this.#context;
    const block = blockOf(words, address);
    const use = { kind: useKind(this.#context, address), name: readName(words, block), address: block };
    this.#known.set(address, use);
    return use;
  }

  /** The use of a primitive with that tag. */
  of(tag: number, permits: number): Use {
    const { words } = this.#context;
    this.#byTag ??= new Map([...blocks(words)].map((block) => [words.load32(block + BLOCK_TAG), block]));
    const address = permits === 0 ? undefined : this.#byTag.get(tag);
    return address === undefined ? CONDITION : this.at(address);
  }
}

function useKind(context: Reader, address: number): string {
  const { words } = context;
  if (isOwnedLock(words, address)) return 'lock';
  const block = blockOf(words, address);
  if (words.load32(block + BLOCK_KIND) > LAST_BASE_KIND) return kindOf(context, block);
  return 'semaphore';
}
