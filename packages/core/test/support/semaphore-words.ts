// Internals that tests may use: the addresses of a semaphore's words, and a way to move its counters.

import { contextOf } from '../../src/arena/arena.ts';
import type { AgentContext } from '../../src/agent/agent-context.ts';
import { Arena, type Semaphore } from '../../src/index.ts';
import { GRANT, TICKET } from '../../src/kernel/layout.ts';

/** The values at which counters wrap. Tests begin just below them. */
export const EDGES: readonly (readonly [name: string, edge: bigint])[] = [
  ['2^31', 2n ** 31n],
  ['2^32', 2n ** 32n],
  ['2^53', 2n ** 53n],
  ['2^63', 2n ** 63n],
];

/** Returns this agent's context in the arena of the semaphore. */
export function contextOfSemaphore(sem: Semaphore): AgentContext {
  const { kind: _, address: __, tag: ___, ...handle } = sem.handle;
  return contextOf(Arena.from({ ...handle, kind: 'sluice.arena' }));
}

/** Moves the counters of a semaphore that no agent uses yet to `ticket`, with the same permits free. */
export function setTicket(sem: Semaphore, ticket: bigint): void {
  const { words } = contextOfSemaphore(sem);
  const permits = BigInt(sem.available);
  words.store64(sem.handle.address + TICKET, BigInt.asIntN(64, ticket));
  words.store64(sem.handle.address + GRANT, BigInt.asIntN(64, ticket + permits));
}
