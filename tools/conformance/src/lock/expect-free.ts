import { expect } from 'vitest';
import type { ConformingLock } from '../types.ts';

/** Nobody holds the lock and nobody waits for it. */
export function expectFree(lock: ConformingLock): void {
  expect(lock.tryLock()).toBe(true);
  lock.unlock();
}
