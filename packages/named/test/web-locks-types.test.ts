// Tests that the types of the DOM and of the lock manager are assignable to each other. The compiler makes this check.

import { expect, expectTypeOf, test } from 'vitest';
import { LockManager, type LockInfo, type LockManagerSnapshot } from '../src/index.ts';

/** The declarations of `lib.dom.d.ts` in TypeScript 5.2 to 7. */
interface DomLockInfo {
  clientId?: string;
  mode?: 'exclusive' | 'shared';
  name?: string;
}

interface DomLockManagerSnapshot {
  held?: DomLockInfo[];
  pending?: DomLockInfo[];
}

test('query() has the types of the DOM', async () => {
  expectTypeOf<LockInfo>().toEqualTypeOf<DomLockInfo>();
  expectTypeOf<LockManagerSnapshot>().toEqualTypeOf<DomLockManagerSnapshot>();
  const query: () => Promise<DomLockManagerSnapshot> = () => LockManager.create().query();
  const snapshots = [await LockManager.create().query()];
  snapshots.push(await query());
  const [snapshot = {}] = snapshots;
  snapshot.held?.push({ name: 'mine' });
  expect(snapshot).toEqual({ held: [{ name: 'mine' }], pending: [] });
});
