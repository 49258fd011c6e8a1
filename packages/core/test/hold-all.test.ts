// Tests the calls that acquire several locks: what they acquire, what they leave when they fail, and their errors.

import { describe, expect, test } from 'vitest';
import {
  Arena,
  hasCode,
  holdAll,
  holdAllAsync,
  runAll,
  runAllAsync,
  Semaphore,
  TimeoutError,
  tryHoldAll,
  type Guard,
  type PlacedLock,
} from '../src/index.ts';
import { rejection, turn } from '../../../tools/conformance/src/observe.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';

const arena = Arena.create({ maxPages: 16 });

function locks(count: number): SemaphoreLock[] {
  return Array.from({ length: count }, (_, index) => SemaphoreLock.create({ arena, name: `lock ${index}` }));
}

function owned(all: readonly SemaphoreLock[]): boolean[] {
  return all.map((lock) => lock.owned);
}

/** Returns the lock as it logs the calls that acquire and release it. */
function logged(log: string[], lock: SemaphoreLock): PlacedLock {
  const name = String(lock).slice(-2, -1);
  return {
    lock: () => {
      log.push(`+${name}`);
      lock.lock();
    },
    tryLock: (timeoutMs) => {
      log.push(`+${name}`);
      return lock.tryLock(timeoutMs);
    },
    lockAsync: (options) => {
      log.push(`+${name}`);
      return lock.lockAsync(options);
    },
    unlock: () => {
      log.push(`-${name}`);
      lock.unlock();
    },
    handle: lock.handle,
  } as PlacedLock;
}

/** Each call with locks that it can acquire at once. */
const CALLS: readonly (readonly [name: string, call: (all: readonly PlacedLock[]) => Promise<Guard | null>])[] = [
  ['holdAll', async (all) => Promise.resolve(holdAll(all))],
  ['tryHoldAll', async (all) => Promise.resolve(tryHoldAll(all))],
  ['tryHoldAll within 5 ms', async (all) => Promise.resolve(tryHoldAll(all, 5))],
  ['holdAllAsync', (all) => holdAllAsync(all)],
  ['holdAllAsync within 5 ms', (all) => holdAllAsync(all, { timeout: 5 })],
];

describe.each(CALLS)('%s', (_name, call) => {
  test('acquires all locks, and the guard releases them once', async () => {
    const all = locks(3);
    const guard = await call(all);
    expect([guard?.held, owned(all)]).toEqual([true, [true, true, true]]);
    guard?.release();
    expect([guard?.held, owned(all)]).toEqual([false, [false, false, false]]);
    all[0]?.lock();
    guard?.release();
    expect(all[0]?.owned).toBe(true);
    all[0]?.unlock();
  });

  test('acquires the locks in one order, whatever the order of the arguments, and releases the last one first', async () => {
    const all = locks(4);
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
    ]) {
      const log: string[] = [];
      const guard = await call(order.map((index) => logged(log, all[index] as SemaphoreLock)));
      guard?.release();
      expect(log.join(' ')).toBe('+0 +1 +2 +3 -3 -2 -1 -0');
    }
  });

  test('acquires a lock once that is given twice', async () => {
    const [one, two] = locks(2) as [SemaphoreLock, SemaphoreLock];
    const guard = await call([two, one, two, SemaphoreLock.from(one.handle)]);
    expect(owned([one, two])).toEqual([true, true]);
    guard?.release();
    expect(owned([one, two])).toEqual([false, false]);
  });

  test('adds up the permits of one semaphore', async () => {
    const slots = Semaphore.create(8, { arena });
    const guard = await call([slots.asLock(3), slots.asLock(), Semaphore.from(slots.handle).asLock(2)]);
    expect(slots.available).toBe(2);
    guard?.release();
    expect(slots.available).toBe(8);
    const three = slots.asLock(3);
    const once = await call([three, three]);
    expect(slots.available).toBe(5);
    once?.release();
    expect(slots.available).toBe(8);
  });

  test('a call with no locks returns a guard', async () => {
    const guard = await call([]);
    expect(guard?.held).toBe(true);
    guard?.release();
  });
});

test('one agent acquires permits of one semaphore in one step, so two calls that need all of them cannot block each other', async () => {
  const slots = Semaphore.create(2, { arena });
  const twice = [slots.asLock(), slots.asLock()];
  const results = await Promise.all([1, 2, 3].map((task) => runAllAsync(twice, () => task)));
  expect([results, slots.available]).toEqual([[1, 2, 3], 2]);
});

