// Tests the rules of owned locks on the simplest one: which agent may call which method. Deaths of owners:
// owned-lock-owner-death.test.ts.

import { expect, test, vi } from 'vitest';
import './support/crash-injection.ts';
import { MisuseError, OwnerDiedError } from '../src/index.ts';
import { inherited, LockScene, type Owner } from './support/lock-scene.ts';

type Lock = Owner['lock'];

test('unlock() by an agent that is not the owner throws and changes nothing', () => {
  const scene = new LockScene();
  const owner = scene.join();
  expect(() => scene.first.lock.unlock()).toThrow(MisuseError);
  owner.lock.lock();
  expect(() => scene.first.lock.unlock()).toThrow(/cannot be unlocked: this agent \(agent \d+\) does not own it\./);
  expect(scene.first.lock.tryLock()).toBe(false);
  owner.lock.unlock();
  expect(() => owner.lock.unlock()).toThrow(MisuseError);
  expect(scene.isFree).toBe(true);
});

test('lock() by the owner throws, and the owner still owns the lock', () => {
  const scene = new LockScene();
  scene.first.lock.lock();
  for (const again of [
    () => scene.first.lock.lock(),
    () => scene.first.lock.hold(),
    () => scene.first.lock.tryLock(Infinity),
  ]) {
    expect(again).toThrow(/is owned by this agent \(agent \d+\) already, so the call would never return\./);
  }
  expect(() => scene.first.lock.run(() => 0)).toThrow(MisuseError);
  scene.first.lock.unlock();
  expect(scene.isFree).toBe(true);
});

test('tryLock() by the owner returns false, with or without a timeout', () => {
  const scene = new LockScene();
  scene.first.lock.lock();
  expect([scene.first.lock.tryLock(), scene.first.lock.tryLock(5), scene.first.lock.tryHold()]).toEqual([
    false,
    false,
    null,
  ]);
  scene.first.lock.unlock();
  expect([scene.isFree, scene.first.lock.waiting]).toEqual([true, 0]);
});

test('tasks of one agent queue like agents', async () => {
  const scene = new LockScene();
  const order: number[] = [];
  const tasks = [1, 2, 3].map((task) => scene.first.lock.runAsync(() => order.push(task), { ref: false }));
  await scene.world.settle();
  await Promise.all(tasks);
  expect(order).toEqual([1, 2, 3]);
  expect(scene.isFree).toBe(true);
});

test('markConsistent() throws unless the caller owns a lock that it inherited from a dead owner', async () => {
  const scene = new LockScene();
  expect(() => scene.first.lock.markConsistent()).toThrow(
    /cannot be marked consistent: this agent \(agent \d+\) does not own it\./,
  );
  scene.first.lock.lock();
  expect(() => scene.first.lock.markConsistent()).toThrow('was not inherited');
  scene.first.lock.unlock();
  await scene.orphan();
  expect(() => scene.first.lock.markConsistent()).toThrow(MisuseError);
  const recoveringOwner = scene.join();
  const guard = inherited(await scene.outcome(() => recoveringOwner.lock.lock()));
  expect(() => scene.first.lock.markConsistent()).toThrow(MisuseError);
  guard.markConsistent();
  expect(() => guard.markConsistent()).toThrow(MisuseError);
  guard.release();
  expect(scene.isFree).toBe(true);
});

test('release() of a guard throws after unlock() by hand, and changes nothing', () => {
  const scene = new LockScene();
  const guard = scene.first.lock.hold();
  scene.first.lock.unlock();
  expect(() => guard.release()).toThrow(MisuseError);
  expect(scene.isFree).toBe(true);
});

test.each([
  ['run', (lock: Lock, body: () => number) => lock.run(body)],
  ['runAsync', (lock: Lock, body: () => number) => lock.runAsync(body, { ref: false })],
] as const)(
  '%s of an orphaned lock calls no body, and leaves the lock and the notice to the next owner',
  async (_, run) => {
    const scene = new LockScene();
    await scene.orphan();
    const body = vi.fn(() => 0);
    for (let time = 0; time < 2; time++) {
      const failure: unknown = await Promise.resolve()
        .then(() => run(scene.first.lock, body))
        .catch((failure: unknown) => failure);
      expect(failure).toMatchObject({ code: 'SLUICE_OWNER_DIED', guard: undefined });
      expect((failure as Error).message).toContain('The body was not called; the lock is free.');
    }
    expect(body).not.toHaveBeenCalled();
    const guard = inherited(await scene.outcome(() => scene.join().lock.lock()));
    guard.markConsistent();
    guard.release();
    expect(await run(scene.first.lock, body)).toBe(0);
  },
);

test('run() and runAsync() of an unrecoverable lock throw without running the body', async () => {
  const scene = new LockScene();
  await scene.orphan();
  inherited(await scene.outcome(() => scene.first.lock.lock())).release();
  const body = vi.fn<() => void>();
  expect(() => scene.first.lock.run(body)).toThrow('refused until an agent repairs');
  await expect(scene.first.lock.runAsync(body, { ref: false })).rejects.toThrow('refused until an agent repairs');
  expect(body).not.toHaveBeenCalled();
});

test('a lock is orphaned when its owner dies within the body', async () => {
  const scene = new LockScene();
  const owner = scene.join();
  expect(() =>
    owner.lock.run(() => {
      owner.life.die();
    }),
  ).toThrow('dead');
  scene.first.arena.reclaim(owner.context.id);
  expect(inherited(await scene.outcome(() => scene.first.lock.lock())).held).toBe(true);
});

test('run() throws the error of its body and unlocks', () => {
  const scene = new LockScene();
  expect(() =>
    scene.first.lock.run(() => {
      throw new OwnerDiedError('of another lock');
    }),
  ).toThrow('of another lock');
  expect(scene.isFree).toBe(true);
});

test('unlock() by another task takes the lock from a task that was just granted it, and damages nothing', async () => {
  const scene = new LockScene();
  await scene.orphan();
  const { lock } = scene.join();
  const outcome = scene.outcome(() => lock.runAsync(() => 0, { ref: false }));
  lock.unlock();
  expect(await outcome).toBe('refused');
  inherited(await scene.outcome(() => scene.first.lock.lock())).release();
  const again = scene.outcome(() => lock.lockAsync({ ref: false }));
  lock.unlock();
  expect(await again).toBe('refused');
  expect(scene.first.lock.waiting).toBe(0);
});
