// What becomes of a mutex when its owner dies.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ownerDeathSuite } from '../../core/test/support/owner-death-suite.ts';
import { OwnerDeathScene, inherited, type LockKind } from '../../core/test/support/lock-scene.ts';
import { Mutex, RecursiveMutex, type RecursiveMutexHandle } from '../src/index.ts';
import './support/kinds.ts';

ownerDeathSuite('Mutex', {
  create(arena) {
    const lock = Mutex.create({ arena, name: 'scene' });
    return { lock, handle: lock.handle };
  },
  open: (handle) => Mutex.from(handle),
  consistency: (handle) => Mutex.from(handle).inspect().consistency,
});

const RECURSIVE: LockKind<RecursiveMutex, RecursiveMutexHandle> = {
  create(arena) {
    const lock = RecursiveMutex.create({ arena, name: 'scene' });
    return { lock, handle: lock.handle };
  },
  open: (handle) => RecursiveMutex.from(handle),
};

ownerDeathSuite('RecursiveMutex', { ...RECURSIVE, consistency: (handle) => RecursiveMutex.from(handle).inspect().consistency });

test('the heir of an owner that died deep inside a recursive mutex begins at the surface, and may go deep itself', async () => {
  const scene = new OwnerDeathScene(RECURSIVE);
  const owner = scene.join();
  for (let depth = 0; depth < 7; depth++) owner.lock.lock();
  await scene.bury(owner);
  const { lock } = scene.first;
  const guard = inherited(await scene.outcome(() => lock.lock()));
  expect(lock.inspect().depth).toBe(1);
  for (const again of [() => lock.lock(), () => lock.tryLock(), () => lock.lockAsync(), () => lock.hold()]) {
    expect(await scene.outcome(again)).toBe('clean');
  }
  expect(lock.run(() => lock.inspect().depth)).toBe(6);
  expect(await lock.runAsync(() => lock.inspect().depth)).toBe(6);
  for (let depth = 5; depth > 1; depth--) lock.unlock();
  expect(lock.inspect()).toMatchObject({ depth: 1, consistency: 'inherited' });
  guard.markConsistent();
  guard.release();
  expect([scene.isFree, lock.inspect().consistency]).toEqual([true, 'consistent']);
});

test('the heir of a recursive mutex leaves it doubtful only when it unlocks it for the last time', async () => {
  const scene = new OwnerDeathScene(RECURSIVE);
  await scene.orphan();
  const { lock } = scene.first;
  inherited(await scene.outcome(() => lock.lock()));
  lock.lock();
  lock.unlock();
  expect(lock.inspect().consistency).toBe('inherited');
  lock.unlock();
  expect(lock.inspect().consistency).toBe('unrecoverable');
  expect(await scene.outcome(() => scene.join().lock.lock())).toBe('refused');
});

test('a mutex whose owner died can be freed, and so can one that is refused to everybody', async () => {
  for (const doubtful of [false, true]) {
    const scene = new OwnerDeathScene(RECURSIVE);
    await scene.orphan();
    if (doubtful) inherited(await scene.outcome(() => scene.first.lock.lock())).release();
    scene.first.lock.free();
    expect(() => scene.first.lock.inspect()).toThrow('was freed');
  }
});

test('no other task of the agent comes in between the moment that an async wait gets the lock of a dead owner and its notice', async () => {
  const scene = new OwnerDeathScene(RECURSIVE);
  await scene.orphan();
  const { lock } = scene.first;
  const recoveringOwner = scene.outcome(() => lock.lockAsync());
  // In the same turn: the heir has the lock, and was told, so this one is its agent's.
  expect([lock.tryLock(), lock.inspect().consistency]).toEqual([true, 'inherited']);
  lock.unlock();
  const guard = inherited(await recoveringOwner);
  guard.markConsistent();
  guard.release();
  expect([scene.isFree, lock.inspect().consistency]).toEqual([true, 'consistent']);
});

test('runAsync that declines a notice has given the lock back before another task of the agent can use it', async () => {
  const scene = new OwnerDeathScene(RECURSIVE);
  await scene.orphan();
  const { lock } = scene.first;
  const declines = scene.outcome(() => lock.runAsync(() => 'never run'));
  const next = scene.outcome(() => lock.tryLock());
  expect(await declines).toBe('refused');
  const guard = inherited(await next);
  expect(lock.inspect()).toMatchObject({ depth: 1, consistency: 'inherited' });
  guard.markConsistent();
  guard.release();
  expect(scene.isFree).toBe(true);
});

test('a mutex that cannot be used any more is refused to every task, also to one that comes while another is being refused', async () => {
  const scene = new OwnerDeathScene(RECURSIVE);
  await scene.orphan();
  const { lock } = scene.first;
  inherited(await scene.outcome(() => lock.lock())).release();
  const first = scene.outcome(() => lock.lockAsync());
  expect([await scene.outcome(() => lock.tryLock()), await first]).toEqual(['refused', 'refused']);
  expect(lock.inspect()).toMatchObject({ owner: 0, depth: 0, consistency: 'unrecoverable' });
});
