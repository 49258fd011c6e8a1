import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { ownedLockScenes } from '../../core/test/support/owned-lock/scenes.ts';
import { Scene } from '../../core/test/support/owned-lock/scene.ts';
import { KINDS } from './support/kinds.ts';

ownedLockScenes(KINDS);

const CASES = KINDS.flatMap((kind) =>
  (['wasm', 'js'] as const).flatMap((engine) =>
    (['passMutexInOrder', 'cancelMutexWait'] as const).map((step) => [kind.what, engine, step, kind] as const),
  ),
);

test.each(CASES)(
  '%s (%s): tryLock() before the step %s of a hand-over to a waiter that times out fails, and the waiter gets the mutex',
  (_what, engine, step, kind) => {
    const scene = new Scene(kind, { engine });
    const [waits, third] = scene.joinAll('waits', 'third');
    scene.first.lock.lock();
    const tries: boolean[] = [];
    waits.life.meanwhile.push(() => {
      const { life } = step === 'passMutexInOrder' ? scene.first : waits;
      life.before.set(step, () => tries.push(third.lock.tryLock()));
      scene.first.lock.unlock();
      return 'timed-out';
    });
    expect(waits.lock.tryLock(5)).toBe(true);
    expect(tries).toEqual([false]);
    expect([scene.first, waits, third].map(({ lock }) => lock.owned)).toEqual([false, true, false]);
    waits.lock.unlock();
    scene.expectAtRest();
  },
);
