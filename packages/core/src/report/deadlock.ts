// Searches for agents that wait for each other in a cycle.

import type { Words } from '../kernel/words.ts';
import { isLockLine, lockAt } from './lock-lines.ts';
import { blockOf } from '../memory/blocks.ts';
import { readName } from '../memory/name.ts';
import { isAdmittedReader, type Reader, type WaitingRecord } from './holders-and-waiters.ts';
import { readWaits, type HeldRecord } from './read-waits.ts';

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
 * first. Returns `undefined` if there is none. Each of the agents was blocked while `readWaits` read all holdings, so the
 * cycle was closed.
 */
export function findCycle(reader: Reader): DeadlockedAgent[] | undefined {
  const { words } = reader;
  const { held, next: nextInLine, waits, wasBlocked } = readWaits(reader);
  const blocked = new Map(
    waits
      .filter((wait) => wasBlocked(wait) && !isAdmittedReader(words, wait))
      .map((wait) => [wait.agent, wait] as const),
  );
  const owners = ownersOfLocks(words, [...held, ...nextInLine]);
  const next = (agent: number): readonly number[] => {
    const wait = blocked.get(agent);
    return wait === undefined ? [] : (owners.get(lockAt(words, wait.address)) ?? []);
  };
  for (const start of blocked.keys()) {
    const cycle = cycleFrom(start, next);
    if (cycle !== undefined)
      return cycle.map((agent, at) => describe(words, blocked.get(agent), cycle[at + 1] ?? start));
  }
  return undefined;
}

/** Follows the owners of awaited locks from an agent. Returns the path if it leads back to that agent. */
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
 * Returns the agents that hold each lock or gate: one owner, all agents that share it, or all agents inside. A waiter
 * there waits until all of them have left.
 */
function ownersOfLocks(words: Words, held: readonly HeldRecord[]): Map<number, number[]> {
  const owners = new Map<number, number[]>();
  for (const { address, agent } of held) {
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