describe('a call that cannot acquire one of the locks', () => {
  test('tryHoldAll() returns null and keeps none of the locks that it acquired', () => {
    const [one, two, three] = locks(3) as [SemaphoreLock, SemaphoreLock, SemaphoreLock];
    two.lock();
    for (const timeoutMs of [undefined, 0, 2]) {
      expect(tryHoldAll([three, two, one], timeoutMs)).toBeNull();
      expect(owned([one, two, three])).toEqual([false, true, false]);
    }
    two.unlock();
  });

  test('holdAll() throws the error of the lock and keeps none of the locks that it acquired', () => {
    const [one, two, three] = locks(3) as [SemaphoreLock, SemaphoreLock, SemaphoreLock];
    two.lock();
    for (const call of [
      () => holdAll([three, two, one]),
      () => tryHoldAll([three, two, one], Infinity),
      () => runAll([three, two, one], () => 0),
    ]) {
      expect(call).toThrow(/SemaphoreLock 'lock 1' is owned by this agent/);
      expect(owned([one, two, three])).toEqual([false, true, false]);
    }
    two.unlock();
  });

  test('holdAllAsync() rejects with one timeout for all locks, and the locks before it are free', async () => {
    const [one, two, three] = locks(3) as [SemaphoreLock, SemaphoreLock, SemaphoreLock];
    two.lock();
    for (const call of [
      () => holdAllAsync([three, two, one], { timeout: 5 }),
      () => runAllAsync([three, two, one], () => 0, { timeout: 5 }),
      () => holdAllAsync([three, two, one], { timeout: 0 }),
    ]) {
      const failure = await rejection(call());
      expect(hasCode(failure, 'SLUICE_TIMEOUT')).toBe(true);
      expect(String(failure)).toMatch(
        /All(Async)? of SemaphoreLock 'lock 0', SemaphoreLock 'lock 1', SemaphoreLock 'lock 2': timed out after [05] ms\. No lock was acquired\. Semaphore(Lock)? 'lock 1'/,
      );
      expect([owned([one, two, three]), two.waiting]).toEqual([[false, true, false], 0]);
    }
    two.unlock();
  });

  test('holdAllAsync() rejects with the reason of an abort, also between two locks', async () => {
    const [one, two, three] = locks(3) as [SemaphoreLock, SemaphoreLock, SemaphoreLock];
    const reason = new Error('enough');
    two.lock();
    const waits = new AbortController();
    const waiting = rejection(holdAllAsync([one, two, three], { signal: waits.signal }));
    while (two.waiting === 0) await turn();
    expect(one.owned).toBe(true);
    waits.abort(reason);
    expect(await waiting).toBe(reason);
    expect([owned([one, two, three]), two.waiting]).toEqual([[false, true, false], 0]);
    two.unlock();

    const between = new AbortController();
    const abort = {
      ...logged([], two),
      lockAsync: async () => Promise.resolve().then(() => between.abort(reason)),
    } as PlacedLock;
    two.lock();
    expect(await rejection(holdAllAsync([three, abort, one], { signal: between.signal }))).toBe(reason);
    expect(owned([one, two, three])).toEqual([false, false, false]);

    // The reason of an abort is passed on as it is, also if it is a timeout, as that of a scope is.
    const late = new TimeoutError('The scope was too late.');
    two.lock();
    const scope = new AbortController();
    for (const timeout of [undefined, 100_000]) {
      const aborted = rejection(holdAllAsync([one, two], { signal: scope.signal, ...(timeout && { timeout }) }));
      if (!scope.signal.aborted) {
        while (two.waiting === 0) await turn();
        scope.abort(late);
      }
      expect(await aborted).toBe(late);
    }
    two.unlock();

    const before = AbortSignal.abort(reason);
    expect(await rejection(runAllAsync([one], () => 0, { signal: before }))).toBe(reason);
    expect(one.owned).toBe(false);
  });

  test('a grant that came before the abort wins', async () => {
    const all = locks(2);
    const controller = new AbortController();
    const guard = await holdAllAsync(all, { signal: controller.signal });
    controller.abort();
    expect([guard.held, owned(all)]).toEqual([true, [true, true]]);
    guard.release();
  });

  test('a closed semaphore releases the locks before it', async () => {
    const [lock] = locks(1) as [SemaphoreLock];
    const closed = Semaphore.create(1, { arena });
    closed.close();
    for (const call of [
      () => holdAll([closed.asLock(), lock]),
      () => tryHoldAll([closed.asLock(), lock]),
      () => holdAllAsync([closed.asLock(), lock]),
    ]) {
      expect(hasCode(await rejection(Promise.resolve().then(call)), 'SLUICE_CLOSED')).toBe(true);
      expect(lock.owned).toBe(false);
    }
  });

  test('permits of one semaphore that are more than its maximum together throw, and nothing is held', () => {
    const [lock] = locks(1) as [SemaphoreLock];
    const slots = Semaphore.create(3, { arena, max: 3, name: 'slots' });
    expect(() => holdAll([lock, slots.asLock(2), slots.asLock(2)])).toThrow(
      "Semaphore 'slots': permits must be a whole number from 1 to 3: received 4",
    );
    expect([lock.owned, slots.available]).toEqual([false, 3]);
  });
});

