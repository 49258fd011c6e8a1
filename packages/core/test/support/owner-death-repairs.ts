// Tests `onOwnerDied` of `run` and `runAsync`, and `takeOver`: a part of owner-death-suite.ts.

import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { MisuseError, type RecoveryGuard, type OwnedLock } from '../../src/index.ts';
import { consistencyOf, expectFree, type InspectedKind, type Located, type NewScene } from './owner-death-scene.ts';
import { inherited, type OwnerDeathScene } from './lock-scene.ts';

type OnOwnerDied = (guard: RecoveryGuard) => void;
type Run = (lock: OwnedLock, body: () => unknown, onOwnerDied: OnOwnerDied) => Promise<unknown>;

const RUNS: readonly (readonly [name: string, run: Run])[] = [
  ['run', async (lock, body, onOwnerDied) => Promise.resolve(lock.run(body, { onOwnerDied }))],
  ['runAsync', (lock, body, onOwnerDied) => lock.runAsync(body, { onOwnerDied, ref: false })],
];

const TAKE_OVERS: readonly (readonly [name: string, take: (lock: OwnedLock) => Promise<RecoveryGuard | null>])[] = [
  ['takeOver', async (lock) => Promise.resolve(lock.takeOver())],
  ['takeOverAsync', (lock) => lock.takeOverAsync({ ref: false })],
];

const DIED = { name: 'OwnerDiedError', code: 'SLUICE_OWNER_DIED', guard: undefined };
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (failure: unknown) => failure,
  );

/** Makes the lock unrecoverable: an heir unlocks it without marking it consistent. */
async function ruin<Lock extends OwnedLock, Handle extends Located>(
  scene: OwnerDeathScene<Lock, Handle>,
): Promise<void> {
  await scene.orphan();
  inherited(await scene.outcome(() => scene.join().lock.lock())).release();
}

export function repairing<Lock extends OwnedLock, Handle extends Located>(
  newScene: NewScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): void {
  test.each(RUNS)(
    '%s() calls onOwnerDied with the lock held, and runs its body if that marks the lock consistent',
    async (_, run) => {
      const scene = newScene();
      await scene.orphan();
      const seen: unknown[] = [];
      const heal = (guard: RecoveryGuard): void => {
        seen.push(guard.held, consistencyOf(scene, kind));
        expect(inspect(guard)).toMatch(/^RecoveryGuard \{ held: true, of: .+ \}$/);
        guard.markConsistent();
      };
      const body = (): unknown => [consistencyOf(scene, kind), scene.join().lock.tryLock()];
      expect(await run(scene.first.lock, body, heal)).toEqual(['consistent', false]);
      expect(seen).toEqual([true, 'inherited']);
      const again = vi.fn();
      expect(await run(scene.first.lock, () => 1, again)).toBe(1);
      expect(again).not.toHaveBeenCalled();
      expectFree(scene);
    },
  );

  test('run() with an onOwnerDied that returns a promise handles its rejection', async () => {
    const scene = newScene();
    await scene.orphan();
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const late = async (guard: RecoveryGuard): Promise<void> => {
      await Promise.resolve();
      guard.markConsistent();
    };
    const run = (): number =>
      scene.first.lock.run(() => 1, { onOwnerDied: (guard) => late(guard) as unknown as undefined });
    const failure = await failureOf(Promise.resolve().then(run));
    expect(failure).toBeInstanceOf(MisuseError);
    await expect((failure as MisuseError).cause).rejects.toBeInstanceOf(MisuseError);
    expect(told).toHaveBeenCalledTimes(1);
    told.mockRestore();
    inherited(await scene.outcome(() => scene.join().lock.lock())).markConsistent();
  });

  test('runAsync() accepts an onOwnerDied that is undefined', async () => {
    const { lock } = newScene().first;
    expect(await lock.runAsync(() => 1, { onOwnerDied: undefined, ref: false })).toBe(1);
  });

  test.each(RUNS)(
    '%s() runs no body if onOwnerDied does not mark the lock, and the next owner is told',
    async (_, run) => {
      const scene = newScene();
      await scene.orphan();
      const body = vi.fn();
      expect(await failureOf(run(scene.first.lock, body, () => undefined))).toMatchObject(DIED);
      expect([body.mock.calls.length, consistencyOf(scene, kind)]).toEqual([0, 'orphaned']);
      inherited(await scene.outcome(() => scene.join().lock.lock())).markConsistent();
    },
  );

  test.each(RUNS)(
    '%s() throws the error of onOwnerDied, and the next owner is told unless the lock was repaired',
    async (_, run) => {
      const scene = newScene();
      await scene.orphan();
      const failure = new Error('It cannot be repaired.');
      const fail = (): never => {
        throw failure;
      };
      expect(await failureOf(run(scene.first.lock, vi.fn(), fail))).toBe(failure);
      expect(consistencyOf(scene, kind)).toBe('orphaned');
      const body = vi.fn();
      const healAndFail = (guard: RecoveryGuard): never => {
        guard.markConsistent();
        throw failure;
      };
      expect(await failureOf(run(scene.first.lock, body, healAndFail))).toBe(failure);
      expect([body.mock.calls.length, consistencyOf(scene, kind)]).toEqual([0, 'consistent']);
      expectFree(scene);
    },
  );

  test.each(RUNS)(
    '%s() runs no body if onOwnerDied releases the guard, and unlocks as the guard did',
    async (_, run) => {
      const scene = newScene();
      await scene.orphan();
      const body = vi.fn();
      expect(await failureOf(run(scene.first.lock, body, (guard) => guard.release()))).toMatchObject(DIED);
      expect([body.mock.calls.length, consistencyOf(scene, kind)]).toEqual([0, 'unrecoverable']);
      expect(await failureOf(run(scene.first.lock, body, body))).toMatchObject(DIED);
      expect(body).not.toHaveBeenCalled();
    },
  );

  test.each(RUNS)('the guard of onOwnerDied of %s() is unusable in the body and later', async (_, run) => {
    const scene = newScene();
    await scene.orphan();
    let kept: RecoveryGuard | undefined;
    const heal = (guard: RecoveryGuard): void => {
      kept = guard;
      guard.markConsistent();
    };
    const body = (): boolean => {
      expect(() => kept?.release()).toThrow(MisuseError);
      expect(() => kept?.markConsistent()).toThrow(MisuseError);
      return scene.join().lock.tryLock();
    };
    expect(await run(scene.first.lock, body, heal)).toBe(false);
    expectFree(scene);
  });

  test('run() throws if onOwnerDied returns a promise, and runAsync() holds the lock until it settles', async () => {
    const scene = newScene();
    await scene.orphan();
    const body = (): string => 'ran';
    const late = (async () => Promise.resolve()) as unknown as OnOwnerDied;
    expect(() => scene.first.lock.run(body, { onOwnerDied: late })).toThrow(MisuseError);
    expect(consistencyOf(scene, kind)).toBe('orphaned');
    const heal = async (guard: RecoveryGuard): Promise<void> => {
      await Promise.resolve();
      expect(scene.join().lock.tryLock()).toBe(false);
      guard.markConsistent();
    };
    expect(await scene.first.lock.runAsync(body, { onOwnerDied: heal, ref: false })).toBe('ran');
    expectFree(scene);
  });

  test('a lock is orphaned when its heir dies in onOwnerDied', async () => {
    const scene = newScene();
    await scene.orphan();
    const recoveringOwner = scene.join();
    expect(() => recoveringOwner.lock.run(() => 0, { onOwnerDied: () => recoveringOwner.life.die() })).toThrow('dead');
    scene.first.arena.reclaim(recoveringOwner.context.id);
    expect(inherited(await scene.outcome(() => scene.first.lock.lock())).held).toBe(true);
  });

  test('an onOwnerDied that is no function throws before the lock is taken', async () => {
    const scene = newScene();
    const options = { onOwnerDied: 7 } as never;
    expect(() => scene.first.lock.run(() => 0, options)).toThrow(TypeError);
    await expect(scene.first.lock.runAsync(() => 0, options)).rejects.toThrow(TypeError);
    expectFree(scene);
  });
}

