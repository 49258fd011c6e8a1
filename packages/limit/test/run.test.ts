// limit.run(): options of one call.

import { Arena, hasCode, Region, Semaphore } from '@sluice/core';
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createLimit, type Limit } from '../src/index.ts';
import { Stage, turns } from './support/gate.ts';

/** A limit with one slot, which a running function has. */
async function busy(): Promise<{ readonly limit: Limit; readonly stage: Stage; readonly first: Promise<string> }> {
  const stage = new Stage();
  const limit = createLimit(1);
  const first = limit(stage.play, 'first');
  await turns();
  return { limit, stage, first };
}

/** Resolves after all shorter timeouts that began before have ended. */
async function aTimeout(timeout: number): Promise<void> {
  const full = createLimit(Semaphore.create(0));
  await expect(full.run(() => 1, { timeout })).rejects.toThrow('did not start the call within');
}

describe('run() without a wait', () => {
  test('calls the function with args, or without arguments', async () => {
    const limit = createLimit(1);
    expect(await limit.run((...given: unknown[]) => given)).toEqual([]);
    expect(await limit.run((...given: unknown[]) => given, {})).toEqual([]);
    expect(await limit.run((a: number, b: string) => [b, a], { args: [1, 'x'] })).toEqual(['x', 1]);
    expect(await limit.run(() => Promise.resolve('then'), { timeout: 0 })).toBe('then');
  });

  test('rejects with the reason of an aborted signal: it takes no slot and does not call the function', async () => {
    const limit = createLimit(1);
    const reason = { any: 'value' };
    const stage = new Stage();
    await expect(limit.run(stage.play, { args: ['x'], signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect([stage.began, limit.activeCount, limit.inspect().activeCount]).toEqual([[], 0, 0]);
  });

  test('has no effect on a running function when the signal aborts or the timeout elapses, and leaves no listener', async () => {
    const limit = createLimit(1);
    const stage = new Stage();
    const controller = new AbortController();
    const call = limit.run(stage.play, { args: ['on'], signal: controller.signal, timeout: 1 });
    await turns();
    controller.abort();
    await aTimeout(2);
    expect([limit.activeCount, stage.running]).toEqual([1, ['on']]);
    await stage.endAll();
    expect(await call).toBe('on');
  });
});

describe('while it waits', () => {
  test.each([0, 1, 2])(
    'an abort rejects call %i with its reason before its function runs, and no slot is lost',
    async (which) => {
      const { limit, stage, first } = await busy();
      const controllers = [0, 1, 2].map(() => new AbortController());
      const ends = controllers.map(({ signal }, index) =>
        limit.run(stage.play, { args: [`${index}`], signal }).catch((reason: unknown) => reason),
      );
      const reason = { any: 'reason' };
      controllers[which]?.abort(reason);
      expect(limit.pendingCount).toBe(2);
      expect(await ends[which]).toBe(reason);
      expect(limit.inspect()).toMatchObject({ activeCount: 1, pendingCount: 2 });
      await stage.endAll();
      await first;
      const left = ['0', '1', '2'].filter((_, index) => index !== which);
      expect(stage.began).toEqual(['first', ...left]);
      expect(await Promise.all(ends)).toEqual(['0', '1', '2'].map((name, index) => (index === which ? reason : name)));
      expect(limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, holders: [] });
    },
  );

  test('an abort after the grant of the slot has no effect, and the next call gets the slot afterwards', async () => {
    const slots = Semaphore.create(1);
    const limit = createLimit(slots);
    slots.acquire();
    const stage = new Stage();
    const controller = new AbortController();
    const call = limit.run(stage.play, { args: ['granted'], signal: controller.signal });
    const next = limit(stage.play, 'next');
    // The grant is on its way to the first call.
    slots.release();
    controller.abort('late');
    await turns();
    expect(stage.began).toEqual(['granted']);
    await stage.endAll();
    await Promise.all([call, next]);
    expect(stage.began).toEqual(['granted', 'next']);
    expect([slots.available, slots.waiting]).toEqual([1, 0]);
  });

  test('a call that times out rejects with a TimeoutError, and no slot is lost', async () => {
    const { limit, stage, first } = await busy();
    for (const timeout of [0, 5]) {
      const failure = await limit.run(stage.play, { args: ['never'], timeout }).catch((reason: unknown) => reason);
      expect(hasCode(failure, 'SLUICE_TIMEOUT')).toBe(true);
    }
    expect([limit.pendingCount, limit.inspect().pendingCount]).toEqual([0, 0]);
    await stage.endAll();
    await first;
    expect([await limit(() => 'on'), stage.began]).toEqual(['on', ['first']]);
  });

  test('clearQueue() drops calls with options too, and their later aborts and timeouts have no effect', async () => {
    const { limit, stage, first } = await busy();
    const controller = new AbortController();
    let settled = 0;
    const count = (): number => ++settled;
    void limit.run(stage.play, { args: ['a'], signal: controller.signal }).then(count, count);
    void limit.run(stage.play, { args: ['b'], timeout: 2 }).then(count, count);
    limit.clearQueue();
    controller.abort();
    await aTimeout(5);
    expect([settled, limit.pendingCount, limit.inspect().pendingCount]).toEqual([0, 0, 0]);
    await stage.endAll();
    await first;
    expect(await limit(() => 'on')).toBe('on');
  });
});

describe('ten thousand pending calls', () => {
  test('run in the order of the calls', async () => {
    const { limit, stage, first } = await busy();
    const ran: number[] = [];
    const calls = Array.from({ length: 10_000 }, (_, index) => limit(() => void ran.push(index)));
    expect([limit.pendingCount, limit.inspect().pendingCount]).toEqual([10_000, 10_000]);
    await stage.endAll();
    await Promise.all([first, ...calls]);
    expect(ran).toEqual(calls.map((_, index) => index));
  });

  test('are dropped by clearQueue() and leave no memory behind', async () => {
    const { limit, stage, first } = await busy();
    for (let index = 0; index < 10_000; index++) void limit(stage.play, `${index}`);
    limit.clearQueue();
    expect(limit.inspect()).toMatchObject({ activeCount: 1, pendingCount: 0, abandoned: 0 });
    const after = limit(stage.play, 'after');
    await stage.endAll();
    expect([await first, await after, stage.began]).toEqual(['first', 'after', ['first', 'after']]);
  });
});

test('a call that could not enqueue does not delay the next call, which has its slot', async () => {
  const small = Arena.create({ initialPages: 2, maxPages: 2 });
  const semaphore = Semaphore.create(1, { arena: small });
  const limit = createLimit(semaphore);
  semaphore.acquire();
  for (let bytes = 2 ** 16; bytes >= 1; bytes >>= 1) {
    try {
      for (;;) Region.create(bytes, { arena: small });
    } catch (full) {
      expect(hasCode(full, 'SLUICE_ARENA_FULL')).toBe(true);
    }
  }
  const first = limit(() => 'first').catch((failure: unknown) => hasCode(failure, 'SLUICE_ARENA_FULL'));
  semaphore.release();
  const second = limit(() => 'second');
  expect(await Promise.all([first, second])).toEqual([true, 'second']);
  expect([limit.activeCount, limit.pendingCount, semaphore.available]).toEqual([0, 0, 1]);
});

test('many calls with one signal share one listener, which is removed when all have begun', async () => {
  const { limit, stage, first } = await busy();
  const { signal } = new AbortController();
  const calls = Array.from({ length: 30 }, (_, index) => limit.run(stage.play, { args: [`${index}`], signal }));
  await turns();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await stage.endAll();
  await Promise.all([first, ...calls]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('an abort drops all waiting calls of its signal, but no call that has begun', async () => {
  const { limit, stage, first } = await busy();
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 12 }, (_, index) => limit.run(stage.play, { args: [`${index}`], signal }));
  const ends = Promise.allSettled(calls);
  await stage.end('first');
  expect(stage.running).toEqual(['0']);
  controller.abort('enough');
  await stage.endAll();
  expect([await first, ...(await ends)]).toEqual([
    'first',
    { status: 'fulfilled', value: '0' },
    ...Array.from({ length: 11 }, () => ({ status: 'rejected', reason: 'enough' })),
  ]);
});
