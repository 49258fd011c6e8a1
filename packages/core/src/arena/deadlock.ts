// Looks for agents that wait for each other in a circle.

import type { Words } from '../kernel/words.ts';
import { isOwnedLock } from '../lock-health.ts';
import { readName } from './name.ts';
import { allHoldings, allWaiting, type WaitingRecord } from './standings.ts';

/** One agent of a deadlock. */
export interface DeadlockedAgent {
  readonly agent: number;
  /** The lock that it blocks on, and the agent that owns it: the next one of the circle. */
  readonly waitsFor: { readonly name: string; readonly address: number };
  readonly ownedBy: number;
  /** ms since 1970, when the wait began. */
  readonly since: number;
}

/**
 * A circle of agents, each blocked on a lock that the next one owns; the last one's is the first one. `undefined`: there is
 * none. Each wait is read twice: an agent that was in the same wait both times did nothing in between, so what it owned
 * at the first look it owned all the time, and the circle was closed.
 */
export function findCycle(words: Words): DeadlockedAgent[] | undefined {
  const waits = blockingWaits(words);
  const owners = ownersOfLocks(words);
  const again = blockingWaits(words);
  const next = (agent: number): number | undefined => {
    const wait = waits.get(agent);
    return wait !== undefined && isSame(wait, again.get(agent)) ? owners.get(wait.address) : undefined;
  };
  for (const start of waits.keys()) {
    const circle = follow(start, next);
    if (circle !== undefined) return circle.map((agent) => describe(words, waits.get(agent), owners));
  }
  return undefined;
}

/** A ticket that was rolled back is drawn again, so it alone does not tell one wait from another. */
function isSame(wait: WaitingRecord, later: WaitingRecord | undefined): boolean {
  return later !== undefined && later.ticket === wait.ticket && later.tag === wait.tag && later.since === wait.since;
}

/** The way from an agent to the one whose lock it wants, if it comes back to where it began. */
function follow(start: number, next: (agent: number) => number | undefined): number[] | undefined {
  const way = [start];
  for (let agent = next(start); agent !== undefined && agent !== start; agent = next(agent)) {
    if (way.includes(agent)) return undefined;
    way.push(agent);
  }
  const last = way.at(-1);
  return last !== undefined && next(last) === start ? way : undefined;
}

/** By agent: while it blocks it has one blocking wait, and its async waits cannot end. */
function blockingWaits(words: Words): Map<number, WaitingRecord> {
  const blocking = [...allWaiting(words)].filter(({ kind }) => kind === 'blocking');
  return new Map(blocking.map((wait) => [wait.agent, wait]));
}

/** By address. */
function ownersOfLocks(words: Words): Map<number, number> {
  const owned = [...allHoldings(words)].filter(({ address }) => isOwnedLock(words, address));
  return new Map(owned.map(({ address, agent }) => [address, agent]));
}

function describe(words: Words, wait: WaitingRecord | undefined, owners: Map<number, number>): DeadlockedAgent {
  const { agent = 0, address = 0, since = 0 } = wait ?? {};
  return { agent, waitsFor: { name: readName(words, address), address }, ownedBy: owners.get(address) ?? 0, since };
}
