// Tests functions of the caller that throw while a call holds a slot of a limit, the turn of a publisher, the writers'
// lock of a cell, or an attempt.

import { describe, expect, test } from 'vitest';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { Lazy, Once } from '../../../packages/event/src/index.ts';
import { createLimit } from '../../../packages/limit/src/index.ts';
import { Mutex } from '../../../packages/mutex/src/index.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { SeqLock } from '../../../packages/seq-lock/src/index.ts';

const FAULT = new Error('the fault');

function fail(): never {
  throw FAULT;
}

const settled = async (act: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(act)
    .then(
      () => 'done',
      (failure: unknown) => failure,
    );

/** The codec fails at 0. */
const codec = {
  name: 'own',
  encode: (value: number): Uint8Array => (value === 0 ? fail() : Uint8Array.of(value)),
  decode: ([value]: Uint8Array): number => (value === 9 ? fail() : (value as number)),
};

const LIMITS = {
  'a limit': () => createLimit(1),
  'a limit with an interval': () => createLimit({ concurrency: 1, interval: 1, intervalCap: 1000 }),
};

describe.each(Object.entries(LIMITS))('%s', (_, make) => {
  const FUNCTIONS: Readonly<Record<string, () => unknown>> = {
    'that throws': fail,
    'that rejects': () => Promise.reject(FAULT),
    'that returns a thenable that throws': () => ({ then: fail }),
    'that returns an object whose `then` throws': () => Object.defineProperty({}, 'then', { get: fail }),
    'that returns a proxy that throws': () => new Proxy({}, { get: fail }),
  };

  test.each(Object.entries(FUNCTIONS))(
    'frees its slot after a function %s, and starts the next one',
    async (_name, act) => {
      const limit = make();
      // The second call waits for the slot of the first.
      expect(await Promise.all([settled(() => limit(act)), settled(() => limit(act))])).toEqual([FAULT, FAULT]);
      expect([limit.activeCount, limit.pendingCount]).toEqual([0, 0]);
      expect(await limit(() => 1)).toBe(1);
    },
  );

  test('loses no slot to a call whose signal throws, at once and behind a running call', async () => {
    const limit = make();
    const broken = { aborted: false, addEventListener: fail, removeEventListener: () => undefined } as never;
    const running = limit(() => Promise.resolve());
    expect(await settled(() => limit.run(() => 1, { signal: broken }))).toBeInstanceOf(Error);
    await running;
    expect([limit.activeCount, limit.pendingCount]).toEqual([0, 0]);
    expect(await limit(() => 1)).toBe(1);
  });
});

test('a publisher whose codec throws keeps no turn, and a subscription whose codec throws skips only that value', async () => {
  for (const overflow of ['lag', 'wait'] as const) {
    const broadcast = Broadcast.create<number>({ codec, capacity: 4, maxBytes: 8, overflow } as never);
    const heard = broadcast.subscribe();
    expect(await settled(() => broadcast.publish(0))).toBe(FAULT);
    expect(await settled(() => broadcast.publishAsync(0))).toBe(FAULT);
    for (const value of [9, 1]) broadcast.publish(value);
    expect(await settled(() => heard.next())).toBe(FAULT);
    expect(heard.next()).toBe(1);
  }
});

test('a cell whose codec throws keeps its value, and accepts the next one', async () => {
  const cell = WatchCell.create<number>(1, { codec, maxBytes: 8 } as never);
  expect(await settled(() => cell.set(0))).toBe(FAULT);
  expect(
    await settled(() => (cell as unknown as { update?: (by: () => number) => void }).update?.(fail) ?? fail()),
  ).toBe(FAULT);
  expect(cell.get()).toBe(1);
  cell.set(2);
  expect(cell.get()).toBe(2);
});

test('after an attempt whose function or codec throws, the next attempt runs', async () => {
  const once = Once.create();
  expect(await settled(() => once.run(fail))).toBe(FAULT);
  expect(await settled(() => once.runAsync(() => Promise.reject(FAULT)))).toBe(FAULT);
  expect(await settled(() => once.run(() => undefined))).toBe('done');
  const lazy = Lazy.create<number>({ codec, capacity: 8 } as never);
  for (const bad of [fail, () => 0, () => 9]) expect(await settled(() => lazy.get(bad))).toBe(FAULT);
  expect(lazy.get(() => 3)).toBe(3);
});

test('locks are free after a body has thrown', async () => {
  const mutex = Mutex.create();
  const keyed = KeyedMutex.create();
  const seq = SeqLock.create({ byteLength: 8 });
  for (const act of [
    () => mutex.run(fail),
    () => mutex.runAsync(() => Promise.reject(FAULT)),
    () => keyed.run('key', fail),
    () => keyed.runAsync('key', () => Promise.reject(FAULT)),
    () => seq.update(fail),
  ]) {
    expect(await settled(act)).toBe(FAULT);
  }
  expect([mutex.tryLock(), keyed.tryLock('key')]).toEqual([true, true]);
  expect(await settled(() => seq.update(() => undefined))).toBe('done');
});
