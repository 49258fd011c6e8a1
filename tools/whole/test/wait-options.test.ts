// Tests unknown options. A wait with a misspelt option could wait forever, so every async form, every `create` and
// every `from` throws an error that names the option.

import { describe, expect, test } from 'vitest';
import {
  addressWaitUntilAsync,
  keyMonitor,
  keyWaitAsync,
  parkAsync,
  SharedWord,
  waitOnAddressAsync,
} from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier, CountdownLatch } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Capacitor, CapacitorLock, LanedCapacitor, Turnstile } from '../../../packages/capacitor/src/index.ts';
import { Condition, Mutex } from '../../../packages/mutex/src/index.ts';
import { Arena, holdAllAsync, Region, runAllAsync, Semaphore } from '../../../packages/core/src/index.ts';
import { Lazy, ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { EventCount } from '../../../packages/classics/src/index.ts';
import { createLimit, RateLimiter } from '../../../packages/limit/src/index.ts';
import { SharedCache } from '../../../packages/cache/src/index.ts';
import {
  KeyedLimit,
  KeyedMutex,
  KeyedRateLimiter,
  LockManager,
  namedAsync,
} from '../../../packages/named/src/index.ts';
import { SeqLock } from '../../../packages/seq-lock/src/index.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { rejection } from '../../conformance/src/observe.ts';
import { arena, call, look, methodsOf, PACKAGES, SAMPLES } from './samples.ts';
import { withoutAges } from '../../../packages/core/test/support/without-ages.ts';

const body = (): number => 1;

/** The arguments of each async form before its options. A form without a row here fails. */
const FORMS: Readonly<Record<string, (instance: object) => readonly unknown[]>> = {
  acquireAsync: (instance) => [...keyOf(instance), 1],
  acquireGuardAsync: () => [1],
  waitForUnlockAsync: () => [1],
  waitManyAsync: () => [1],
  lockAsync: keyOf,
  awaitAsync: () => [1],
  waitAsync: () => [],
  changedAsync: () => [],
  nextAsync: () => [],
  waitForAsync: () => [() => true],
  takeOverAsync: keyOf,
  readAsync: () => [undefined],
  writeAsync: () => [() => undefined],
  updateAsync: () => [() => undefined],
  reserveAsync: () => [1],
  arriveAsync: () => [],
  publishAsync: () => [1],
  pushAsync: () => [1],
  pushManyAsync: () => [[1, 2]],
  popAsync: () => [],
  popManyAsync: () => [1],
  holdAsync: (instance) => (countsPermits(instance) ? [1] : keyOf(instance)),
  runAsync: (instance) => [...keyOf(instance), body, ...(countsPermits(instance) ? [1] : [])],
  getAsync: (instance) => (instance instanceof SharedCache ? ['key', body] : [body]),
};

/** Calls of which an argument is a number. */
const NUMBERED = [
  'acquireAsync',
  'acquireGuardAsync',
  'waitForUnlockAsync',
  'waitManyAsync',
  'awaitAsync',
  'reserveAsync',
  'popManyAsync',
  'holdAsync',
  'runAsync',
];

/** Async forms without options, and the protected one, whose options the public ones have checked. */
const WITHOUT_OPTIONS = ['closeAsync', 'enterAsync'];

function keyOf(instance: object): readonly unknown[] {
  return [KeyedMutex, KeyedLimit, KeyedRateLimiter].some((Class) => instance instanceof Class) ? ['key'] : [];
}

function countsPermits(instance: object): boolean {
  return 'acquireAsync' in instance;
}

function asyncForms(): { readonly title: string; readonly method: string; readonly make: () => object }[] {
  return SAMPLES.flatMap(({ name, make }) =>
    methodsOf(make())
      .filter((method) => method.endsWith('Async') && !WITHOUT_OPTIONS.includes(method))
      .map((method) => ({ title: `${name}.${method}`, method, make })),
  );
}

const word = SharedWord.create(0, { arena });
const locks = [Mutex.create({ arena }), Semaphore.create(1, { arena }).asLock()];

/** Async forms that are functions, and those of a limit, which are named otherwise. */
const FUNCTIONS: Readonly<Record<string, (options: object) => Promise<unknown>>> = {
  addressWaitUntilAsync: (options) => addressWaitUntilAsync(word, () => true, options),
  parkAsync: (options) => parkAsync(arena, options),
  keyWaitAsync: (options) => keyWaitAsync(word, keyMonitor(word), options),
  waitOnAddressAsync: (options) => waitOnAddressAsync(word, 0, options),
  namedAsync: (options) => namedAsync(arena, 'sample', Mutex, undefined, options),
  holdAllAsync: (options) => holdAllAsync(locks, options),
  runAllAsync: (options) => runAllAsync(locks, body, options),
  'limit.run': (options) => createLimit(1, { arena }).run(body, options),
};

describe('an unknown option', () => {
  test('is tested in every async form', () => {
    expect(asyncForms().length).toBeGreaterThan(50);
    const missing = asyncForms().filter(({ method }) => FORMS[method] === undefined);
    expect(missing).toEqual([]);
    const functions = Object.values(PACKAGES).flatMap((exported) =>
      Object.keys(exported).filter((name) => name.endsWith('Async')),
    );
    expect(functions.filter((name) => FUNCTIONS[name] === undefined)).toEqual([]);
  });

  test.each(asyncForms())(
    'an unknown option of $title rejects with a TypeError that names it, and nothing is taken',
    async ({ method, make }) => {
      const instance = make();
      const before = look(instance);
      const args = FORMS[method]?.(instance) ?? [];
      for (const wrong of ['timeoutMs', 'Timeout', 'abort']) {
        const failure = await rejection(call(instance, method, ...args, { [wrong]: 20 }) as Promise<unknown>);
        expect(failure).toBeInstanceOf(TypeError);
        expect((failure as Error).message).toContain(`Unknown option "${wrong}": expected one of timeout, signal, ref`);
      }
      expect(withoutAges(look(instance))).toEqual(withoutAges(before));
    },
  );

  test.each(asyncForms())('$title throws for a signal in place of the options', async ({ method, make }) => {
    const instance = make();
    const args = FORMS[method]?.(instance) ?? [];
    const failure = await rejection(call(instance, method, ...args, new AbortController().signal) as Promise<unknown>);
    expect(failure).toMatchObject({
      name: 'TypeError',
      message: 'The options must be an object such as { signal }: received an AbortSignal',
    });
  });

  const numbered = asyncForms().filter(
    ({ method, make }) => NUMBERED.includes(method) && (FORMS[method]?.(make()) ?? []).at(-1) === 1,
  );

  test.each(numbered)(
    'the error for options in place of the number of $title shows a call with both',
    async ({ method, make }) => {
      const instance = make();
      const before = look(instance);
      const args = FORMS[method]?.(instance).slice(0, -1) ?? [];
      for (const [options, shown] of [
        [{ timeout: 20, ref: false }, '{ timeout, ref }'],
        [new AbortController().signal, '{ signal }'],
      ] as const) {
        const failure = await rejection(call(instance, method, ...args, options) as Promise<unknown>);
        expect(failure).toBeInstanceOf(TypeError);
        expect((failure as Error).message).toMatch(
          / must be a number: received an object of type \w+\. Options come after the number: /,
        );
        const key = keyOf(instance).length === 0 ? '' : 'key, ';
        expect((failure as Error).message).toContain(`Async(${key}1, ${shown})`);
        if (method === 'runAsync') expect((failure as Error).message).toContain(`runAsync(${key}body, 1, ${shown})`);
      }
      expect(withoutAges(look(instance))).toEqual(withoutAges(before));
    },
  );

  test.each(asyncForms())(
    'the error for a number in place of the options of $title shows options with that timeout',
    async ({ method, make }) => {
      const instance = make();
      const failure = await rejection(
        call(instance, method, ...(FORMS[method]?.(instance) ?? []), 50) as Promise<unknown>,
      );
      expect(failure).toMatchObject({
        name: 'TypeError',
        message: 'The options must be an object such as { timeout: 50 }: received 50',
      });
    },
  );

  const timed = SAMPLES.flatMap(({ name, make }) =>
    methodsOf(make())
      .filter((method) => ['tryLock', 'tryAcquire', 'tryWait'].includes(method))
      .map((method) => ({ title: `${name}.${method}`, method, make })),
  );

  test.each(timed)(
    'the error for options in place of the milliseconds of $title shows a number',
    ({ method, make }) => {
      const instance = make();
      const before = look(instance);
      const args = [...keyOf(instance), ...(method === 'tryAcquire' ? [1] : [])];
      const text =
        'The timeout must be a number: received an object of type Object. A call that does not return a promise takes the milliseconds alone, such as 50.';
      expect(() => call(instance, method, ...args, { timeout: 20 })).toThrow(text);
      expect(withoutAges(look(instance))).toEqual(withoutAges(before));
    },
  );

  test.each(asyncForms())('$title reads each option once', async ({ method, make }) => {
    const instance = make();
    const reads: string[] = [];
    const options = {
      get timeout(): number {
        reads.push('timeout');
        return 1000;
      },
      get ref(): boolean {
        reads.push('ref');
        return true;
      },
      get signal(): AbortSignal | undefined {
        reads.push('signal');
        return undefined;
      },
    };
    const settled = call(instance, method, ...(FORMS[method]?.(instance) ?? []), options) as Promise<unknown>;
    // Nothing ends this wait before its timeout, which must not end the process.
    settled.catch(() => undefined);
    await Promise.resolve();
    expect(reads.sort()).toEqual(['ref', 'signal', 'timeout']);
  });

  test.each(Object.entries(FUNCTIONS))(
    'an unknown option of %s rejects with a TypeError that names it',
    async (_name, form) => {
      const failure = await rejection(form({ timeoutMs: 20 }));
      expect(failure).toBeInstanceOf(TypeError);
      expect((failure as Error).message).toContain('Unknown option "timeoutMs": expected one of timeout, signal, ref');
      expect(await rejection(form(new AbortController().signal))).toBeInstanceOf(TypeError);
    },
  );

  test('an unknown option of pushManyAsync() throws even if there is nothing to push', async () => {
    const buffer = BoundedBuffer.create<number>({ arena, capacity: 2 });
    expect(await rejection(buffer.pushManyAsync([], { timeoutMs: 1 } as object))).toBeInstanceOf(TypeError);
  });
});

/** Static functions that take options, with the arguments before them. */
const MAKING: Readonly<Record<string, (options: object) => unknown>> = {
  'Arena.create': (options) => Arena.create(options),
  'Arena.from': (options) => Arena.from(arena.handle, options),
  'arena.watch': (options) => arena.watch({ threadId: 1, on: () => undefined, off: () => undefined }, options),
  'Region.create': (options) => Region.create(8, options),
  'SharedWord.create': (options) => SharedWord.create(0, options),
  'Semaphore.create': (options) => Semaphore.create(1, options),
  'Semaphore.from': (options) => Semaphore.from(Semaphore.create(1).handle, options),
  'Mutex.from': (options) => Mutex.from(Mutex.create().handle, options),
  'AutoResetEvent.from': (options) => AutoResetEvent.from(AutoResetEvent.create().handle, options),
  'ManualResetEvent.create': (options) => ManualResetEvent.create(options),
  'ManualResetEvent.from': (options) => ManualResetEvent.from(ManualResetEvent.create().handle, options),
  'Once.create': (options) => Once.create(options),
  'Once.from': (options) => Once.from(Once.create().handle, options),
  'Lazy.create': (options) => Lazy.create(options),
  'Lazy.from': (options) => Lazy.from(Lazy.create().handle, options),
  'Barrier.create': (options) => Barrier.create(2, options),
  'Barrier.from': (options) => Barrier.from(Barrier.create(2).handle, options),
  'EventCount.create': (options) => EventCount.create(options),
  'EventCount.from': (options) => EventCount.from(EventCount.create().handle, options),
  'CountdownLatch.create': (options) => CountdownLatch.create(1, options),
  'CountdownLatch.from': (options) => CountdownLatch.from(CountdownLatch.create().handle, options),
  'SeqLock.create': (options) => SeqLock.create({ byteLength: 8, ...options }),
  'SeqLock.from': (options) => SeqLock.from(SeqLock.create({ byteLength: 8 }).handle, options),
  'Condition.create': (options) => Condition.create(Mutex.create(), options),
  'Condition.from': (options) => {
    const mutex = Mutex.create();
    return Condition.from(Condition.create(mutex).handle, mutex, options);
  },
  'KeyedMutex.create': (options) => KeyedMutex.create(options),
  'SharedCache.create': (options) => SharedCache.create({ maxBytes: 4096, ...options }),
  'SharedCache.from': (options) => SharedCache.from(SharedCache.create({ maxBytes: 4096 }).handle, options),
  'LockManager.create': (options) => LockManager.create(options),
  'KeyedLimit.create': (options) => KeyedLimit.create({ concurrency: 1, ...options }),
  'KeyedRateLimiter.create': (options) => KeyedRateLimiter.create({ permits: 1, interval: 1, ...options }),
  'Broadcast.create': (options) => Broadcast.create(options),
  'Broadcast.from': (options) => Broadcast.from(Broadcast.create().handle, options),
  'broadcast.subscribe': (options) => Broadcast.create().subscribe(options),
  'WatchCell.create': (options) => WatchCell.create(1, options),
  'WatchCell.from': (options) => WatchCell.from(WatchCell.create(1).handle, options),
  'BoundedBuffer.create': (options) => BoundedBuffer.create(options),
  'BoundedBuffer.from': (options) => BoundedBuffer.from(BoundedBuffer.create().handle, options),
  'LanedCapacitor.create': (options) => LanedCapacitor.create({ lanes: 2, ...options }),
  'Capacitor.from': (options) => Capacitor.from(Capacitor.create().handle, options),
  'Turnstile.from': (options) => Turnstile.from(Turnstile.create().handle, options),
  'CapacitorLock.create': (options) => CapacitorLock.create(Mutex.create(), options),
  'CapacitorLock.from': (options) => {
    const inner = Mutex.create();
    return CapacitorLock.from(CapacitorLock.create(inner).handle, inner, options);
  },
  'RateLimiter.create': (options) => RateLimiter.create({ permits: 1, interval: 1, ...options }),
  createLimit: (options) => createLimit(1, options),
  'createLimit over a semaphore': (options) => createLimit(Semaphore.create(1), options),
  'createLimit.from': (options) => createLimit.from(createLimit(1).handle, options),
};

/** Every `create` and `from` of a class whose sample is created with options only. */
const STATIC = SAMPLES.flatMap(({ name, make }) => {
  const { constructor, handle } = make() as { readonly constructor: Making; readonly handle?: object };
  if (constructor.name !== name || typeof constructor.create !== 'function') return [];
  return handle === undefined ? [] : [{ name, constructor, handle }];
});

interface Making {
  readonly name: string;
  create?(...args: readonly unknown[]): unknown;
  from?(...args: readonly unknown[]): unknown;
}

describe('an unknown option of', () => {
  test.each(Object.entries(MAKING))('%s throws a TypeError that names it', (_name, make) => {
    expect(() => make({ polisy: {} })).toThrow(TypeError);
    expect(() => make({ polisy: {} })).toThrow('Unknown option "polisy": expected one of ');
  });

  const WITHOUT_OPTIONS = [
    'Region',
    'SharedWord',
    'CapacitorLock',
    'SemaphoreCapacitor',
    'Condition',
    'KeyedMutex',
    'LockManager',
    'KeyedLimit',
    'KeyedRateLimiter',
  ];
  test.each(STATIC.filter(({ name }) => !WITHOUT_OPTIONS.includes(name)))(
    '$name.from() throws a TypeError that names it',
    ({ constructor, handle }) => {
      expect(() => constructor.from?.(handle, { polisy: {} })).toThrow('Unknown option "polisy": expected one of ');
    },
  );
});
