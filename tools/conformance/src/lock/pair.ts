import { expect } from 'vitest';
import type { AwaitedThing } from '../async-wait-suite.ts';
import type { CreateLock, RivalLocks } from '../types.ts';

export type CreatePair = () => RivalLocks;

/** As `create`; a lock alone is its own rival. */
export function pairs(create: CreateLock): CreatePair {
  return () => {
    const created = create();
    return 'rival' in created ? created : { lock: created, rival: created };
  };
}

/** No agent holds the lock or waits for it. */
export function expectFree({ lock, rival }: RivalLocks): void {
  for (const each of [rival, lock]) {
    expect(each.tryLock()).toBe(true);
    each.unlock();
  }
}

/** An agent holds the lock. */
export function expectHeld({ rival }: RivalLocks): void {
  expect(rival.tryLock()).toBe(false);
}

/** The lock, held by its rival until that grants it. */
export function awaited(create: CreatePair): AwaitedThing {
  const { lock, rival } = create();
  rival.lock();
  return { wait: (options) => lock.lockAsync(options), grant: () => rival.unlock() };
}
