// What becomes of an owned lock when its owner dies.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import { Guard, RecoveryGuard, MisuseError, OwnerDiedError } from '../src/index.ts';
import { inherited, LockScene, WAYS } from './support/lock-scene.ts';

/** Those that can wait for it. */
const WAITING_WAYS = WAYS.filter(([name]) => name !== 'tryLock()' && name !== 'tryHold()');

test.each(WAYS)('an agent that takes a free lock by %s after its owner died is told of the death and holds the lock', async (_, take) => {
  const scene = new LockScene();
  await scene.orphan();
  const recoveringOwner = scene.join();
  const failure: unknown = await (async () => {
    try {
      return await take(recoveringOwner.lock);
    } catch (failure) {
      return failure;
    }
  })();
  expect(failure).toMatchObject({ name: 'OwnerDiedError', code: 'SLUICE_OWNER_DIED' });
  const { guard } = failure as OwnerDiedError;
  expect(guard).toBeInstanceOf(RecoveryGuard);
  expect(guard).toBeInstanceOf(Guard);
  expect(guard?.held).toBe(true);
  expect(scene.first.lock.tryLock()).toBe(false);
  guard?.markConsistent();
  guard?.release();
  expect([guard?.held, scene.isFree]).toEqual([false, true]);
});

test.each(WAITING_WAYS)('an agent that waits by %s when the owner dies is told of the death and gets the lock', async (_, take) => {
  const scene = new LockScene();
  const [owner, recoveringOwner] = [scene.join(), scene.join()];
  owner.lock.lock();
  let buried: Promise<void> = Promise.resolve();
  const bury = (): void => void (buried = scene.bury(owner));
  recoveringOwner.life.meanwhile.push(bury);
  const outcome = scene.outcome(() => {
    const taken = take(recoveringOwner.lock);
    if (recoveringOwner.life.meanwhile.length > 0) bury();
    return taken;
  });
  const guard = inherited(await outcome);
  await buried;
  expect([guard.held, scene.first.lock.tryLock()]).toEqual([true, false]);
  guard.markConsistent();
  guard.release();
  expect(scene.isFree).toBe(true);
});

test('an heir that marks the lock consistent leaves a lock like any other to those after it', async () => {
  const scene = new LockScene();
  await scene.orphan();
  const guard = inherited(await scene.outcome(() => scene.join().lock.lock()));
  guard.markConsistent();
  guard.release();
  for (const [, take] of WAYS) {
    const owner = scene.join();
    expect(await scene.outcome(() => take(owner.lock))).toBe('clean');
    owner.lock.unlock();
  }
});

test.each(WAYS)('an heir that unlocks without a word leaves a lock that is refused to %s, and not held', async (_, take) => {
  const scene = new LockScene();
  await scene.orphan();
  inherited(await scene.outcome(() => scene.first.lock.lock())).release();
  for (const { lock } of [scene.join(), scene.first, scene.join()]) {
    expect(await scene.outcome(() => take(lock))).toBe('refused');
    expect(() => lock.unlock()).toThrow(MisuseError);
  }
  expect(scene.first.lock.waiting).toBe(0);
});

test('those in line behind an heir that unlocks without a word are refused one after the other', async () => {
  const scene = new LockScene();
  const [owner, ...recoveringOwners] = Array.from({ length: 4 }, () => scene.join());
  if (owner === undefined) throw new Error('no owner');
  owner.lock.lock();
  const outcomes = recoveringOwners.map(({ lock }) => scene.outcome(() => lock.lockAsync({ ref: false })));
  await scene.bury(owner);
  inherited((await outcomes[0]) ?? 'clean').release();
  await scene.world.settle();
  expect(await Promise.all(outcomes.slice(1))).toEqual(['refused', 'refused']);
});

test('when the heir dies the one after it is told in its turn', async () => {
  const scene = new LockScene();
  await scene.orphan();
  for (let recoveringOwner = scene.join(), count = 0; count < 3; recoveringOwner = scene.join(), count++) {
    expect(inherited(await scene.outcome(() => recoveringOwner.lock.lock())).held).toBe(true);
    await scene.bury(recoveringOwner);
  }
  const guard = inherited(await scene.outcome(() => scene.first.lock.tryLock()));
  guard.markConsistent();
  guard.release();
  expect(scene.isFree).toBe(true);
});

test('when the heir dies after it has marked the lock consistent the one after it is told of that death', async () => {
  const scene = new LockScene();
  await scene.orphan();
  const recoveringOwner = scene.join();
  inherited(await scene.outcome(() => recoveringOwner.lock.lock())).markConsistent();
  await scene.bury(recoveringOwner);
  expect(inherited(await scene.outcome(() => scene.first.lock.lock())).held).toBe(true);
});

test('if a waiter dies after it was granted the lock and before it noticed, the next owner is told of no death', async () => {
  const scene = new LockScene();
  const [granted, next] = [scene.join(), scene.join()];
  scene.first.lock.lock();
  granted.lock.lockAsync({ ref: false }).catch(() => undefined);
  const outcome = scene.outcome(() => next.lock.lockAsync({ ref: false }));
  scene.first.lock.unlock();
  await scene.bury(granted);
  expect(await outcome).toBe('clean');
  next.lock.unlock();
  expect(scene.isFree).toBe(true);
});

test('when an agent dies that inherited the lock and had not looked, the notice goes to the next', async () => {
  const scene = new LockScene();
  const [owner, granted, next] = [scene.join(), scene.join(), scene.join()];
  owner.lock.lock();
  granted.lock.lockAsync({ ref: false }).catch(() => undefined);
  const outcome = scene.outcome(() => next.lock.lockAsync({ ref: false }));
  owner.life.die();
  granted.life.die();
  expect(scene.first.arena.reclaimDead()).toHaveLength(2);
  expect(inherited(await outcome).held).toBe(true);
});

test('an agent that dies in line takes nothing with it', async () => {
  const scene = new LockScene();
  const [gone, next] = [scene.join(), scene.join()];
  scene.first.lock.lock();
  gone.lock.lockAsync({ ref: false }).catch(() => undefined);
  const outcome = scene.outcome(() => next.lock.lockAsync({ ref: false }));
  await scene.bury(gone);
  scene.first.lock.unlock();
  expect(await outcome).toBe('clean');
});

test('those in line when the owner dies get the lock in the order in which they came, and the first one is told', async () => {
  const scene = new LockScene();
  const owner = scene.join();
  owner.lock.lock();
  const order: string[] = [];
  const recoveringOwners = ['first', 'second', 'third'].map((name) => ({ name, ...scene.join() }));
  for (const { name, lock } of recoveringOwners) {
    lock.lockAsync({ ref: false }).then(
      () => {
        order.push(`${name} got it`);
        lock.unlock();
      },
      (failure: unknown) => {
        if (!(failure instanceof OwnerDiedError)) throw failure;
        order.push(`${name} inherited it`);
        failure.guard?.markConsistent();
        failure.guard?.release();
      },
    );
  }
  await scene.bury(owner);
  expect(order).toEqual(['first inherited it', 'second got it', 'third got it']);
});
