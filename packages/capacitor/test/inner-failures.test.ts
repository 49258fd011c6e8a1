// Failures of the inner lock after its agent has arrived at the capacitor.

import { Arena } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { busyFor } from '../../../tools/conformance/src/observe.ts';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { CapacitorLock } from '../src/index.ts';
import { MUTEX } from './support/inner-kinds.ts';
import { gateOf, insideOf } from './support/routes.ts';
import { ScriptedLock } from './support/third-party.ts';
import { fixRandom, wrap } from './support/wrapped.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);
const FAILURE = new Error('the inner lock is broken');

afterEach(() => void vi.restoreAllMocks());

/** Throws the given value, which need not be an error. */
function fail(failure: unknown): never {
  throw failure;
}

function broken(): never {
  throw FAILURE;
}

function createScripted(): { inner: ScriptedLock; lock: CapacitorLock } {
  const inner = new ScriptedLock();
  return { inner, lock: CapacitorLock.create(inner, { arena, bypassLimit: 1 }) };
}

function expectNobodyInside(lock: CapacitorLock): void {
  expectNobodyInsideNow(lock);
  lock.lock();
  expect(insideOf(lock)).toBe(1);
  lock.unlock();
}

type Part = 'lock' | 'tryLock' | 'lockAsync';

const WAYS: readonly (readonly [way: string, breaks: Part, take: (lock: CapacitorLock) => unknown])[] = [
  ['lock()', 'lock', (lock) => lock.lock()],
  ['hold()', 'lock', (lock) => lock.hold()],
  ['run(body)', 'lock', (lock) => lock.run(() => expect.unreachable())],
  ['tryLock()', 'tryLock', (lock) => lock.tryLock()],
  ['tryLock(5)', 'tryLock', (lock) => lock.tryLock(5)],
  ['tryHold()', 'tryLock', (lock) => lock.tryHold()],
  ['lockAsync()', 'lockAsync', (lock) => lock.lockAsync()],
  ['holdAsync()', 'lockAsync', (lock) => lock.holdAsync()],
  ['runAsync(body)', 'lockAsync', (lock) => lock.runAsync(() => expect.unreachable())],
];

test.each(WAYS)(
  'when the inner lock throws, %s throws the same error, and the agent has departed',
  async (_, breaks, take) => {
    const { inner, lock } = createScripted();
    const works = inner[breaks];
    inner[breaks] = broken;
    for (let time = 0; time < 3; time++) await expect(Promise.resolve().then(() => take(lock))).rejects.toBe(FAILURE);
    Object.assign(inner, { [breaks]: works });
    expectNobodyInside(lock);
  },
);

test('when the inner lockAsync() rejects later, the call rejects with the same error, and the agent has departed', async () => {
  const { inner, lock } = createScripted();
  inner.lockAsync = () => turn().then(broken);
  await expect(lock.lockAsync()).rejects.toBe(FAILURE);
  expectNobodyInside(lock);
});

test.each([undefined, null, 7, 'why'])(
  'a thrown value that is not an error, %j, is passed on unchanged',
  async (failure) => {
    const { inner, lock } = createScripted();
    inner.lock = () => fail(failure);
    let seen: unknown = 'nothing';
    try {
      lock.lock();
    } catch (thrown) {
      seen = thrown;
    }
    expect(seen).toBe(failure);
    inner.lock = () => undefined;
    // This includes a reason of undefined.
    inner.lockAsync = () => new Promise(() => fail(failure));
    expect(await lock.lockAsync().catch((reason: unknown) => [reason])).toEqual([failure]);
    expectNobodyInside(lock);
  },
);

test('when the inner unlock() throws, the lock is still held and can be unlocked again', () => {
  const { inner, lock } = createScripted();
  lock.lock();
  inner.unlock = broken;
  for (let time = 0; time < 3; time++) expect(() => lock.unlock()).toThrow(FAILURE);
  expect([lock.owned, insideOf(lock)]).toEqual([true, 1]);
  inner.unlock = () => undefined;
  lock.unlock();
  expectNobodyInside(lock);
});

test('when the inner tryLock() returns false, the agent departs', () => {
  const { inner, lock } = createScripted();
  inner.tryLock = () => false;
  expect([lock.tryLock(), lock.tryLock(5), lock.tryLock(Infinity), lock.tryHold()]).toEqual([
    false,
    false,
    false,
    null,
  ]);
  inner.tryLock = () => true;
  expectNobodyInside(lock);
});

