// Reads from an arena which agents wait for what, and which agents hold it. A wait blocks its agent in the graph only
// if the agent was blocked while the arena was read (`readWaits` of the core).

import {
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  CAPACITY,
  ENTRY_SINCE,
  FLAG_RECOVERY,
  FLAG_SHARED,
  FLAGS,
  GRANT,
  KIND_SEMAPHORE,
  RELEASED_FOR_OTHERS,
} from '@sluice/core/format';
import type { WaitEnd } from '@sluice/core/internal';
import {
  blockOf,
  blocks,
  entries,
  isLockLine,
  isOwnedLock,
  lockAt,
  readWaits,
  type HeldRecord,
  type Reader,
  type ReadWaits,
  type WaitingRecord,
} from '@sluice/core/report';
import { componentsOf, type Component, type Graph, type GraphHolding, type GraphWait, type Rule } from './graph.ts';
import { sharesPermits } from './known-kinds.ts';

/** A wait as the arena has it. */
export interface ReadWait extends GraphWait {
  /** The block of the primitive. */
  readonly block: number;
  readonly how: 'blocking' | 'async';
  /** ms since 1970. */
  readonly since: number;
  /** The action that ends the wait, if that is no release. */
  readonly end?: WaitEnd | undefined;
  /** Whether the agent holds a part of the same read-write lock already, and waits to hold it as the writer. */
  readonly isUpgrade?: boolean;
  /** Whether it is an async wait for what no other agent holds. It ends when the event loop of its thread turns. */
  readonly isNext?: boolean;
}

/** An async wait that has its lock or its permits, while the code behind it has not run. */
export type UnseenGrant = Pick<ReadWait, 'agent' | 'target' | 'block'>;

/** A graph with what else the arena says of its agents. */
export interface ReadGraph extends Graph<ReadWait> {
  /** The agents that can end the waits for a target, as far as the arena lists them. */
  readonly enders: ReadonlyMap<number, ReadonlySet<number>>;
  readonly unseen: readonly UnseenGrant[];
}

/**
 * Returns the graph without the waits of dead agents, which a recovery ends. What they hold stays. `read`: what was read
 * of the arena just now.
 */
export function readGraph(context: Reader, dead: ReadonlySet<number>, read = readWaits(context)): ReadGraph {
  const reader = new GraphReader(context);
  const { held, next, unseen, wasBlocked } = read;
  const waits: ReadWait[] = [];
  const blocked = new Set<number>();
  for (const wait of read.waits) {
    if (wait.kind === 'blocking') blocked.add(wait.agent);
    if (!dead.has(wait.agent)) waits.push(reader.wait(wait, wasBlocked(wait)));
  }
  for (const wait of reader.sleepers(read.sleepers, blocked)) if (!dead.has(wait.agent)) waits.push(wait);
  return reader.graph(held, next, unseen, waits);
}

/** Returns the agents of a graph that wait for each other. `first`: an agent with which a cycle is to begin. */
export function deadlocksOf(graph: ReadGraph, first?: number): Component<ReadWait>[] {
  const waits = graph.waits.filter(({ isNext }) => isNext !== true);
  return componentsOf({ ...graph, waits }, undefined, first);
}

/** A line of a primitive, looked up once. */
interface LineFacts {
  readonly block: number;
  readonly target: number;
  readonly rule: Rule;
  /** Whether it is a line of readers. Readers are admitted together, and their elements say so one after the other. */
  readonly isShared: boolean;
  readonly end: WaitEnd | undefined;
}

/** Pairs of an agent and a target. */
class Pairs {
  readonly #agents = new Map<number, Set<number>>();

  constructor(pairs: readonly Pick<GraphHolding, 'agent' | 'target'>[]) {
    for (const { agent, target } of pairs) {
      const agents = this.#agents.get(target);
      if (agents === undefined) this.#agents.set(target, new Set([agent]));
      else agents.add(agent);
    }
  }

  has({ agent, target }: Pick<GraphHolding, 'agent' | 'target'>): boolean {
    return this.#agents.get(target)?.has(agent) === true;
  }
}

class GraphReader {
  readonly #context: Reader;
  readonly #lines = new Map<number, LineFacts>();

  constructor(context: Reader) {
    this.#context = context;
  }

