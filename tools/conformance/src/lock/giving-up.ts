import { expect, test } from 'vitest';
import { busyFor, rejection } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree } from './expect-free.ts';

/** Timeouts and aborts: nothing is taken, nothing is left behind. */
export function givingUp(create: () => ConformingLock): void {
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
