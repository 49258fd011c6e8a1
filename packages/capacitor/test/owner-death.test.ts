// The owner of the inner lock dies. Its heir learns of the death through the capacitor lock, and departs as any other
// owner.

import { Guard, RecoveryGuard, MisuseError, type OwnerDiedOptions } from '@sluice/core';
import { describe, expect, test, vi } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import type { CapacitorLock, CapacitorLockOptions } from '../src/index.ts';
import { LIFO, MUTEX, RECURSIVE, TICKET, TTS, type InnerKind } from './support/inner-kinds.ts';
import { inherited, Scene } from './support/scene.ts';

const WAYS: readonly (readonly [way: string, take: (lock: CapacitorLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(5)', (lock) => lock.tryLock(5)],
  ['lockAsync()', (lock) => lock.lockAsync({ ref: false })],
  ['hold()', (lock) => lock.hold()],
  ['tryHold()', (lock) => lock.tryHold()],
  ['holdAsync()', (lock) => lock.holdAsync({ ref: false })],
];
const RUNS: readonly (readonly [way: string, run: (lock: CapacitorLock, body: () => number) => unknown])[] = [
  ['run', (lock, body) => lock.run(body)],
  ['runAsync', (lock, body) => lock.runAsync(body, { ref: false })],
];

const CASES: readonly (readonly [name: string, kind: InnerKind, options: CapacitorLockOptions])[] = [
  ['Mutex behind B = 1', MUTEX, { bypassLimit: 1 }],
  ['TtsLock behind B = 3', TTS, { bypassLimit: 3 }],
  ['LifoLock behind a turnstile', LIFO, { bypassLimit: 'adaptive' }],
  ['TicketLock behind lanes', TICKET, { bypassLimit: 2, lanes: 2 }],
  ['RecursiveMutex behind random lanes', RECURSIVE, { bypassLimit: 2, lanes: { count: 2, order: 'random' } }],
  ['Mutex, around', MUTEX, { fraction: 1 }],
  ['Mutex, skipping', MUTEX, { bypassLimit: 1, skipWhenUncontended: true }],
];

describe.each(CASES)('%s, after the death of its owner', (_, kind, options) => {
  const newScene = (engine: 'wasm' | 'js' = 'wasm'): Scene => new Scene({ kind, engine, ...options });

  test.each(WAYS)(
    'an agent that acquires it by %s learns of the death, holds the lock, and departs with its guard',
    async (_way, take) => {
      for (const engine of ['wasm', 'js'] as const) {
        const scene = newScene(engine);
        await scene.orphan();
        const recoveringOwner = scene.join();
        const guard = inherited(await scene.outcome(() => take(recoveringOwner.lock)));
        expect([
          guard instanceof RecoveryGuard,
          guard instanceof Guard,
          guard.held,
          recoveringOwner.lock.owned,
        ]).toEqual([true, true, true, true]);
        expect(scene.first.lock.tryLock()).toBe(false);
        guard.markConsistent();
        guard.release();
        expect([guard.held, recoveringOwner.lock.owned]).toEqual([false, false]);
        scene.expectAtRest();
      }
    },
  );

  test.each(WAYS)(
    'if the heir unlocks it without markConsistent(), %s throws, and no agent stays inside',
    async (_way, take) => {
      const scene = newScene();
      await scene.orphan();
      inherited(await scene.outcome(() => scene.first.lock.lock())).release();
      for (let round = 0; round < 3; round++) {
        for (const { lock } of [scene.join(), scene.first]) {
          expect(await scene.outcome(() => take(lock))).toBe('refused');
          expect(lock.owned).toBe(false);
          expect(() => lock.unlock()).toThrow(MisuseError);
        }
      }
      expect(scene.first.lock.inspect()).toMatchObject({ through: 0, around: 0 });
      scene.first.lock.free();
    },
  );

  test.each(RUNS)(
    '%s runs nothing, departs, and leaves the lock and the notice to the next agent',
    async (_way, run) => {
      const scene = newScene();
      await scene.orphan();
      const body = vi.fn(() => 0);
      for (let round = 0; round < 3; round++) {
        expect(await scene.outcome(() => run(scene.first.lock, body))).toBe('refused');
        expect(scene.first.lock.owned).toBe(false);
      }
      expect(body).not.toHaveBeenCalled();
      const guard = inherited(await scene.outcome(() => scene.join().lock.lock()));
      guard.markConsistent();
      guard.release();
      expect(await run(scene.first.lock, body)).toBe(0);
      scene.expectAtRest();
    },
  );

  test('one of the waiters learns of the death, and the others get the lock clean, each in its turn', async () => {
    const scene = newScene();
    const [owner, ...recoveringOwners] = Array.from({ length: 5 }, () => scene.join());
    if (owner === undefined) throw new Error('no owner');
    owner.lock.lock();
    const waits = recoveringOwners.map((recoveringOwner) => scene.wait(recoveringOwner));
    await scene.world.settle();
    await scene.bury(owner);
    const told: string[] = [];
    for (let round = 0; round < recoveringOwners.length; round++) {
      const at = waits.findIndex(
        ({ outcome }, index) => outcome !== 'waits' && recoveringOwners[index]?.lock.owned === true,
      );
      const [wait, recoveringOwner] = [waits[at], recoveringOwners[at]];
      if (wait === undefined || recoveringOwner === undefined)
        throw new Error(`no waiter was admitted, ${told.length} learned of a death`);
      told.push(typeof wait.outcome === 'string' ? wait.outcome : 'told');
      if (typeof wait.outcome === 'string') recoveringOwner.lock.unlock();
      else {
        recoveringOwner.lock.markConsistent();
        wait.outcome.release();
      }
      await scene.pass();
    }
    expect(told).toEqual(['told', 'clean', 'clean', 'clean']);
    scene.expectAtRest();
  });

  test('when the heir dies the next agent learns of a death, whether or not the heir had marked it consistent', async () => {
    const scene = newScene();
    await scene.orphan();
    for (const marks of [false, true]) {
      const recoveringOwner = scene.join();
      const guard = inherited(await scene.outcome(() => recoveringOwner.lock.lock()));
      if (marks) recoveringOwner.lock.markConsistent();
      expect(guard.held).toBe(true);
      await scene.bury(recoveringOwner);
    }
    const guard = inherited(await scene.outcome(() => scene.first.lock.tryLock()));
    guard.markConsistent();
    expect(() => guard.markConsistent()).toThrow(MisuseError);
    guard.release();
    scene.expectAtRest();
  });

  test('run() and runAsync() pass the guard of the dead owner to onOwnerDied, and depart', async () => {
    const scene = newScene();
    for (const run of [
      (options: OwnerDiedOptions) => scene.first.lock.run(() => 'ran', options),
      (options: OwnerDiedOptions) => scene.first.lock.runAsync(() => 'ran', { ...options, ref: false }),
    ]) {
      await scene.orphan();
      expect(await scene.outcome(() => run({ onOwnerDied: () => undefined }))).toBe('refused');
      expect(await run({ onOwnerDied: (guard) => guard.markConsistent() })).toBe('ran');
      scene.expectAtRest();
    }
  });

  test('takeOver() and takeOverAsync() hold an unrecoverable lock, and their guard departs', async () => {
    const scene = newScene();
    for (const take of [() => scene.first.lock.takeOver(), () => scene.first.lock.takeOverAsync({ ref: false })]) {
      expect(await take()).toBe(null);
      scene.expectAtRest();
      await scene.orphan();
      inherited(await scene.outcome(() => scene.join().lock.lock())).release();
      const guard = await take();
      expect([guard?.held, scene.first.lock.owned]).toEqual([true, true]);
      guard?.markConsistent();
      guard?.release();
      scene.expectAtRest();
    }
  });
});