export function takingOver<Lock extends OwnedLock, Handle extends Located>(
  newScene: NewScene<Lock, Handle>,
  kind: InspectedKind<Lock, Handle>,
): void {
  test.each(TAKE_OVERS)('%s() of an unrecoverable lock holds it, and makes it usable again', async (_, take) => {
    const scene = newScene();
    await ruin(scene);
    const guard = await take(scene.first.lock);
    expect([guard?.held, scene.join().lock.tryLock(), consistencyOf(scene, kind)]).toEqual([true, false, 'inherited']);
    guard?.markConsistent();
    guard?.release();
    expect(consistencyOf(scene, kind)).toBe('consistent');
    expect(await scene.outcome(() => scene.join().lock.run(() => 0))).toBe('clean');
    expectFree(scene);
  });

  test.each(TAKE_OVERS)(
    '%s() of an orphaned lock holds it, and of a consistent lock returns without it',
    async (_, take) => {
      const scene = newScene();
      expect(await take(scene.first.lock)).toBe(null);
      expectFree(scene);
      await scene.orphan();
      const guard = await take(scene.first.lock);
      guard?.markConsistent();
      guard?.release();
      expectFree(scene);
    },
  );

  test.each(TAKE_OVERS)('%s() without a repair leaves the lock unrecoverable', async (_, take) => {
    const scene = newScene();
    await ruin(scene);
    (await take(scene.first.lock))?.release();
    expect([consistencyOf(scene, kind), await scene.outcome(() => scene.join().lock.lock())]).toEqual([
      'unrecoverable',
      'refused',
    ]);
  });

  test('one of two simultaneous take-overs gets the lock, and the other waits and finds it repaired', async () => {
    const scene = newScene();
    await ruin(scene);
    const first = scene.first.lock.takeOver();
    const second = scene.join().lock.takeOverAsync({ ref: false });
    first?.markConsistent();
    first?.release();
    await scene.world.settle();
    expect([first === null, await second]).toEqual([false, null]);
    expectFree(scene);
  });

  test('the next owner is told when the agent that takes over dies before it has repaired', async () => {
    const scene = newScene();
    await ruin(scene);
    const recoveringOwner = scene.join();
    expect(recoveringOwner.lock.takeOver()?.held).toBe(true);
    await scene.bury(recoveringOwner);
    const guard = inherited(await scene.outcome(() => scene.first.lock.lock()));
    guard.markConsistent();
    guard.release();
    expectFree(scene);
  });

  test('takeOver() by the owner of the lock throws, since it would wait for itself', () => {
    const scene = newScene();
    scene.first.lock.lock();
    expect(() => scene.first.lock.takeOver()).toThrow(MisuseError);
    scene.first.lock.unlock();
    expectFree(scene);
  });
}
