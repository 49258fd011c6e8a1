// The types of the DOM and those of the lock manager go into each other. The compiler checks this file with all others.

import { expect, expectTypeOf, test } from 'vitest';
import { LockManager, type LockInfo, type LockManagerSnapshot } from '../src/index.ts';

/** As `lib.dom.d.ts` of TypeScript 5.2 to 7 declares them. */
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
  let snapshot = await LockManager.create().query();
  snapshot = await query();
  snapshot.held?.push({ name: 'mine' });
  expect(snapshot).toEqual({ held: [{ name: 'mine' }], pending: [] });
});
