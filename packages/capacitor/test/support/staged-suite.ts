// The suite of every lock (tools/conformance), for a lock that is acquired in two stages. A release grants only the
// first: an async waiter that the capacitor admitted acquires the inner lock in a later turn. So an abort may come in
// between.

import { describe, expect, test } from 'vitest';
import { busyFor, rejection, turn } from '../../../../tools/conformance/src/observe.ts';
import { asyncWaits } from '../../../../tools/conformance/src/async-wait-suite.ts';
import { again } from '../../../../tools/conformance/src/lock/again.ts';
import { argumentErrors } from '../../../../tools/conformance/src/lock/argument-errors.ts';
import { blocking } from '../../../../tools/conformance/src/lock/blocking.ts';
import { callbacks } from '../../../../tools/conformance/src/lock/callbacks.ts';
import { guards } from '../../../../tools/conformance/src/lock/guards.ts';
import {
  awaited,
  expectFree,
  expectHeld,
  pairs,
  type CreatePair,
} from '../../../../tools/conformance/src/lock/pair.ts';
import { waiting } from '../../../../tools/conformance/src/lock/waiting.ts';
import type { CapacitorLock } from '../../src/index.ts';

export interface StagedOptions {
  readonly fifo: boolean;
  readonly reentrant: boolean;
  /** Whether an agent that unlocks may come back before others, as with turns. */
  readonly turns: boolean;
}

export type CreateStaged = () => { readonly lock: CapacitorLock; readonly rival: CapacitorLock };

export function stagedSuite(name: string, create: CreateStaged, { fifo, reentrant, turns }: StagedOptions): void {
  const createPair = pairs(create);
  describe(`${name} as a lock`, () => {
    blocking(createPair);
    waiting(createPair, { fifo, barging: !fifo, exclusive: !reentrant });
    givingUp(createPair);
    if (!turns) givingUpBetween(createPair);
    argumentErrors(createPair);
    guards(createPair);
    callbacks(createPair);
    again(createPair, { owned: true, reentrant });
    ownership(createPair);
    asyncWaits(() => awaited(createPair), { reentrant, staged: true });
  });
}

function givingUp(create: CreatePair): void {
  test('lockAsync() rejects after its timeout, and later unlocks do not grant it the lock', async () => {
    const pair = create();
    pair.rival.lock();
    for (const timeout of [5, 0]) {
      expect(await rejection(pair.lock.lockAsync({ timeout }))).toMatchObject({
        name: 'TimeoutError',
        code: 'SLUICE_TIMEOUT',
      });
    }
    pair.rival.unlock();
    expectFree(pair);
    await pair.lock.lockAsync({ timeout: 0 });
    pair.lock.unlock();
    expectFree(pair);
  });

  test('an aborted wait rejects with the reason of its signal, unchanged, even if it was aborted before the call', async () => {
    const pair = create();
    pair.rival.lock();
    const controller = new AbortController();
    const reason = { why: 'no longer needed' };
    const waiter = pair.lock.lockAsync({ signal: controller.signal });
    controller.abort(reason);
    expect(await rejection(waiter)).toBe(reason);
    pair.rival.unlock();
    expectFree(pair);
    expect(await rejection(pair.lock.lockAsync({ signal: controller.signal }))).toBe(reason);
    expectFree(pair);
  });

  test('a cancelled waiter is skipped, and the lock goes to the waiter behind it', async () => {
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
}

function givingUpBetween(create: CreatePair): void {
  test('a wait that is aborted right after an unlock resolves or rejects, and leaves nothing behind', async () => {
    const pair = create();
    const { lock, rival } = pair;
    const reason = new Error('aborted between');
    rival.lock();
    const controller = new AbortController();
    const waiter = lock.lockAsync({ signal: controller.signal }).then(
      () => lock.unlock(),
      (failure: unknown) => expect(failure).toBe(reason),
    );
    rival.unlock();
    controller.abort(reason);
    await waiter;
    expectFree(pair);
  });

  test('a wait whose timeout elapses after its grant gets the lock if it is free by then', async () => {
    const pair = create();
    pair.rival.lock();
    const waiter = pair.lock.lockAsync({ timeout: 500 });
    await turn();
    pair.rival.unlock();
    busyFor(510);
    await waiter;
    expectHeld(pair);
    pair.lock.unlock();
    expectFree(pair);
  });
}

function ownership(create: CreatePair): void {
  const misuse = expect.objectContaining({ name: 'MisuseError', code: 'SLUICE_MISUSE' }) as Error;

  test('unlock() succeeds only for the owner, and only as often as it locked', () => {
    const pair = create();
    const { lock, rival } = pair;
    for (const each of [lock, rival]) expect(() => each.unlock()).toThrow(misuse);
    expectFree(pair);
    for (const [holder, other] of [
      [lock, rival],
      [rival, lock],
    ] as const) {
      holder.lock();
      expect(() => other.unlock()).toThrow(misuse);
      expect(other.tryLock()).toBe(false);
      holder.unlock();
      expect(() => holder.unlock()).toThrow(misuse);
    }
    expectFree(pair);
  });

  test('a guard throws when it is released after an unlock by hand, and changes nothing', () => {
    const pair = create();
    const guard = pair.lock.hold();
    pair.lock.unlock();
    expect(() => guard.release()).toThrow(misuse);
    expectFree(pair);
  });

  test('no other agent and no other task can unlock for a granted waiter that has not run yet', async () => {
    const pair = create();
    const { lock, rival } = pair;
    rival.lock();
    const waiter = lock.lockAsync();
    rival.unlock();
    for (const each of [lock, rival]) expect(() => each.unlock()).toThrow(misuse);
    await waiter;
    expectHeld(pair);
    lock.unlock();
    expectFree(pair);
  });
}
