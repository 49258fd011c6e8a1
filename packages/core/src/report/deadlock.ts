// Searches for agents that wait for each other in a cycle.

import type { Words } from '../kernel/words.ts';
import { isLockLine, lockAt } from './lock-lines.ts';
import { blockOf } from '../memory/blocks.ts';
import { readName } from '../memory/name.ts';
import {
  allCompeting,
  allHoldings,
  allWaiting,
  isAdmittedReader,
  isGranted,
  type Reader,
  type WaitingRecord,
} from './holders-and-waiters.ts';

/** One agent of a deadlock. */
export interface DeadlockedAgent {
  readonly agent: number;
  /** The lock that the agent blocks on. */
  readonly waitsFor: { readonly name: string; readonly address: number };
  readonly ownedBy: number;
  /** ms since 1970, when the wait began. */
  readonly since: number;
}

/**
 * Returns a cycle of agents, each blocked on a lock that the next agent owns. The last agent's lock is owned by the
 * first. Returns `undefined` if there is none.
 *
 * Each wait is read twice. An agent in the same wait both times was blocked in between. So it owned the same locks
 * throughout, and the cycle was closed.
 */
export function findCycle(reader: Reader): DeadlockedAgent[] | undefined {
  const { words } = reader;
  const waits = blockingWaits(reader);
  const owners = ownersOfLocks(reader);
  const again = blockingWaits(reader);
  const next = (agent: number): readonly number[] => {
    const wait = waits.get(agent);
    return wait !== undefined && isSame(wait, again.get(agent)) && !isAdmittedReader(words, wait)
      ? (owners.get(lockAt(words, wait.address)) ?? [])
      : [];
  };
  for (const start of waits.keys()) {
    const cycle = cycleFrom(start, next);
    if (cycle !== undefined) return cycle.map((agent, at) => describe(words, waits.get(agent), cycle[at + 1] ?? start));
  }
  return undefined;
}

/**
 * Whether the wait was not over at either read. A ticket that was rolled back is drawn again, so a ticket alone does not
 * distinguish two waits. A waiter that was granted its wait may own the lock already.
 */
function isSame(wait: WaitingRecord, later: WaitingRecord | undefined): boolean {
  return (
    later !== undefined &&
    !isGranted(later.gate) &&
    later.ticket === wait.ticket &&
    later.address === wait.address &&
    later.tag === wait.tag &&
    later.since === wait.since
  );
}

/** Returns the path from an agent over the owners of awaited locks, if it comes back to that agent. */
function cycleFrom(start: number, next: (agent: number) => readonly number[]): number[] | undefined {
  const seen = new Set([start]);
  const search = (way: readonly number[], agent: number): number[] | undefined => {
    for (const owner of next(agent)) {
      if (owner === start) return [...way];
      if (seen.has(owner)) continue;
      seen.add(owner);
      const cycle = search([...way, owner], owner);
      if (cycle !== undefined) return cycle;
    }
    return undefined;
  };
  return search([start], start);
}

/**
 * Returns the blocking waits by agent. A blocked agent has one blocking wait, and its async waits cannot end meanwhile.
 */
function blockingWaits(reader: Reader): Map<number, WaitingRecord> {
  const blocking = [...allWaiting(reader)].filter(({ kind }) => kind === 'blocking');
  return new Map(blocking.map((wait) => [wait.agent, wait]));
}

/**
 * Returns the agents that hold each lock or gate: one owner, all agents that share it, or all agents inside. A waiter
 * there waits until all of them have left. The agent whose async wait is next counts, too. While it blocks elsewhere,
 * the lock may be free, but the other waiters stay behind that async wait.
 */
function ownersOfLocks(reader: Reader): Map<number, number[]> {
  const { words } = reader;
  const owners = new Map<number, number[]>();
  const next = [...allCompeting(reader)].filter(({ kind }) => kind === 'async');
  for (const { address, agent } of [...allHoldings(reader), ...next]) {
    if (!isLockLine(words, address)) continue;
    const lock = lockAt(words, address);
    const known = owners.get(lock);
    if (known === undefined) owners.set(lock, [agent]);
    else known.push(agent);
  }
  return owners;
}

function describe(words: Words, wait: WaitingRecord | undefined, ownedBy: number): DeadlockedAgent {
  const { agent = 0, address = 0, since = 0 } = wait ?? {};
  const lock = blockOf(words, address);
  return { agent, waitsFor: { name: readName(words, lock), address: lock }, ownedBy, since };
}
