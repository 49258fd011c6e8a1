// Helpers of the stress tests.

import { Region, type Arena, type Semaphore } from '@sluice/core';
import { availableParallelism } from 'node:os';
import { expect } from 'vitest';
import { RELEASED_FOR_OTHERS } from '../../src/kernel/layout.ts';

/** Modules of jobs. */
export const jobs = {
  storm: new URL('../jobs/storm.mjs', import.meta.url),
  line: new URL('../jobs/line.mjs', import.meta.url),
  rest: new URL('../jobs/semaphore.mjs', import.meta.url),
} as const;
/** Permits released by agents that, by their records, had not taken them. */
function releasedForOthersOf({ handle }: Semaphore): bigint {
  return Atomics.load(new BigInt64Array(handle.memory.buffer), (handle.address + RELEASED_FOR_OTHERS) / 8);
}

export const CORES = availableParallelism();

/**
 * Expects that no agent waits, no element of a waiter is left, the permits are those of the beginning, and every agent
 * released what it had acquired itself.
 */
export function expectQuiet(arena: Arena, semaphores: readonly Semaphore[], permits: number): void {
  for (const sem of semaphores) {
    expect(sem.inspect()).toMatchObject({ available: permits, waiters: [], abandoned: 0, holders: [] });
    expect([sem.available, sem.waiting, releasedForOthersOf(sem)]).toEqual([permits, 0, 0n]);
  }
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}

/** Returns the state that a watchdog prints. */
export function dumpOf(arena: Arena, semaphores: readonly Semaphore[]): () => unknown {
  return () => ({ arena: arena.inspect(), semaphores: semaphores.map((sem) => sem.inspect()) });
}

/** Creates words that all agents share. */
export function sharedWords(arena: Arena, count: number): Region {
  return Region.create(4 * count, { arena });
}
