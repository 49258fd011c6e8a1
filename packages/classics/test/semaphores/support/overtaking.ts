// Situations in which a later waiter may be served first.

import { setTimeout as sleep } from 'node:timers/promises';
import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { vi } from 'vitest';
import { openAs, secondAgent } from '../../../../core/test/support/second-agent.ts';
import { LightweightSemaphore, MultilaneSemaphore } from '../../../src/index.ts';
import { PrioritySemaphore } from '../../../../semaphores/src/index.ts';
import type { Member } from './members.ts';

/**
 * One agent waits for two permits, and behind it another for one. A permit comes. Returns whether the second agent gets
 * it within `patience` ms.
 */
export async function comesPastOneThatWantsMuch(sem: Member, patience: number): Promise<boolean> {
  const [much, little] = [2, 1].map((permits) => sem.acquireAsync(permits).then(() => permits));
  sem.release();
  const first = await Promise.race([little, sleep(patience, undefined, { ref: false })]);
  sem.release(2);
  await Promise.all([much, little]);
  return first === 1;
}

/** Another agent arrives while one spins, and then a permit comes. */
export async function comesPastASpinner(): Promise<boolean> {
  const arena = Arena.create({ maxPages: 16, policy: { spinMicros: 1000 } });
  const sem = LightweightSemaphore.create(0, { arena });
  const theirs = openAs(secondAgent(arena), sem.handle, (handle) => LightweightSemaphore.from(handle));
  const { parking } = contextOf(arena);
  let another: Promise<boolean> | undefined;
  const spin = vi.spyOn(parking, 'now').mockImplementation(() => {
    if (another !== undefined) return performance.now();
    another = theirs.acquireAsync(1, { timeout: 1000 }).then(
      () => true,
      () => false,
    );
    theirs.release();
    return performance.now();
  });
  const taken = sem.tryAcquire(1, 5);
  spin.mockRestore();
  return (await another) === true && !taken;
}

/** An agent arrives after a token came for another, which has not checked yet. */
export async function comesPastAToken(): Promise<boolean> {
  const arena = Arena.create({ maxPages: 16 });
  const sem = MultilaneSemaphore.create(0, { arena, lanes: 1, inner: 'address' });
  const first = sem.acquireAsync(1, { timeout: 5 }).then(
    () => true,
    () => false,
  );
  sem.release();
  const overtaken = sem.tryAcquire();
  return (await first) !== overtaken && overtaken;
}

/** An agent of a higher priority arrives, and then a permit comes. */
export async function comesPastALowerPriority(): Promise<boolean> {
  const sem = PrioritySemaphore.create(0, { arena: Arena.create({ maxPages: 16 }) });
  const waits = [
    sem.acquireAsync(1, { priority: 0 }).then(() => false),
    sem.acquireAsync(1, { priority: 1 }).then(() => true),
  ];
  sem.release();
  const overtaken = await Promise.race(waits);
  sem.release();
  await Promise.all(waits);
  return overtaken;
}
