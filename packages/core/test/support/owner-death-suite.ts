// Tests an owned lock whose owner dies: one suite for all owned locks.

import { describe, expect, test, vi } from 'vitest';
import {
  Guard,
  RecoveryGuard,
  MisuseError,
  type OwnedLock,
  type OwnerDiedError,
  type ReclaimReport,
} from '../../src/index.ts';
import { inLine, unseen } from './owner-death-lines.ts';
import { repairing, takingOver } from './owner-death-repairs.ts';
import { consistencyOf, expectFree, type InspectedKind, type Located, type NewScene } from './owner-death-scene.ts';
import { OwnerDeathScene, inherited, WAYS } from './lock-scene.ts';

/** The ways that can wait for the lock. */
const WAITING_WAYS = WAYS.filter(([name]) => name !== 'tryLock()' && name !== 'tryHold()');
const RUNS: readonly (readonly [name: string, run: (lock: OwnedLock, body: () => number) => unknown])[] = [
  ['run', (lock, body) => lock.run(body)],
  ['runAsync', (lock, body) => lock.runAsync(body, { ref: false })],
];
const ENGINES = ['wasm', 'js'] as const;

export function ownerDeathSuite<Lock extends OwnedLock, Handle extends Located>(
  name: string,
  kind: InspectedKind<Lock, Handle>,
): void {
  describe.each(ENGINES)(`${name} after the death of its owner (%s)`, (engine) => {
    const newScene = (): OwnerDeathScene<Lock, Handle> => new OwnerDeathScene(kind, engine);
    taken(newScene, kind);
    doubtful(newScene, kind);
    inLine(newScene, kind);
    unseen(newScene, kind);
    running(newScene, kind);
    repairing(newScene, kind);
    takingOver(newScene, kind);
  });
}

function taken<Lock extends OwnedLock, Handle extends Located>(
  newScene: NewScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): void {
  test.each(WAYS)('an agent that takes the lock by %s is told of the death and holds it', async (_, take) => {
    const scene = newScene();
    await scene.orphan();
    expect(consistencyOf(scene, kind)).toBe('orphaned');
    const recoveringOwner = scene.join();
    const failure: unknown = await Promise.resolve()
      .then(() => take(recoveringOwner.lock))
      .catch((failure: unknown) => failure);
    expect(failure).toMatchObject({ name: 'OwnerDiedError', code: 'SLUICE_OWNER_DIED' });
    const { guard } = failure as OwnerDiedError;
    expect(guard).toBeInstanceOf(RecoveryGuard);
    expect(guard).toBeInstanceOf(Guard);
    expect([guard?.held, scene.first.lock.tryLock(), consistencyOf(scene, kind)]).toEqual([true, false, 'inherited']);
    guard?.markConsistent();
    expect(consistencyOf(scene, kind)).toBe('consistent');
    guard?.release();
    expect(guard?.held).toBe(false);
    expectFree(scene);
  });

  test.each(WAITING_WAYS)(
    'an agent that waits by %s when the owner dies is told of the death and gets the lock',
    async (_, take) => {
      const scene = newScene();
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
      expectFree(scene);
    },
  );

  test('the report of the recovery names the lock', () => {
    const scene = newScene();
    const owner = scene.join();
    owner.lock.lock();
    owner.life.die();
    const report: Partial<ReclaimReport> = scene.first.arena.reclaim(owner.context.id);
    expect(report).toMatchObject({
      locksOrphaned: [{ name: 'scene', address: scene.handle.address }],
      permits: [],
      ticketsWithdrawn: 0,
    });
  });

  test('after an heir has marked the lock consistent, later owners get no notice', async () => {
    const scene = newScene();
    await scene.orphan();
    const guard = inherited(await scene.outcome(() => scene.join().lock.lock()));
    guard.markConsistent();
    guard.release();
    for (const [, take] of WAYS) {
      const owner = scene.join();
      expect(await scene.outcome(() => take(owner.lock))).toBe('clean');
      owner.lock.unlock();
    }
    expectFree(scene);
  });

  test('markConsistent() works once, and only for the heir that holds the lock', async () => {
    const scene = newScene();
    const { lock } = scene.first;
    expect(() => lock.markConsistent()).toThrow('cannot be marked consistent: this agent');
    lock.lock();
    expect(() => lock.markConsistent()).toThrow('was not inherited');
    lock.unlock();
    await scene.orphan();
    expect(() => lock.markConsistent()).toThrow(MisuseError);
    const recoveringOwner = scene.join();
    const guard = inherited(await scene.outcome(() => recoveringOwner.lock.lock()));
    expect(() => lock.markConsistent()).toThrow(MisuseError);
    recoveringOwner.lock.markConsistent();
    expect(() => guard.markConsistent()).toThrow(MisuseError);
    guard.release();
    expectFree(scene);
  });

  test('when the heir dies the next owner is told, whether the heir had marked the lock consistent or not', async () => {
    const scene = newScene();
    await scene.orphan();
    for (const marks of [false, true, false]) {
      const recoveringOwner = scene.join();
      const guard = inherited(await scene.outcome(() => recoveringOwner.lock.lock()));
      if (marks) guard.markConsistent();
      await scene.bury(recoveringOwner);
      expect(consistencyOf(scene, kind)).toBe('orphaned');
    }
    const guard = inherited(await scene.outcome(() => scene.first.lock.tryLock()));
    guard.markConsistent();
    guard.release();
    expectFree(scene);
  });
}

