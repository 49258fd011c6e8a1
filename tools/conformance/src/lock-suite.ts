// What every lock promises, one agent alone with its async waiters. What several threads see is left to stress tests.

import { describe, expect, test } from 'vitest';
import { busyFor, Order, rejection, turn } from './observe.ts';
import type { ConformingLock } from './types.ts';

export interface LockSuiteOptions {
  /** Whether waiters are served in the order in which they came. Default true. */
  readonly fifo?: boolean;
}

/** Declares the suite; `create` makes a new lock, free, for each test. */
export function lockSuite(name: string, create: () => ConformingLock, { fifo = true }: LockSuiteOptions = {}): void {
  describe(`${name} as a lock`, () => {
    blocking(create);
    waiting(create, fifo);
    givingUp(create);
    argumentErrors(create);
    guards(create);
    callbacks(create);
  });
}

function expectFree(lock: ConformingLock): void {
  expect(lock.tryLock()).toBe(true);
  lock.unlock();
}

function blocking(create: () => ConformingLock): void {
  test('lock takes a free lock at once, and unlock gives it back', () => {
    const lock = create();
    lock.lock();
    expect(lock.tryLock()).toBe(false);
    lock.unlock();
    expectFree(lock);
  });

  test('tryLock takes a free lock and refuses a held one, as often as it is asked', () => {
    const lock = create();
    expect([lock.tryLock(), lock.tryLock(), lock.tryLock()]).toEqual([true, false, false]);
    lock.unlock();
    expectFree(lock);
  });

  test('tryLock with a timeout gives up after it, not before, and leaves nothing behind', () => {
    const lock = create();
    lock.lock();
    const began = performance.now();
    expect(lock.tryLock(20)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(19);
    lock.unlock();
    expectFree(lock);
  });

  test('tryLock with a timeout takes a free lock without waiting for it', () => {
    const lock = create();
    expect(lock.tryLock(Infinity)).toBe(true);
    lock.unlock();
    expectFree(lock);
  });

  test('a thousand rounds of lock and unlock leave the lock as it was', () => {
    const lock = create();
    for (let round = 0; round < 1000; round++) {
      lock.lock();
      lock.unlock();
    }
    expectFree(lock);
  });
}

function waiting(create: () => ConformingLock, fifo: boolean): void {
  test('lockAsync takes a free lock', async () => {
    const lock = create();
    await lock.lockAsync();
    expect(lock.tryLock()).toBe(false);
    lock.unlock();
    expectFree(lock);
  });

  test('at most one of many async holders is inside at any time', async () => {
    const lock = create();
    let inside = 0;
    let entries = 0;
    const visit = async (): Promise<void> => {
      await lock.lockAsync();
      expect(++inside).toBe(1);
      entries += 1;
      await turn();
      inside -= 1;
      lock.unlock();
    };
    await Promise.all(Array.from({ length: 20 }, visit));
    expect(entries).toBe(20);
    expectFree(lock);
  });

  test.runIf(fifo)('async waiters are served in the order in which they came', async () => {
    const lock = create();
    lock.lock();
    const order = new Order();
    const names = Array.from({ length: 12 }, (_, index) => `waiter ${index}`);
    const all = names.map(async (waiter) => {
      await order.track(waiter, lock.lockAsync());
      lock.unlock();
    });
    lock.unlock();
    await Promise.all(all);
    expect(order.names).toEqual(names);
    expectFree(lock);
  });

  test.runIf(fifo)('tryLock does not overtake a waiter that the lock was just given to', async () => {
    const lock = create();
    lock.lock();
    const waiter = lock.lockAsync();
    lock.unlock();
    expect(lock.tryLock()).toBe(false);
    await waiter;
    lock.unlock();
    expectFree(lock);
  });
}

function givingUp(create: () => ConformingLock): void {
  test('lockAsync rejects with a TimeoutError when its time is over, and later unlocks do not go to it', async () => {
    const lock = create();
    lock.lock();
    expect(await rejection(lock.lockAsync({ timeout: 5 }))).toMatchObject({ name: 'TimeoutError', code: 'SLUICE_TIMEOUT' });
    lock.unlock();
    expectFree(lock);
  });

  test('lockAsync with a timeout of 0 takes a free lock and rejects at a held one', async () => {
    const lock = create();
    await lock.lockAsync({ timeout: 0 });
    expect(await rejection(lock.lockAsync({ timeout: 0 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    lock.unlock();
    expectFree(lock);
  });

  test('an aborted wait rejects with the reason of its signal, untouched', async () => {
    const lock = create();
    lock.lock();
    const controller = new AbortController();
    const reason = { why: 'no longer needed' };
    const waiter = lock.lockAsync({ signal: controller.signal });
    controller.abort(reason);
    expect(await rejection(waiter)).toBe(reason);
    lock.unlock();
    expectFree(lock);
  });

  test('a signal that is aborted already takes nothing, also when the lock is free', async () => {
    const lock = create();
    const reason = new Error('aborted before');
    expect(await rejection(lock.lockAsync({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expectFree(lock);
  });

  test('a waiter that gave up is passed over: the lock goes to the one behind it', async () => {
    const lock = create();
    lock.lock();
    const controller = new AbortController();
    const first = rejection(lock.lockAsync({ signal: controller.signal }));
    const second = lock.lockAsync();
    controller.abort();
    await first;
    lock.unlock();
    await second;
    lock.unlock();
    expectFree(lock);
  });

  test('a grant that came before the timeout and the abort wins', async () => {
    const lock = create();
    lock.lock();
    const controller = new AbortController();
    const waiter = lock.lockAsync({ timeout: 5, signal: controller.signal });
    lock.unlock();
    busyFor(10);
    controller.abort();
    await waiter;
    expect(lock.tryLock()).toBe(false);
    lock.unlock();
    expectFree(lock);
  });
}

function argumentErrors(create: () => ConformingLock): void {
  test.each([Number.NaN, -1, -Infinity])('a timeout of %d is a RangeError', async (timeout) => {
    const lock = create();
    expect(() => lock.tryLock(timeout)).toThrow(RangeError);
    expect(await rejection(lock.lockAsync({ timeout }))).toBeInstanceOf(RangeError);
    expectFree(lock);
  });

  test.each(['5', null, 5n])('a timeout of %o is a TypeError', async (given) => {
    const lock = create();
    const timeout = given as unknown as number;
    expect(() => lock.tryLock(timeout)).toThrow(TypeError);
    expect(await rejection(lock.lockAsync({ timeout }))).toBeInstanceOf(TypeError);
    expectFree(lock);
  });

  test('a signal that is none and options that are none reject with a TypeError', async () => {
    const lock = create();
    const signal = {} as unknown as AbortSignal;
    expect(await rejection(lock.lockAsync({ signal }))).toBeInstanceOf(TypeError);
    expect(await rejection(lock.lockAsync(7 as unknown as object))).toBeInstanceOf(TypeError);
    expectFree(lock);
  });
}

function guards(create: () => ConformingLock): void {
  test('a guard holds the lock until it is released, and a second release does nothing', () => {
    const lock = create();
    const guard = lock.hold();
    expect([guard.held, lock.tryLock()]).toEqual([true, false]);
    guard.release();
    expect(guard.held).toBe(false);
    lock.lock();
    guard.release();
    expect(lock.tryLock()).toBe(false);
    lock.unlock();
    expectFree(lock);
  });

  test('a guard is released by its Symbol.dispose, as a using block does', () => {
    const lock = create();
    const guard = lock.hold();
    const dispose = (guard as unknown as Record<symbol, (() => void) | undefined>)[Symbol.dispose];
    dispose?.call(guard);
    expect(guard.held).toBe(false);
    expectFree(lock);
  });

  test('tryHold gives a guard for a free lock and null for a held one', () => {
    const lock = create();
    const guard = lock.tryHold();
    expect(guard?.held).toBe(true);
    expect([lock.tryHold(), lock.tryHold(1)]).toEqual([null, null]);
    guard?.release();
    expectFree(lock);
  });

  test('holdAsync resolves with a guard, and rejects as lockAsync does', async () => {
    const lock = create();
    const guard = await lock.holdAsync();
    expect(await rejection(lock.holdAsync({ timeout: 1 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    guard.release();
    expectFree(lock);
  });
}

function callbacks(create: () => ConformingLock): void {
  test('run holds the lock during the callback and returns what it returns', () => {
    const lock = create();
    expect(lock.run(() => lock.tryLock())).toBe(false);
    expectFree(lock);
  });

  test('run gives the lock back when the callback throws', () => {
    const lock = create();
    const failure = new Error('inside');
    expect(() =>
      lock.run(() => {
        throw failure;
      }),
    ).toThrow(failure);
    expectFree(lock);
  });

  test('runAsync holds the lock until the promise of the callback settles', async () => {
    const lock = create();
    const free: boolean[] = [];
    const result = await lock.runAsync(async () => {
      free.push(lock.tryLock());
      await turn();
      free.push(lock.tryLock());
      return 'result';
    });
    expect([result, ...free]).toEqual(['result', false, false]);
    expectFree(lock);
  });

  test('runAsync gives the lock back when the callback throws or rejects', async () => {
    const lock = create();
    const failure = new Error('inside');
    const thrower = (): number => {
      throw failure;
    };
    expect(await rejection(lock.runAsync(thrower))).toBe(failure);
    expect(await rejection(lock.runAsync(() => Promise.reject(failure)))).toBe(failure);
    expectFree(lock);
  });

  test('runAsync does not call the callback of a wait that was given up', async () => {
    const lock = create();
    lock.lock();
    let called = false;
    const body = (): void => void (called = true);
    expect(await rejection(lock.runAsync(body, { timeout: 1 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    lock.unlock();
    await turn();
    expect(called).toBe(false);
    expectFree(lock);
  });

  test('a callback that is no function is a TypeError, before the lock is taken', async () => {
    const lock = create();
    const body = 'no function' as unknown as () => void;
    expect(() => lock.run(body)).toThrow(TypeError);
    expect(await rejection(lock.runAsync(body))).toBeInstanceOf(TypeError);
    expectFree(lock);
  });
}
