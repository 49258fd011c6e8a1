// Tests a write lock whose owner dies, with the suite of all owned locks. Readers: rw-recovery.test.ts.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ownerDeathSuite } from '../../core/test/support/owner-death-suite.ts';
import { OwnerDeathScene, inherited, type LockKind } from '../../core/test/support/lock-scene.ts';
import { RwLock, type RwLockHandle, type WriterLock } from '../src/index.ts';
import './support/kinds.ts';

/** The instance of the first agent of each scene. */
const created: RwLock[] = [];

const WRITER: LockKind<WriterLock, RwLockHandle> = {
  create(arena) {
    const lock = RwLock.create({ arena, name: 'scene' });
    created.push(lock);
    return { lock: lock.writer, handle: lock.handle };
  },
  open: (handle) => RwLock.from(handle).writer,
};

ownerDeathSuite('RwLock.writer', { ...WRITER, consistency: (handle) => RwLock.from(handle).inspect().consistency });

test('downgrade() by another task throws if the agent’s async waiter inherited the lock and has not run yet', async () => {
  const scene = new OwnerDeathScene(WRITER);
  await scene.orphan();
  const lock = created.at(-1);
  if (lock === undefined) throw new Error('no lock');
  const recoveringOwner = scene.outcome(() => scene.first.lock.lockAsync());
  expect(() => {
    lock.downgrade();
  }).toThrow('mark it consistent');
  const guard = inherited(await recoveringOwner);
  guard.markConsistent();
  lock.downgrade();
  expect(lock.inspect()).toMatchObject({ writer: 0, readers: [{ times: 1 }], consistency: 'consistent' });
  lock.reader.unlock();
});
