import { expect, test } from 'vitest';
import { busyFor, rejection } from '../observe.ts';
import { expectFree, expectHeld, type CreatePair } from './pair.ts';

/** Tests timeouts and aborts: the wait takes nothing and leaves nothing behind. */
export function givingUp(create: CreatePair): void {
  test('lockAsync() rejects with a TimeoutError when its timeout has passed, and later unlocks skip it', async () => {
    const pair = create();
    pair.rival.lock();
    expect(await rejection(pair.lock.lockAsync({ timeout: 5 }))).toMatchObject({
      name: 'TimeoutError',
      code: 'SLUICE_TIMEOUT',
    });
    pair.rival.unlock();
    expectFree(pair);
  });

  test('lockAsync() with a timeout of 0 takes a free lock and rejects for a held one', async () => {
    const pair = create();
    await pair.lock.lockAsync({ timeout: 0 });
    expect(await rejection(pair.rival.lockAsync({ timeout: 0 }))).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    pair.lock.unlock();
    expectFree(pair);
  });

  test('an aborted wait rejects with the unchanged reason of its signal', async () => {
    const pair = create();
    pair.rival.lock();
    const controller = new AbortController();
    const reason = { why: 'no longer needed' };
    const waiter = pair.lock.lockAsync({ signal: controller.signal });
    controller.abort(reason);
    expect(await rejection(waiter)).toBe(reason);
    pair.rival.unlock();
    expectFree(pair);
  });

  test('lockAsync() with an aborted signal rejects and takes nothing, even if the lock is free', async () => {
    const pair = create();
    const reason = new Error('aborted before');
    expect(await rejection(pair.lock.lockAsync({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expectFree(pair);
  });

  test('a cancelled waiter is skipped: the lock goes to the waiter behind it', async () => {
    const pair = create();
    const { lock, rival } = pair;
    rival.lock();
    const controller = new AbortController();
    const first = rejection(lock.lockAsync({ signal: controller.signal }));
    const second = lock.lockAsync();
    controller.abort();
    await first;
    rival.unlock();
    await second;
    lock.unlock();
    expectFree(pair);
  });

  test('a grant that comes before the timeout and the abort resolves the wait', async () => {
    const pair = create();
    const { lock, rival } = pair;
    rival.lock();
    const controller = new AbortController();
    const waiter = lock.lockAsync({ timeout: 5, signal: controller.signal });
    rival.unlock();
    busyFor(10);
    controller.abort();
    await waiter;
    expectHeld(pair);
    lock.unlock();
    expectFree(pair);
  });
}
