import { expect } from 'vitest';
import type { AwaitedThing } from '../async-wait-suite.ts';
import type { CreateLock, RivalLocks } from '../types.ts';

export type CreatePair = () => RivalLocks;

/** Returns a `create` that always returns a pair. A lock without a rival is its own rival. */
export function pairs(create: CreateLock): CreatePair {
  return () => {
    const created = create();
    return 'rival' in created ? created : { lock: created, rival: created };
  };
}

/** Expects that no agent holds the lock or waits for it. */
export function expectFree({ lock, rival }: RivalLocks): void {
  for (const each of [rival, lock]) {
    expect(each.tryLock()).toBe(true);
    each.unlock();
  }
}

/** Expects that an agent holds the lock. */
export function expectHeld({ rival }: RivalLocks): void {
  expect(rival.tryLock()).toBe(false);
}

/** Returns the lock as an object to wait for: the rival holds the lock until it grants it. */
export function awaited(create: CreatePair): AwaitedThing {
  const { lock, rival } = create();
  rival.lock();
  return { wait: (options) => lock.lockAsync(options), grant: () => rival.unlock() };
}
