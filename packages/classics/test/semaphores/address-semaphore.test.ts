import { Arena, ClosedError, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { AddressSemaphore } from '../../src/index.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('AddressSemaphore (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64 });
  const create = (permits: number, max?: number): AddressSemaphore => AddressSemaphore.create(permits, { arena, max });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('takes at most the available permits', () => {
    const sem = create(2);
    expect([sem.tryAcquire(3), sem.tryAcquire(2), sem.tryAcquire(), sem.available]).toEqual([false, true, false, 0]);
    sem.release(2);
    expect(sem.available).toBe(2);
  });

  test('a wait whose timeout elapses takes nothing', async () => {
    const sem = create(0);
    expect(sem.tryAcquire(1, 1)).toBe(false);
    await expect(sem.acquireAsync(1, { timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    sem.release();
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
  });

  test('async waits of an agent check oldest first', async () => {
    const sem = create(0);
    const order: number[] = [];
    const waits = [0, 1, 2, 3, 4].map((n) => sem.acquireAsync().then(() => order.push(n)));
    for (const wait of waits) {
      sem.release();
      await wait;
    }
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  test('a release serves async waits, which are reported until then', async () => {
    const sem = create(0);
    const waits = [sem.acquireAsync(), sem.acquireAsync(2)];
    expect(sem.waiting).toBe(2);
    expect(sem.inspect().waiters.map(({ permits, kind }) => [permits, kind])).toEqual(
      expect.arrayContaining([
        [1, 'async'],
        [2, 'async'],
      ]),
    );
    expect(() => sem.free()).toThrow(MisuseError);
    sem.release(3);
    await Promise.all(waits);
    expect([sem.available, sem.waiting, sem.inspect().waiters]).toEqual([0, 0, []]);
  });

  test('an abort rejects a wait with its reason, even between two rounds of the wait', async () => {
    const sem = create(0);
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [first, second].map(({ signal }) =>
      sem.acquireAsync(2, { signal }).then(
        () => 'taken',
        (reason: unknown) => reason,
      ),
    );
    first.abort('first');
    await expect(waits[0]).resolves.toBe('first');
    // Too few permits: the wait goes into another round, and the abort comes in the same turn.
    sem.release();
    second.abort('second');
    await expect(waits[1]).resolves.toBe('second');
    await turn();
    expect([sem.available, sem.waiting]).toEqual([1, 0]);
  });

  test('an abort between the wake-up and the next round rejects the wait', async () => {
    const sem = create(0);
    const controller = new AbortController();
    const wait = sem.acquireAsync(2, { signal: controller.signal }).then(
      () => 'taken',
      (reason: unknown) => reason,
    );
    sem.release();
    await Promise.resolve();
    controller.abort('late');
    await expect(wait).resolves.toBe('late');
    expect(sem.waiting).toBe(0);
  });

  test('close() ends all waits and grants no permit', async () => {
    const sem = create(0);
    const wait = sem.acquireAsync();
    sem.close();
    await expect(wait).rejects.toBeInstanceOf(ClosedError);
    expect(() => sem.tryAcquire()).toThrow(ClosedError);
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
    sem.release();
    sem.free();
    expect(() => sem.available).toThrow(MisuseError);
  });

  test('drain() takes all free permits, and max bounds the free permits', () => {
    const sem = create(2, 3);
    expect([sem.drain(), sem.drain(), sem.max]).toEqual([2, 0, 3]);
    sem.release(3);
    expect(() => sem.release()).toThrow(RangeError);
    expect(sem.available).toBe(3);
  });

  test('run() releases its permit even if the callback throws', async () => {
    const sem = create(1);
    await expect(sem.runAsync(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(sem.available).toBe(1);
  });
});
