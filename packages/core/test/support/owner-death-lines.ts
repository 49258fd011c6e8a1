// Tests the waiters of an owned lock when agents die: a part of owner-death-suite.ts.

import { expect, test } from 'vitest';
import { OwnerDiedError, type OwnedLock } from '../../src/index.ts';
import {
  consistencyOf,
  expectFree,
  standInLine,
  type InspectedKind,
  type Located,
  type NewScene,
} from './owner-death-scene.ts';
import { inherited } from './lock-scene.ts';

export function inLine<Lock extends OwnedLock, Handle extends Located>(
  newScene: NewScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): void {
  test('waiters behind an heir that unlocks without marking the lock consistent get errors, one after the other', async () => {
    const scene = newScene();
    const [owner, ...recoveringOwners] = Array.from({ length: 4 }, () => scene.join());
    owner?.lock.lock();
    const outcomes = standInLine(kind, recoveringOwners, ({ lock }) =>
      scene.outcome(() => lock.lockAsync({ ref: false })),
    );
    if (owner !== undefined) await scene.bury(owner);
    inherited((await outcomes[0]) ?? 'clean').release();
    await scene.world.settle();
    expect(await Promise.all(outcomes.slice(1))).toEqual(['refused', 'refused']);
    expect(consistencyOf(scene, kind)).toBe('unrecoverable');
  });

  test('the waiters of a dead owner get the lock in its order, and the first one is told', async () => {
    const scene = newScene();
    const owner = scene.join();
    owner.lock.lock();
    const order: string[] = [];
    const recoveringOwners = ['first', 'second', 'third'].map((recoveringOwner) => ({
      recoveringOwner,
      ...scene.join(),
    }));
    void standInLine(kind, recoveringOwners, ({ recoveringOwner, lock }) =>
      lock.lockAsync({ ref: false }).then(
        () => {
          order.push(`${recoveringOwner} got it`);
          lock.unlock();
        },
        (failure: unknown) => {
          if (!(failure instanceof OwnerDiedError)) throw failure;
          order.push(`${recoveringOwner} inherited it`);
          failure.guard?.markConsistent();
          failure.guard?.release();
        },
      ),
    );
    await scene.bury(owner);
    expect(order).toEqual(['first inherited it', 'second got it', 'third got it']);
    expectFree(scene);
  });

  test('an agent that dies in line takes nothing with it, wherever it is', async () => {
    for (const index of [0, 1, 2]) {
      const scene = newScene();
      const waiters = [0, 1, 2].map(() => scene.join());
      scene.first.lock.lock();
      const outcomes = standInLine(kind, waiters, ({ lock }) => scene.outcome(() => lock.lockAsync({ ref: false })));
      const gone = waiters[index];
      gone?.life.die();
      const report = scene.first.arena.reclaim(gone?.context.id ?? 0);
      expect(report).toMatchObject({ ticketsWithdrawn: 1, locksOrphaned: [], permits: [] });
      scene.first.lock.unlock();
      for (const [at, { lock }] of waiters.entries()) {
        if (at === index) continue;
        await scene.world.settle();
        expect(await outcomes[at]).toBe('clean');
        lock.unlock();
      }
      await scene.world.settle();
      expectFree(scene);
    }
  });

  test('the waits of a dead owner in the same line are cancelled with it', async () => {
    const scene = newScene();
    const [owner, next] = [scene.join(), scene.join()];
    await owner.lock.lockAsync({ ref: false });
    owner.lock.lockAsync({ ref: false }).catch(() => undefined);
    const outcome = scene.outcome(() => next.lock.lockAsync({ ref: false }));
    owner.life.die();
    expect(scene.first.arena.reclaim(owner.context.id)).toMatchObject({ locksOrphaned: [{}] });
    await scene.world.settle();
    const guard = inherited(await outcome);
    guard.markConsistent();
    guard.release();
    expectFree(scene);
  });
}

export function unseen<Lock extends OwnedLock, Handle extends Located>(
  newScene: NewScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): void {
  test('if a waiter dies after it was granted the lock and before it noticed, the next owner is told of no death', async () => {
    const scene = newScene();
    const [granted, next] = [scene.join(), scene.join()];
    scene.first.lock.lock();
    const [, outcome] = standInLine(kind, [granted, next], ({ lock }) =>
      scene.outcome(() => lock.lockAsync({ ref: false })),
    );
    scene.first.lock.unlock();
    granted.life.die();
    expect(scene.first.arena.reclaim(granted.context.id)).toMatchObject({
      ticketsWithdrawn: 1,
      locksOrphaned: [],
      permits: [],
    });
    await scene.world.settle();
    expect(await outcome).toBe('clean');
    next.lock.unlock();
    expectFree(scene);
  });

  test('the same without a waiter behind it: the next agent to lock is told of no death', async () => {
    const scene = newScene();
    const granted = scene.join();
    scene.first.lock.lock();
    granted.lock.lockAsync({ ref: false }).catch(() => undefined);
    scene.first.lock.unlock();
    await scene.bury(granted);
    expect(await scene.outcome(() => scene.join().lock.tryLock())).toBe('clean');
  });

  test('when an agent dies that inherited the lock and had not seen it, the next owner gets the notice', async () => {
    const scene = newScene();
    const [owner, granted, next] = [scene.join(), scene.join(), scene.join()];
    owner.lock.lock();
    const [, outcome] = standInLine(kind, [granted, next], ({ lock }) =>
      scene.outcome(() => lock.lockAsync({ ref: false })),
    );
    owner.life.die();
    granted.life.die();
    expect(scene.first.arena.reclaimDead()).toHaveLength(2);
    expect(inherited((await outcome) ?? 'clean').held).toBe(true);
  });
}
