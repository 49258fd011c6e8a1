// Tests mutexes whose owner dies, in addition to the suite of all owned locks.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { OwnerDeathScene, inherited, type LockKind } from '../../core/test/support/lock-scene.ts';
import { Mutex, RecursiveMutex, type MutexHandle, type RecursiveMutexHandle } from '../src/index.ts';
import './support/kinds.ts';

const RECURSIVE: LockKind<RecursiveMutex, RecursiveMutexHandle> = {
  create(arena) {
    const lock = RecursiveMutex.create({ arena, name: 'scene' });
    return { lock, handle: lock.handle };
  },
  open: (handle) => RecursiveMutex.from(handle),
};

const IN_ORDER: LockKind<Mutex, MutexHandle> = {
  create(arena) {
    const lock = Mutex.create({ arena, name: 'scene', order: 'fifo' });
    return { lock, handle: lock.handle };
  },
  open: (handle) => Mutex.from(handle),
};

test('after an heir that repaired nothing hands the mutex to a waiter, it is unrecoverable', async () => {
  const scene = new OwnerDeathScene(IN_ORDER);
  await scene.orphan();
  const { lock } = scene.first;
  inherited(await scene.outcome(() => lock.lock()));
  const waits = scene.outcome(() => scene.join().lock.lockAsync());
  lock.unlock();
  expect([await waits, lock.inspect().consistency]).toEqual(['refused', 'unrecoverable']);
});

test('the next owner after a death at depth 7 starts at depth 1, and may lock again', async () => {
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

test('a recursive mutex becomes unrecoverable only at the last unlock of an owner that has not marked it consistent', async () => {
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

test('free() succeeds on an orphaned and on an unrecoverable recursive mutex', async () => {
  for (const doubtful of [false, true]) {
    const scene = new OwnerDeathScene(RECURSIVE);
    await scene.orphan();
    if (doubtful) inherited(await scene.outcome(() => scene.first.lock.lock())).release();
    scene.first.lock.free();
    expect(() => scene.first.lock.inspect()).toThrow('was freed');
  }
});

test('a task that locks in the turn in which its agent’s async wait inherits the mutex is told that it was inherited', async () => {
  const scene = new OwnerDeathScene(RECURSIVE);
  await scene.orphan();
  const { lock } = scene.first;
  const nextOwner = scene.outcome(() => lock.lockAsync());
  // This is the same turn. The agent owns the lock and was told of the death, so this task locks it again.
  expect([lock.tryLock(), lock.inspect().consistency]).toEqual([true, 'inherited']);
  lock.unlock();
  const guard = inherited(await nextOwner);
  guard.markConsistent();
  guard.release();
  expect([scene.isFree, lock.inspect().consistency]).toEqual([true, 'consistent']);
});

test('runAsync() that declines a notice has unlocked before another task of the agent locks', async () => {
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

test('every task gets an error for an unrecoverable mutex, even if it calls while another task gets the error', async () => {
  const scene = new OwnerDeathScene(RECURSIVE);
  await scene.orphan();
  const { lock } = scene.first;
  inherited(await scene.outcome(() => lock.lock())).release();
  const first = scene.outcome(() => lock.lockAsync());
  expect([await scene.outcome(() => lock.tryLock()), await first]).toEqual(['refused', 'refused']);
  expect(lock.inspect()).toMatchObject({ owner: 0, depth: 0, consistency: 'unrecoverable' });
});