describe('timeouts', () => {
  test('both waits share one timeout, and the inner lock gets the rest of it', async () => {
    const { inner, lock } = createScripted();
    const told: (number | undefined)[] = [];
    inner.tryLock = (timeoutMs) => told.push(timeoutMs) > 0;
    inner.lockAsync = (options) => Promise.resolve(void told.push(options?.timeout));
    for (const timeout of [0, Infinity, 1000]) {
      expect(lock.tryLock(timeout)).toBe(true);
      lock.unlock();
      await lock.lockAsync({ timeout });
      lock.unlock();
    }
    expect(told.slice(0, 4)).toEqual([0, 0, Infinity, Infinity]);
    for (const left of told.slice(4)) expect(left !== undefined && left > 0 && left <= 1000).toBe(true);
    await lock.lockAsync();
    expect(told.at(-1)).toBe(Infinity);
    lock.unlock();
  });

  test('the time waited at the capacitor is not available at the inner lock', async () => {
    const { inner, lock } = createScripted();
    const told: (number | undefined)[] = [];
    inner.lockAsync = (options) => Promise.resolve(void told.push(options?.timeout));
    lock.lock();
    const waits = [lock.lockAsync({ timeout: 10_000 }), lock.runAsync(() => 0, { timeout: 10_000 })];
    busyFor(5);
    lock.unlock();
    await waits[0];
    lock.unlock();
    await waits[1];
    for (const left of told) expect(left).toBeLessThanOrEqual(9995);
    expect(told).toHaveLength(2);
  });

  test.each(['lockAsync', 'holdAsync', 'runAsync', 'takeOverAsync'] as const)(
    '%s that times out at the inner lock names the capacitor lock and the timeout of its caller',
    async (form) => {
      const mutex = Mutex.create({ arena, name: 'inner' });
      const lock = CapacitorLock.create(mutex, { arena, name: 'whole', bypassLimit: 2 });
      mutex.lock();
      const options = { timeout: 10 };
      const wait = form === 'runAsync' ? lock.runAsync(() => 0, options) : lock[form](options);
      await expect(wait).rejects.toMatchObject({
        code: 'SLUICE_TIMEOUT',
        message: expect.stringMatching(
          /^CapacitorLock 'whole': Mutex 'inner' could not be locked within 10 ms: held by .* It was not locked\.$/,
        ) as unknown,
      });
      mutex.unlock();
      expect(gateOf(lock).empty).toBe(true);
    },
  );

  test('the inner lock gets the signal and ref', async () => {
    const { inner, lock } = createScripted();
    const { signal } = new AbortController();
    let got: unknown;
    inner.lockAsync = (options) => Promise.resolve(void (got = options));
    await lock.lockAsync({ signal, ref: false });
    expect(got).toEqual({ signal, ref: false, timeout: Infinity });
    lock.unlock();
  });
});

describe('an agent that waits at the inner lock, behind an agent that bypassed the capacitor,', () => {
  const create = (): { ours: CapacitorLock; theirs: CapacitorLock; inner: Mutex } => {
    const { inner, ours, theirInner } = wrap(arena, other, MUTEX, { bypassLimit: 1 });
    return { ours, inner: inner as Mutex, theirs: theirInner as unknown as CapacitorLock };
  };

  test('has departed after it times out', async () => {
    const { ours, theirs } = create();
    theirs.lock();
    expect(ours.tryLock(5)).toBe(false);
    expectNobodyInsideNow(ours);
    for (const timeout of [0, 5]) {
      await expect(ours.lockAsync({ timeout })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
      await expect(ours.runAsync(() => expect.unreachable(), { timeout })).rejects.toMatchObject({
        code: 'SLUICE_TIMEOUT',
      });
      expectNobodyInsideNow(ours);
    }
    theirs.unlock();
    expectNobodyInside(ours);
  });

  test('has departed after it is aborted', async () => {
    const { ours, theirs } = create();
    theirs.lock();
    const lockAsync = (signal: AbortSignal): Promise<unknown> => ours.lockAsync({ signal });
    const runAsync = (signal: AbortSignal): Promise<unknown> => ours.runAsync(() => 0, { signal });
    for (const wait of [lockAsync, runAsync]) {
      const controller = new AbortController();
      const waiter = wait(controller.signal).catch((reason: unknown) => reason);
      await turn();
      expect(insideOf(ours)).toBe(1);
      controller.abort('why');
      expect(await waiter).toBe('why');
      expectNobodyInsideNow(ours);
    }
    theirs.unlock();
    expectNobodyInside(ours);
  });

  test('leaves nothing behind if it is admitted after an abort, or aborted after its admission', async () => {
    const { ours } = create();
    ours.lock();
    const controller = new AbortController();
    const first = ours.lockAsync({ signal: controller.signal }).catch((reason: unknown) => reason);
    const second = ours.lockAsync();
    ours.unlock();
    controller.abort('between');
    expect(await first).toBe('between');
    await second;
    ours.unlock();
    expectNobodyInside(ours);
  });
});

describe.each([
  ['a third party’s lock', () => new ScriptedLock()],
  ['an owned lock', () => Mutex.create({ arena })],
] as const)('the body of run or runAsync, with %s', (_, createInner) => {
  const create = (fraction = 0): CapacitorLock =>
    CapacitorLock.create(createInner(), { arena, bypassLimit: 1, fraction });

  test('may throw or reject: no agent is inside afterwards', async () => {
    const lock = create();
    expect(() => lock.run(broken)).toThrow(FAILURE);
    await expect(lock.runAsync(broken)).rejects.toBe(FAILURE);
    await expect(lock.runAsync(() => turn().then(broken))).rejects.toBe(FAILURE);
    expectNobodyInside(lock);
  });

  test('a body that unlocks by hand makes the call throw, and the lock stays usable', async () => {
    const lock = create();
    expect(() => lock.run(() => lock.unlock())).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    await expect(lock.runAsync(() => lock.unlock())).rejects.toMatchObject({ code: 'SLUICE_MISUSE' });
    expectNobodyInside(lock);
  });

  test('may unlock and lock again', () => {
    const lock = create();
    lock.run(() => {
      lock.unlock();
      lock.lock();
    });
    expectNobodyInside(lock);
  });

  test('may unlock and lock again, even by another route', () => {
    const lock = create(0.5);
    fixRandom(0, 0.9, 0.9);
    lock.run(() => {
      lock.unlock();
      lock.lock();
    });
    expect([insideOf(lock), lock.owned, gateOf(lock).empty]).toEqual([0, false, true]);
    lock.lock();
    expect(insideOf(lock)).toBe(1);
    lock.unlock();
    expectNobodyInsideNow(lock);
  });
});

function expectNobodyInsideNow(lock: CapacitorLock): void {
  expect([insideOf(lock), gateOf(lock).empty, lock.owned]).toEqual([0, true, false]);
}
