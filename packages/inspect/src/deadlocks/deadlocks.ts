// Deadlocks of an arena: the components of its graph of waits.

import type { Arena } from '@sluice/core';
import { chosenArena } from '@sluice/core/internal';
import type { Component } from '../report/graph.ts';
import { deadlocksOf, readGraph, type ReadWait } from '../report/read-graph.ts';
import { onlookerOf } from '../report/reader.ts';
import { SnapshotIndex } from '../report/snapshot-index.ts';

/** One wait of a deadlock. */
export interface DeadlockedWait {
  readonly agent: number;
  /** How messages name the agent, such as "agent 3 (thread 5, resizer)". */
  readonly title: string;
  readonly how: 'blocking' | 'async';
  readonly waitsFor: { readonly kind: string; readonly name: string; readonly address: number };
  /** What the agent waits for at a primitive that no agent holds, such as 'room' or 'values' of a buffer. */
  readonly what?: string;
  /** The agent of the next wait, or of the first. It holds what this agent waits for, or may be the one that ends it. */
  readonly heldBy: number;
  /** ms since 1970, when the wait began. */
  readonly since: number;
  /** ms since then. */
  readonly age: number;
}

/** Agents in a cycle: each waits for the next one. */
export interface Deadlock {
  /**
   * Whether the agents stay blocked for ever, unless a timeout, an abort, a `close` or the end of a thread ends a wait,
   * or an agent releases permits that it does not hold. False: the agents wait for each other, but another agent, or
   * another task of a thread that awaits, may end a wait.
   */
  readonly certain: boolean;
  /** All agents of the deadlock, also those that `waits` does not need. */
  readonly agents: readonly number[];
  /** A shortest cycle of waits through the agent with the lowest number. */
  readonly waits: readonly DeadlockedWait[];
}

/**
 * Finds the agents that wait for each other, the certain deadlocks first.
 *
 * In addition to what `arena.findDeadlock()` finds, it looks at async waits, permits of semaphores, upgrades of
 * read-write locks, the two sides of buffers, and a thread that waits for itself. A deadlock is certain only if all its
 * waits block their threads, and no permit is free, or held by an agent outside, that could end one. Waits with a
 * timeout count.
 *
 * The call takes time in proportion to the blocks and agents of the arena, and to the holdings and waits.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { findDeadlocks } from '@sluice/inspect';
 *
 * const arena = Arena.create();
 * const only = Semaphore.create(1, { arena, name: 'only' });
 * only.acquire();
 * const wait = only.acquireAsync(); // for a permit that this thread holds itself
 * console.log(findDeadlocks(arena).map(({ certain, agents }) => [certain, agents])); // [ [ false, [ 1 ] ] ]
 * only.release();
 * await wait;
 * ```
 *
 * @param arena - Default: the realm's default arena.
 * @throws {TypeError} If `arena` is no arena.
 * @throws {MisuseError} If this thread's agent has left the arena.
 */
export function findDeadlocks(arena?: Arena): Deadlock[] {
  return deadlocksIn(arena);
}

/** Returns the deadlocks as `findDeadlocks` does. The cycle of the deadlock with the agent `first` begins with it. */
export function deadlocksIn(arena: Arena | undefined, first?: number): Deadlock[] {
  const onlooker = onlookerOf(chosenArena(arena));
  const index = new SnapshotIndex(onlooker);
  const graph = readGraph(onlooker, index.dead, index.read);
  const now = onlooker.parking.date();
  return deadlocksOf(graph, first).map((component) => describe(component, index, now));
}

function describe({ certain, agents, cycle }: Component<ReadWait>, index: SnapshotIndex, now: number): Deadlock {
  const waits = cycle.map((wait, at): DeadlockedWait => {
    const { kind, name, address } = index.block(wait.block);
    return {
      agent: wait.agent,
      title: index.agent(wait.agent),
      how: wait.how,
      waitsFor: { kind, name, address },
      ...(wait.end !== undefined && wait.end.what !== '' && { what: wait.end.what }),
      heldBy: cycle[(at + 1) % cycle.length]?.agent ?? wait.agent,
      since: wait.since,
      age: Math.max(0, now - wait.since),
    };
  });
  return { certain, agents, waits };
}