  wait({ agent, address, permits, kind, since, ticket }: WaitingRecord, isSleeping: boolean): ReadWait {
    const { block, target, rule, isShared, end } = this.#line(address);
    const mayBeAdmitted = isShared || rule.kind === 'permits';
    const isBlocked = isSleeping && !(mayBeAdmitted && this.#isAdmitted(address, ticket, permits));
    return { agent, target, amount: permits, blocks: isBlocked, block, how: kind, since, end };
  }

  /** Whether a waiter with that ticket has its permits, or its place among the readers, and its element may not say so yet. */
  #isAdmitted(line: number, ticket: bigint, permits: number): boolean {
    return BigInt.asIntN(64, this.#context.words.load64(line + GRANT) - ticket) >= BigInt(permits);
  }

  /** The waits on a condition for permits. They are in no line, so they cannot be told from a later wait. */
  sleepers(sleeping: ReadWaits['sleepers'], blocked: ReadonlySet<number>): ReadWait[] {
    const { words } = this.#context;
    let byTag: ReadonlyMap<number, number> | undefined;
    const waits: ReadWait[] = [];
    for (const { agent, kind, tag, permits, since } of sleeping) {
      if (permits === 0 || (kind === 'blocking' && blocked.has(agent))) continue;
      byTag ??= new Map([...blocks(words)].map((block) => [words.load32(block + BLOCK_TAG), block]));
      const block = byTag.get(tag);
      if (block === undefined) continue;
      const { target } = this.#line(block);
      waits.push({ agent, target, amount: permits, blocks: false, block, how: kind, since });
    }
    return waits;
  }

  #grant({ agent, address }: WaitingRecord): UnseenGrant {
    const { block, target } = this.#line(address);
    return { agent, target, block };
  }

