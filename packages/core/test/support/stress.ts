// What the stress tests share.

import { Region, type Arena, type Semaphore } from '@sluice/core';
import { availableParallelism } from 'node:os';
import { expect } from 'vitest';

export const jobs = new URL('../jobs/semaphore.mjs', import.meta.url);
export const CORES = availableParallelism();

/** Nobody waits, nothing of a waiter is left, and the permits are those of the beginning. */
export function expectQuiet(arena: Arena, semaphores: readonly Semaphore[], permits: number): void {
  for (const sem of semaphores) {
    expect(sem.inspect()).toMatchObject({ available: permits, waiters: [], abandoned: 0, holders: [] });
    expect([sem.available, sem.waiting]).toEqual([permits, 0]);
  }
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}

/** What a watchdog shows. */
export function dumpOf(arena: Arena, semaphores: readonly Semaphore[]): () => unknown {
  return () => ({ arena: arena.inspect(), semaphores: semaphores.map((sem) => sem.inspect()) });
}

/** Words that all agents see. */
export function sharedWords(arena: Arena, count: number): Region {
  return Region.create(4 * count, { arena });
}