describe('runAll() and runAllAsync()', () => {
  test('return the result of the body, and release all locks', async () => {
    const all = locks(2);
    expect(runAll(all, () => owned(all))).toEqual([true, true]);
    expect(await runAllAsync(all, () => owned(all))).toEqual([true, true]);
    const late = runAllAsync(all, async () => {
      await turn();
      return owned(all);
    });
    expect(await late).toEqual([true, true]);
    expect(owned(all)).toEqual([false, false]);
  });

  test('release all locks if the body throws', async () => {
    const all = locks(2);
    const reason = new Error('inside');
    const fails = (): never => {
      throw reason;
    };
    expect(() => runAll(all, fails)).toThrow(reason);
    expect(await rejection(runAllAsync(all, fails))).toBe(reason);
    expect(owned(all)).toEqual([false, false]);
  });

  test('runAll() refuses an async body before it acquires anything, and a promise after the release', async () => {
    const all = locks(2);
    let called = 0;
    const later = (async () => Promise.resolve(called++)) as unknown as () => number;
    expect(() => runAll(all, later)).toThrow(/^runAll of .* cannot run an async function.* Use runAllAsync\./);
    expect(called).toBe(0);
    const promise = Promise.resolve(1);
    const failure = await rejection(Promise.resolve().then(() => runAll(all, () => promise as unknown as number)));
    expect(failure).toMatchObject({ code: 'SLUICE_MISUSE', cause: promise });
    expect(String(failure)).toContain('the body returned a promise');
    expect(owned(all)).toEqual([false, false]);
  });

  test('a body that has released one lock itself gets the error, and the other locks are released', () => {
    const [one, two, three] = locks(3) as [SemaphoreLock, SemaphoreLock, SemaphoreLock];
    expect(() => runAll([one, two, three], () => two.unlock())).toThrow(/'lock 1' cannot be unlocked/);
    expect(owned([one, two, three])).toEqual([false, false, false]);
  });
});

test('tasks of one agent wait in the lines of the locks, in their order', async () => {
  const all = locks(2);
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3].map((task) => runAllAsync(task % 2 === 0 ? all : all.toReversed(), () => order.push(task))),
  );
  expect(order).toEqual([1, 2, 3]);
});

describe('wrong arguments', () => {
  const [first] = locks(1) as [SemaphoreLock];
  const semaphore = Semaphore.create(1, { arena, name: 'slots' });
  const unplaced: PlacedLock = {
    lock: () => undefined,
    tryLock: () => true,
    lockAsync: () => Promise.resolve(),
    unlock: () => undefined,
  };
  const ROWS: readonly (readonly [what: string, locks: unknown, says: string])[] = [
    ['a lock in place of the array', first, 'expects an array of locks, such as [a, b]: received an object of type'],
    ['undefined', undefined, 'expects an array of locks, such as [a, b]: received undefined'],
    ['a number', [first, 5], 'element 1 is not a lock: received 5. Nothing was locked.'],
    ['null', [null], 'element 0 is not a lock: received null'],
    ['a hole', [first, , first], 'element 1 is not a lock: received undefined'], // eslint-disable-line no-sparse-arrays
    [
      'a semaphore',
      [first, semaphore],
      "element 1 is Semaphore 'slots': pass its permits as a lock, semaphore.asLock(1)",
    ],
    ['a lock without a position', [unplaced, first], 'element 0 is [object Object], which has no position in an arena'],
  ];
  const WAYS: readonly (readonly [name: string, call: (all: never) => unknown])[] = [
    ['holdAll', (all) => holdAll(all)],
    ['tryHoldAll', (all) => tryHoldAll(all)],
    ['runAll', (all) => runAll(all, () => 0)],
    ['holdAllAsync', (all) => holdAllAsync(all)],
    ['runAllAsync', (all) => runAllAsync(all, () => 0)],
  ];

  test.each(ROWS)('every form refuses %s, and acquires no lock', async (_what, all, says) => {
    for (const [name, call] of WAYS) {
      const promised = Promise.resolve().then(() => call(all as never));
      const failure = await rejection(promised);
      expect(failure).toBeInstanceOf(TypeError);
      expect(String(failure)).toContain(`${name}${says.startsWith('expects') ? '' : ':'} ${says}`);
    }
    expect([first.owned, semaphore.available]).toEqual([false, 1]);
  });

  test('a timeout, an option or a body of the wrong type is refused, and no lock is acquired', async () => {
    const all = [first];
    const wrong = (value: unknown): never => value as never;
    for (const call of [
      () => tryHoldAll(all, wrong('5')),
      () => tryHoldAll(all, -1),
      () => runAll(all, wrong(5)),
      () => runAll(all, () => 0, wrong({ timeout: 5 })),
      () => runAll(all, () => 0, wrong({ onOwnerDied: 1 })),
    ])
      expect(call).toThrow(/must be|Unknown option/);
    for (const call of [
      () => holdAllAsync(all, wrong({ timeoutMs: 5 })),
      () => holdAllAsync(all, wrong(5)),
      () => runAllAsync(all, wrong(5)),
      () => runAllAsync(all, () => 0, wrong({ Timeout: 5 })),
    ])
      expect(String(await rejection(call()))).toMatch(/must be|Unknown option/);
    expect(first.owned).toBe(false);
  });

  test('the async forms reject and never throw', async () => {
    const promises = [holdAllAsync(first as never), runAllAsync(first as never, () => 0)];
    for (const promise of promises) await expect(promise).rejects.toThrow(TypeError);
  });
});