function doubtful<Lock extends OwnedLock, Handle extends Located>(
  newScene: NewScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): void {
  test.each([...WAYS, ...RUNS.map(([name, run]) => [name, (lock: OwnedLock) => run(lock, () => 0)] as const)])(
    'when the heir unlocks without marking the lock consistent, %s throws for every agent, and no agent holds the lock',
    async (_, take) => {
      const scene = newScene();
      await scene.orphan();
      inherited(await scene.outcome(() => scene.first.lock.lock())).release();
      expect(consistencyOf(scene, kind)).toBe('unrecoverable');
      for (const { lock } of [scene.join(), scene.first, scene.join()]) {
        expect(await scene.outcome(() => take(lock))).toBe('refused');
        expect(() => lock.unlock()).toThrow(MisuseError);
      }
      expect(consistencyOf(scene, kind)).toBe('unrecoverable');
    },
  );

  test('the death of an agent that would have got an error changes nothing for the waiters after it', async () => {
    const scene = newScene();
    await scene.orphan();
    const guard = inherited(await scene.outcome(() => scene.first.lock.lock()));
    const next = scene.join();
    next.lock.lockAsync({ ref: false }).catch(() => undefined);
    guard.release();
    await scene.bury(next);
    const outcome = await scene.outcome(() => scene.join().lock.lock());
    expect([consistencyOf(scene, kind), outcome]).toEqual(['unrecoverable', 'refused']);
  });
}

function running<Lock extends OwnedLock, Handle extends Located>(
  newScene: NewScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): void {
  test.each(RUNS)('%s runs no body, and leaves the lock and the notice to the next owner', async (_, run) => {
    const scene = newScene();
    await scene.orphan();
    const body = vi.fn(() => 0);
    for (let time = 0; time < 2; time++) {
      const failure: unknown = await Promise.resolve()
        .then(() => run(scene.first.lock, body))
        .catch((failure: unknown) => failure);
      expect(failure).toMatchObject({ code: 'SLUICE_OWNER_DIED', guard: undefined });
      expect((failure as Error).message).toContain('The body was not called; the lock is free.');
      expect(consistencyOf(scene, kind)).toBe('orphaned');
    }
    expect(body).not.toHaveBeenCalled();
    const guard = inherited(await scene.outcome(() => scene.join().lock.lock()));
    guard.markConsistent();
    guard.release();
    expect(await run(scene.first.lock, body)).toBe(0);
    expectFree(scene);
  });

  test('a lock is orphaned when its owner dies within the body', async () => {
    const scene = newScene();
    const owner = scene.join();
    expect(() => owner.lock.run(() => owner.life.die())).toThrow('dead');
    scene.first.arena.reclaim(owner.context.id);
    expect(inherited(await scene.outcome(() => scene.first.lock.lock())).held).toBe(true);
  });
}