  graph(
    held: readonly HeldRecord[],
    next: readonly WaitingRecord[],
    granted: readonly WaitingRecord[],
    read: readonly ReadWait[],
  ): ReadGraph {
    const holdings: GraphHolding[] = held.map(({ agent, address, permits }) => {
      return { agent, target: this.#line(address).target, amount: permits };
    });
    const taken = new Map(holdings.map(({ target, agent }) => [target, agent]));
    const first = next.map((wait) => this.#grant(wait)).filter(({ target }) => !taken.has(target));
    for (const { agent, target } of first) holdings.push({ agent, target, amount: 1 });
    const unseen = [...first, ...granted.map((wait) => this.#grant(wait))];
    const isNext = new Pairs(first);
    const rules = new Map([...this.#lines.values()].map(({ target, rule }) => [target, rule]));
    const owned = new Pairs(holdings.filter(({ target }) => rules.get(target)?.kind === 'all'));
    // A waiter owns a lock a moment before its element says that the wait is over.
    // The holder of the upgradeable side has a seat, which is a line of its own.
    const users = new Pairs(held.map(({ agent, address }) => ({ agent, target: this.#line(address).block })));
    const waits = read.map((each): ReadWait => {
      const wait =
        this.#isForWriting(each) && users.has({ agent: each.agent, target: each.block })
          ? { ...each, isUpgrade: true }
          : each;
      if (wait.how === 'async' && isNext.has(wait)) return { ...wait, isNext: true };
      return wait.blocks && owned.has(wait) ? { ...wait, blocks: false } : wait;
    });
    const enders = this.#enders(waits);
    for (const [target, agents] of enders) for (const agent of agents) holdings.push({ agent, target, amount: 0 });
    const guesses = guessed({ rules, waits, holdings }, enders);
    for (const guess of guesses) holdings.push(guess);
    return { rules, waits, holdings, enders, unseen };
  }

  #isForWriting({ block, target }: ReadWait): boolean {
    return (
      (this.#context.words.get32(block + FLAGS) & FLAG_SHARED) !== 0 && this.#lines.get(target)?.rule.kind === 'all'
    );
  }

  /** Maps each target to the agents that can end its waits: those that have used the lines that `endedBy` names. */
  #enders(waits: readonly ReadWait[]): Map<number, Set<number>> {
    const enders = new Map<number, Set<number>>();
    /** The targets for which a line lists agents. */
    const listedBy = new Map<number, number[]>();
    for (const { target, block, end } of waits) {
      if (end === undefined || enders.has(target)) continue;
      enders.set(target, new Set());
      for (const line of end.lines) {
        const address = block + line * BLOCK_LINE;
        listedBy.set(address, [...(listedBy.get(address) ?? []), target]);
      }
    }
    if (enders.size === 0) return enders;
    const { words } = this.#context;
    for (const { entry, owner, address, tag } of entries(words)) {
      const targets = listedBy.get(address);
      if (targets === undefined || tag === 0 || words.load32(address + BLOCK_TAG) !== tag) continue;
      // Each agent that has opened the primitive has an entry. The time tells those that have been in the line.
      if (words.get64(entry + ENTRY_SINCE) === 0n) continue;
      for (const target of targets) enders.get(target)?.add(owner);
    }
    for (const { agent, target } of waits) for (const each of listedBy.get(target) ?? []) enders.get(each)?.add(agent);
    return enders;
  }

  #line(address: number): LineFacts {
    const known = this.#lines.get(address);
    if (known !== undefined) return known;
    const found = this.#lookUp(address);
    const isShared = found.block === address && (this.#context.words.get32(address + FLAGS) & FLAG_SHARED) !== 0;
    const facts = { ...found, isShared };
    this.#lines.set(address, facts);
    return facts;
  }

  #lookUp(address: number): Omit<LineFacts, 'isShared'> {
    const { words } = this.#context;
    const block = blockOf(words, address);
    const end = this.#context
      .kindWith(words.load32(block + BLOCK_KIND))
      ?.kind.endedBy?.((address - block) / BLOCK_LINE);
    if (end !== undefined) return { block, target: address, rule: { kind: 'any' }, end };
    // A lock that is a part of something else has its own holders.
    if (address !== block && isOwnedLock(words, address) && !isOwnedLock(words, block))
      return { block, target: address, rule: { kind: 'all' }, end };
    if (isLockLine(words, address) || isLockLine(words, block))
      return { block, target: lockAt(words, address), rule: { kind: 'all' }, end };
    const isCounted =
      address === block &&
      words.load32(block + BLOCK_KIND) === KIND_SEMAPHORE &&
      (words.get32(block + FLAGS) & FLAG_RECOVERY) !== 0;
    const home = sharesPermits(words.load32(block + BLOCK_KIND)) ? block : address;
    if (!isCounted) return { block, target: home, rule: { kind: 'permits' }, end };
    // A permit that another agent released stays listed as held by the agent that acquired it. So any agent may release
    // more.
    if (words.load64(block + RELEASED_FOR_OTHERS) !== 0n)
      return { block, target: address, rule: { kind: 'permits' }, end };
    const total = Number(words.load64(block + CAPACITY));
    return { block, target: address, rule: { kind: 'permits', total }, end };
  }
}

/**
 * Guesses which agents may end a wait that no known agent ends: the agents that wait for a lock held by the waiter. For
 * example, a producer waits for room and holds a lock, and the consumer needs that lock before it can take a value.
 */
function guessed(
  { rules, waits, holdings }: Graph<ReadWait>,
  enders: ReadonlyMap<number, ReadonlySet<number>>,
): GraphHolding[] {
  const asked = new Set<string>();
  const unknown = waits.filter(({ agent, target }) => {
    const agents = enders.get(target);
    const pair = `${agent} ${target}`;
    if (agents === undefined || agents.size > (agents.has(agent) ? 1 : 0) || asked.has(pair)) return false;
    asked.add(pair);
    return true;
  });
  if (unknown.length === 0) return [];
  const heldBy = groupBy(holdings, ({ agent }) => agent);
  const waitingFor = groupBy(waits, ({ target }) => target);
  const visited = new Set<string>();
  return unknown.flatMap(({ agent, target }) =>
    (heldBy.get(agent) ?? [])
      .filter((held) => {
        const pair = `${held.target} ${target}`;
        if (rules.get(held.target)?.kind !== 'all' || visited.has(pair)) return false;
        visited.add(pair);
        return true;
      })
      .flatMap((held) => waitingFor.get(held.target) ?? [])
      .filter((wait) => wait.agent !== agent && wait.target !== target)
      .map((wait) => ({ agent: wait.agent, target, amount: 0 })),
  );
}

function groupBy<T>(all: readonly T[], keyOf: (each: T) => number): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const each of all) {
    const group = groups.get(keyOf(each));
    if (group === undefined) groups.set(keyOf(each), [each]);
    else group.push(each);
  }
  return groups;
}
