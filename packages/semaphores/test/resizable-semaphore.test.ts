// Tests the promises of a resizable semaphore in addition to those of all semaphores.

import { Arena, hasCode, type SluiceError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { ResizableSemaphore } from '../src/index.ts';
import { PermitGuard } from '../src/permit-guard.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('a resizable semaphore (%s)', (engine) => {
  const create = (permits: number): ResizableSemaphore =>
    ResizableSemaphore.create(permits, {
      arena: Arena.create({ engine: engineNamed(engine), maxPages: 64 }),
      name: 'slots',
    });
  const asAnother = (sem: ResizableSemaphore): ResizableSemaphore =>
    openAs(secondAgent(sem.arena), sem.handle, (handle) => ResizableSemaphore.from(handle));
  const stateOf = (sem: ResizableSemaphore): readonly number[] => [sem.size, sem.available, sem.debt];
  /** Returns how each of these waits ended: 'taken', the reason of its cancel, or the code of its error. */
  const outcomes = (waits: readonly Promise<unknown>[]): Promise<unknown[]> =>
    Promise.all(
      waits.map((wait) =>
        wait.then(
          () => 'taken',
          (error: unknown) => (hasCode(error, 'SLUICE_CANCELLED') ? error.reason : (error as SluiceError).code),
        ),
      ),
    );
  const atRest = (sem: ResizableSemaphore): void => {
    expect([sem.waiting, sem.inspect().holders, sem.inspect().abandoned]).toEqual([0, [], 0]);
    expect(sem.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  };

  test('acquire() serves waiters in order of arrival, whatever number of permits each requests', async () => {
    const sem = create(2);
    const order: number[] = [];
    sem.acquire(2);
    const waits = [1, 2, 1, 2, 1].map((permits, at) => sem.acquireAsync(permits).then(() => order.push(at)));
    expect([sem.waiting, sem.tryAcquire(), sem.isLocked]).toEqual([5, false, true]);
    for (let given = 0; given < 7; given++) {
      sem.release();
      for (let turns = 0; turns < 3; turns++) await turn();
      expect(order.length).toBe([1, 1, 2, 3, 3, 4, 5][given]);
    }
    await Promise.all(waits);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    sem.release(2);
    atRest(sem);
  });

  test('resize() to more permits wakes waiters', async () => {
    const sem = create(1);
    sem.acquire();
    const waits = [sem.acquireAsync(), sem.acquireAsync(2)];
    sem.resize(2);
    await waits[0];
    expect([...stateOf(sem), sem.waiting]).toEqual([2, 0, 0, 1]);
    sem.addPermits(2);
    await waits[1];
    expect(stateOf(sem)).toEqual([4, 0, 0]);
    sem.release(4);
    atRest(sem);
  });

  test('resize() to fewer permits removes free ones, and makes the rest a debt that releases pay first', async () => {
    const sem = create(5);
    sem.acquire(4);
    sem.resize(2);
    expect([...stateOf(sem), sem.isLocked]).toEqual([2, 0, 2, true]);
    const wait = sem.acquireAsync();
    expect([sem.tryAcquire(), sem.waiting]).toEqual([false, 1]);
    sem.release();
    sem.release();
    await turn();
    expect([...stateOf(sem), sem.waiting]).toEqual([2, 0, 0, 1]);
    sem.release();
    await wait;
    expect(sem.inspect()).toMatchObject({ size: 2, available: 0, debt: 0, holders: [{ permits: 2 }] });
    sem.release(2);
    expect(stateOf(sem)).toEqual([2, 2, 0]);
    atRest(sem);
  });

  test('reducePermits() and addPermits() change the size by a number', () => {
    const sem = create(3);
    sem.acquire(3);
    sem.reducePermits(2);
    expect(stateOf(sem)).toEqual([1, 0, 2]);
    sem.addPermits(1);
    expect(stateOf(sem)).toEqual([2, 0, 1]);
    sem.addPermits(2);
    expect(stateOf(sem)).toEqual([4, 1, 0]);
    sem.release(3);
    expect(stateOf(sem)).toEqual([4, 4, 0]);
    sem.reducePermits(4);
    expect([...stateOf(sem), sem.isLocked]).toEqual([0, 0, 0, true]);
  });

  test('a negative number of initial permits is a debt', async () => {
    const sem = create(-2);
    expect([...stateOf(sem), sem.isLocked]).toEqual([-2, 0, 2, true]);
    const wait = sem.acquireAsync();
    for (const debt of [1, 0]) {
      sem.release();
      expect([sem.debt, sem.available]).toEqual([debt, 0]);
    }
    await turn();
    expect(sem.waiting).toBe(1);
    sem.release();
    await wait;
    expect(stateOf(sem)).toEqual([1, 0, 0]);
    sem.release();
    expect(stateOf(sem)).toEqual([1, 1, 0]);
    atRest(sem);
  });

  test('cancelWaiters() ends all pending waits of all agents, and no later wait', async () => {
    const sem = create(1);
    const other = asAnother(sem);
    sem.acquire();
    const waits = [sem.acquireAsync(), other.acquireAsync(2), sem.acquireAsync(3), other.acquireAsync()];
    sem.cancelWaiters(42);
    expect(await outcomes(waits)).toEqual([42, 42, 42, 42]);
    const later = [other.acquireAsync(), sem.acquireAsync()];
    sem.release();
    await later[0];
    other.release();
    await later[1];
    other.cancelWaiters();
    sem.release();
    expect(stateOf(sem)).toEqual([1, 1, 0]);
    atRest(sem);
  });

  test('the cancelling agent’s own waits leave the line before cancelWaiters() returns', async () => {
    const sem = create(2);
    sem.acquire(2);
    const waits = Array.from({ length: 5 }, (_, at) => sem.acquireAsync(1 + (at % 3)));
    sem.cancelWaiters();
    expect([sem.waiting, sem.available]).toEqual([0, 0]);
    sem.release(2);
    expect([sem.available, sem.isLocked]).toEqual([2, false]);
    expect(await outcomes(waits)).toEqual([0, 0, 0, 0, 0]);
    atRest(sem);
  });

  test('each wait gets the reason of its own cancel, even if its element serves another wait at once', async () => {
    for (let count = 1; count <= 40; count++) {
      const sem = create(1);
      sem.acquire();
      const waits = Array.from({ length: count }, () => sem.acquireAsync());
      sem.cancelWaiters(7);
      // This is the same turn: the promises have not told their waiters yet.
      for (let tries = 0; tries < 3; tries++) expect(sem.tryAcquire(1, 0.01)).toBe(false);
      const later = Array.from({ length: 3 }, () => sem.acquireAsync());
      sem.cancelWaiters(8);
      expect(await outcomes(waits)).toEqual(waits.map(() => 7));
      expect(await outcomes(later)).toEqual([8, 8, 8]);
      sem.release();
      atRest(sem);
    }
  });

  test('a wait whose permits were released before cancelWaiters() succeeds, and otherwise it fails', async () => {
    const sem = create(2);
    const other = asAnother(sem);
    sem.acquire(2);
    const waits = [other.acquireAsync(), other.acquireAsync(), other.acquireAsync(2)];
    sem.release();
    sem.cancelWaiters(1);
    // This permit reaches a place in line whose waiter is cancelled.
    sem.release();
    expect(await outcomes(waits)).toEqual(['taken', 1, 1]);
    expect(stateOf(sem)).toEqual([2, 1, 0]);
    other.release();
    atRest(sem);
  });

  test('a second cancelWaiters() does not revoke the first', async () => {
    const sem = create(2);
    const other = asAnother(sem);
    sem.acquire(2);
    const waits = [other.acquireAsync(), other.acquireAsync(2)];
    sem.cancelWaiters(1);
    // This permit is for a cancelled wait. Its thread sees that only after the second cancel.
    sem.release();
    sem.cancelWaiters(2);
    expect(await outcomes(waits)).toEqual([2, 2]);
    expect(stateOf(sem)).toEqual([2, 1, 0]);
    sem.release();
    atRest(sem);
  });

  test('a wait is cancelled even if two cancels precede its thread’s check, and its permit goes to the next waiter', async () => {
    const sem = create(1);
    const other = asAnother(sem);
    sem.acquire();
    const waits = [other.acquireAsync()];
    sem.release();
    sem.cancelWaiters(1);
    sem.cancelWaiters(2);
    const later = sem.acquireAsync();
    expect(await outcomes([...waits, later])).toEqual([2, 'taken']);
    sem.release();
    expect(stateOf(sem)).toEqual([1, 1, 0]);
    atRest(sem);
  });

  test('the oldest 256 waits of the cancelling agent leave the line before cancelWaiters() returns', async () => {
    const sem = create(0);
    const waits = Array.from({ length: 300 }, () => sem.acquireAsync());
    sem.cancelWaiters(3);
    expect(sem.waiting).toBe(300 - 256);
    sem.release();
    expect(await outcomes(waits)).toEqual(waits.map(() => 3));
    expect(stateOf(sem)).toEqual([1, 1, 0]);
    atRest(sem);
  });

  test('the collected permits of a cancelled waiter are free again', async () => {
    const sem = create(3);
    const other = asAnother(sem);
    sem.acquire();
    const wait = other.acquireAsync(3);
    expect([sem.available, sem.tryAcquire()]).toEqual([0, false]);
    sem.cancelWaiters(5);
    expect(await outcomes([wait])).toEqual([5]);
    expect(sem.available).toBe(2);
    sem.release();
    atRest(sem);
  });

  test('the message of a cancelled wait names the semaphore and the reason', async () => {
    const sem = create(0);
    const wait = sem.acquireAsync(2);
    sem.cancelWaiters(9);
    await expect(wait).rejects.toThrow(
      "ResizableSemaphore 'slots': the wait for 2 permits was cancelled by cancelWaiters(9). No permit was taken.",
    );
  });

  test('a wait that times out releases the permits that it has collected', async () => {
    const sem = create(3);
    sem.acquire();
    const controller = new AbortController();
    const waits = [sem.acquireAsync(3, { signal: controller.signal }), sem.acquireAsync(2)];
    controller.abort('enough');
    await expect(waits[0]).rejects.toBe('enough');
    await waits[1];
    expect(sem.tryAcquire(1, 1)).toBe(false);
    await expect(sem.acquireAsync(1, { timeout: 1 })).rejects.toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: expect.stringContaining('0 of 3 available') as string,
    });
    sem.release(3);
    expect(stateOf(sem)).toEqual([3, 3, 0]);
    atRest(sem);
  });

  test('waitForUnlock() takes no permit and does not change the line', async () => {
    const sem = create(1);
    const other = asAnother(sem);
    expect([sem.waitForUnlock(), sem.waitForUnlock(2, 0), sem.available]).toEqual([true, false, 1]);
    sem.acquire();
    const seen: string[] = [];
    const waits = [
      sem.waitForUnlockAsync().then(() => seen.push('own')),
      other.waitForUnlockAsync(2).then(() => seen.push('two')),
      other.waitForUnlockAsync().then(() => seen.push('other')),
    ];
    const line = sem.acquireAsync();
    sem.release();
    await line;
    await turn();
    // The permit went to the waiter in line and was never free.
    expect(seen).toEqual([]);
    sem.release();
    expect([sem.available, sem.tryAcquire()]).toEqual([1, true]);
    await Promise.all([waits[0], waits[2]]);
    sem.release();
    await turn();
    expect(seen.sort()).toEqual(['other', 'own']);
    sem.addPermits(1);
    await waits[1];
    expect(stateOf(sem)).toEqual([2, 2, 0]);
    atRest(sem);
  });

  test('waitForUnlock() ends by its timeout and by its signal', async () => {
    const sem = create(0);
    const controller = new AbortController();
    const wait = sem.waitForUnlockAsync(1, { signal: controller.signal });
    controller.abort('enough');
    await expect(wait).rejects.toBe('enough');
    expect(sem.waitForUnlock(1, 1)).toBe(false);
    await expect(sem.waitForUnlockAsync(2, { timeout: 1 })).rejects.toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: expect.stringContaining('timed out after 1 ms waiting until 2 permits are free') as string,
    });
    sem.release();
    expect(sem.waitForUnlock()).toBe(true);
    atRest(sem);
  });

  test('close() ends all waits, and free() waits for agents in waitForUnlock()', async () => {
    const sem = create(0);
    const waits = [sem.acquireAsync(), sem.waitForUnlockAsync()];
    expect(() => sem.free()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }));
    sem.close();
    expect(await outcomes(waits)).toEqual(['SLUICE_CLOSED', 'SLUICE_CLOSED']);
    for (const call of [
      () => sem.acquire(),
      () => sem.tryAcquire(),
      () => sem.drain(),
      () => sem.resize(1),
      () => sem.addPermits(1),
      () => sem.cancelWaiters(),
      () => sem.waitForUnlock(),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'SLUICE_CLOSED' }));
    }
    sem.release();
    expect([sem.available, sem.isLocked]).toEqual([0, true]);
    sem.free();
    expect(() => sem.size).toThrow('was freed');
  });

  test('forget() throws for permits that no agent holds', () => {
    const refused = expect.objectContaining({
      code: 'SLUICE_MISUSE',
      message: expect.stringContaining('more permits than are held. Nothing was changed.') as string,
    }) as Error;
    const sem = create(3);
    const other = asAnother(sem);
    expect(() => sem.forget(5)).toThrow(refused);
    expect(() => sem.forget(1)).toThrow(refused);
    const guard = new PermitGuard(sem, 2);
    expect(() => guard.forget()).toThrow(refused);
    expect([...stateOf(sem), guard.permits]).toEqual([3, 3, 0, 2]);
    sem.acquire();
    other.acquire();
    expect(() => sem.forget(3)).toThrow(refused);
    expect(stateOf(sem)).toEqual([3, 1, 0]);
    expect(sem.inspect().holders).toMatchObject([{ permits: 1 }, { permits: 1 }]);
    sem.resize(1);
    expect(stateOf(sem)).toEqual([1, 0, 1]);
    // Both its own wait and that of the other agent.
    guard.forget();
    expect(stateOf(sem)).toEqual([-1, 0, 1]);
    expect(() => other.forget(2)).toThrow(refused);
    const closed = create(3);
    closed.acquire();
    closed.close();
    expect(() => closed.forget(2)).toThrow(refused);
    expect(closed.size).toBe(3);
    closed.forget(1);
    expect(() => closed.forget(1)).toThrow(refused);
    expect(closed.size).toBe(2);
  });

  test('wrong calls throw and change nothing', async () => {
    const sem = create(2);
    sem.acquire();
    for (const wrong of [-1, 1.5, 2 ** 31, NaN]) {
      expect(() => sem.resize(wrong)).toThrow(RangeError);
      expect(() => sem.addPermits(wrong)).toThrow(RangeError);
      expect(() => sem.reducePermits(wrong)).toThrow(RangeError);
      expect(() => sem.cancelWaiters(wrong)).toThrow(RangeError);
      expect(() => sem.waitForUnlock(wrong)).toThrow(RangeError);
      expect(() => sem.forget(wrong)).toThrow(RangeError);
      await expect(sem.waitForUnlockAsync(wrong)).rejects.toThrow(RangeError);
    }
    expect(() => sem.resize('2' as never)).toThrow(TypeError);
    expect(() => sem.waitForUnlock(1, -1)).toThrow(RangeError);
    expect(() => sem.addPermits(2 ** 31 - 2)).toThrow(/adding 2147483646 would leave more than 2147483647 permits/);
    expect(() => sem.release(2 ** 31 - 1)).toThrow(RangeError);
    for (const options of [{ max: 3 }, { recovery: false }, { timeout: 1 }])
      expect(() => ResizableSemaphore.create(1, options as never)).toThrow(TypeError);
    for (const permits of [2 ** 31, -(2 ** 31), 0.5])
      expect(() => ResizableSemaphore.create(permits)).toThrow(RangeError);
    expect([...stateOf(sem), sem.waiting]).toEqual([2, 1, 0, 0]);
    sem.release();
    atRest(sem);
  });

  test('a wait that would lack more permits than a word can count throws', async () => {
    const most = 2 ** 31 - 1;
    const sem = create(0);
    const wait = sem.acquireAsync(most);
    await expect(sem.acquireAsync()).rejects.toThrow('its waiters together would lack more than 2147483647 permits');
    sem.cancelWaiters();
    expect(await outcomes([wait])).toEqual([0]);
    sem.addPermits(most);
    sem.reducePermits(most);
    sem.reducePermits(most);
    expect(stateOf(sem)).toEqual([-most, 0, most]);
    expect(() => sem.reducePermits(1)).toThrow(RangeError);
    expect(stateOf(sem)).toEqual([-most, 0, most]);
  });
});
