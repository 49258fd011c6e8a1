// Tests that tools are told of each hold once, for a table of locks and a table of semaphores.

import { expect, test } from 'vitest';
import { Arena, type OwnedLock, type Semaphore } from '../../../core/src/index.ts';
import { Recorder } from './recorder.ts';

export function newArena(): Arena {
  return Arena.create({ maxPages: 16 });
}

export interface LockCase {
  readonly what: string;
  readonly create: (arena: Arena) => OwnedLock;
  readonly shown: string;
}

/** Defines the tests of locks with an owner. */
export function testHoldsOfLocks(locks: readonly LockCase[]): void {
  test.each(locks)('each way into an owned lock and out of it is one hold: $what', async ({ create, shown }) => {
    await Recorder.during(async (recorder) => {
      const lock = create(newArena());
      const one = [`holds 1 of ${shown}`, `released 1 of ${shown}`];
      lock.lock();
      lock.unlock();
      expect(recorder.taken()).toEqual(one);
      lock.tryLock();
      lock.unlock();
      expect(recorder.taken()).toEqual(one);
      lock.tryLock(Infinity);
      lock.unlock();
      expect(recorder.taken()).toEqual(one);
      lock.run(() => undefined);
      expect(recorder.taken()).toEqual(one);
      lock.hold().release();
      expect(recorder.taken()).toEqual(one);
      await lock.lockAsync();
      lock.unlock();
      expect(recorder.taken()).toEqual(one);
      await lock.runAsync(() => undefined);
      expect(recorder.taken()).toEqual(one);
      // A consistent lock is not held after `takeOver`.
      lock.takeOver();
      await lock.takeOverAsync();
      expect(recorder.taken()).toEqual([...one, ...one]);
      expect(recorder.open).toBe(0);
    });
  });

  // A recursive mutex that its owner has does not let it wait.
  const waiting = locks.filter(({ what }) => what !== 'RecursiveMutex');

  test.each(waiting)('an async call that waits holds the lock when it gets it: $what', async ({ create, shown }) => {
    await Recorder.during(async (recorder) => {
      const lock = create(newArena());
      lock.lock();
      const waits = lock.lockAsync();
      const late = lock.lockAsync({ timeout: 1 });
      await expect(late).rejects.toThrow();
      lock.unlock();
      await waits;
      lock.unlock();
      const lines = recorder.taken();
      const holds = lines.filter((line) => !line.includes('wait'));
      const name = shown.replace('/17', '');
      expect(holds).toEqual([
        `holds 1 of ${shown}`,
        `gets nothing of ${name} (async)`,
        `released 1 of ${shown}`,
        `holds 1 of ${shown}`,
        `released 1 of ${shown}`,
      ]);
      expect(lines.filter((line) => line.includes('ends'))).toEqual([
        `async wait for ${name} ends: timed-out`,
        `async wait for ${name} ends: taken`,
      ]);
      expect(recorder.open).toBe(0);
    });
  });
}

type Counted = Pick<Semaphore, 'acquire' | 'release' | 'tryAcquire' | 'run' | 'runAsync' | 'hold' | 'drain'>;

export interface SemaphoreClass {
  create(permits: number, options: { readonly arena: Arena; readonly name: string }): Counted;
}

/** Defines the tests of semaphores. */
export function testHoldsOfPermits(classes: Readonly<Record<string, SemaphoreClass>>): void {
  test.each(Object.entries(classes))('each permit of a semaphore is held once: %s', async (_, Class) => {
    await Recorder.during(async (recorder) => {
      const semaphore = Class.create(3, { arena: newArena(), name: 'x' });
      const one = ['holds 1 of x', 'released 1 of x'];
      semaphore.acquire();
      semaphore.release();
      expect(recorder.taken()).toEqual(one);
      semaphore.tryAcquire();
      semaphore.release();
      expect(recorder.taken()).toEqual(one);
      semaphore.run(() => undefined);
      expect(recorder.taken()).toEqual(one);
      await semaphore.runAsync(() => undefined);
      expect(recorder.taken()).toEqual(one);
      semaphore.hold().release();
      expect(recorder.taken()).toEqual(one);
      expect(semaphore.drain()).toBe(3);
      expect(semaphore.tryAcquire()).toBe(false);
      for (let left = 3; left > 0; left--) semaphore.release();
      expect(recorder.taken()).toEqual([
        'holds 3 of x',
        'gets nothing of x (timed)',
        ...Array.from({ length: 3 }, () => 'released 1 of x'),
      ]);
      // Permits that this agent did not acquire are in no hold.
      semaphore.release();
      expect(recorder.taken()).toEqual([]);
      expect(recorder.open).toBe(0);
    });
  });
}
