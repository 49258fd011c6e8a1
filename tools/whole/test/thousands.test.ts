// Tests the cost of many primitives, of many waits at one primitive, and of one wait at each of many primitives. The
// cost is counted in loads of the shared memory and in steps of walks. A quadratic cost is 16 times as high for four
// times as many.

import { describe, expect, test } from 'vitest';
import { contextOf } from '../../../packages/core/src/arena/arena.ts';
import { Arena, Region, Semaphore } from '../../../packages/core/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier, CountdownLatch } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { Capacitor, LanedCapacitor, Turnstile } from '../../../packages/capacitor/src/index.ts';
import { Condition, Mutex } from '../../../packages/mutex/src/index.ts';
import { Lazy, ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { createLimit, RateLimiter } from '../../../packages/limit/src/index.ts';
import { EventCount, McsLock, Sequencer, TicketLock, TtsLock } from '../../../packages/classics/src/index.ts';
import { KeyedMutex, LockManager } from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../../packages/semaphores/src/index.ts';
import { SeqLock } from '../../../packages/seq-lock/src/index.ts';

/** The maximum ratio of the costs for four times as many. */
const MUCH = 8;
/** The maximum number of elements and words that the abort of one of WAITS waits at one primitive visits. */
const EACH = 64;
const WAITS = 4000;
/** Lines share buckets: a walk visits a 256th of the waits at other lines. */
const LINES = 2000;
const MAX_PARTIES = 32_767;

function newArena(buckets: number): Arena {
  return Arena.create({ maxPages: 2048, policy: { buckets } });
}

type Method = (...args: never[]) => unknown;

/** Counts the loads of the agent's code around the kernel, and its steps of walks, from now on. */
function counting(arena: Arena): () => number {
  const { words, kernel, waiting } = contextOf(arena);
  let count = 0;
  const watch = (target: object, names: readonly string[]): void => {
    const methods = target as Record<string, Method>;
    for (const name of names) {
      const method = methods[name];
      if (method === undefined) throw new Error(`There is no ${name}.`);
      methods[name] = (...args) => {
        count += 1;
        return method.apply(target, args);
      };
    }
  };
  watch(words, ['load32', 'load64', 'get32', 'get64']);
  watch(kernel, ['walk']);
  watch(waiting, ['walk']);
  return () => count;
}

/** The handle of a primitive that another agent opens. */
interface Opened {
  readonly arena: string;
}

interface Primitive {
  readonly handle: object;
  free(): void;
}

/** How it is created and used, and how another agent opens it. */
interface Kind<Made extends Primitive> {
  readonly make: (arena: Arena) => Made;
  readonly open?: (handle: Made['handle']) => unknown;
  readonly end?: (made: Made) => void;
}

function kind<Made extends Primitive>(
  make: Kind<Made>['make'],
  open?: Kind<Made>['open'],
  end?: Kind<Made>['end'],
): (n: number) => number {
  return (n) => {
    // Use few buckets, because each free sweeps them.
    const arena = newArena(16);
    const other = secondAgent(arena);
    const all = Array.from({ length: n }, () => make(arena));
    if (open !== undefined) for (const { handle } of all) openAs(other, handle as Opened, (there) => open(there));
    const count = counting(arena);
    for (const made of all) {
      end?.(made);
      made.free();
    }
    return count();
  };
}

const FREES: Readonly<Record<string, (n: number) => number>> = {
  Semaphore: kind(
    (arena) => Semaphore.create(1, { arena }),
    (handle) => Semaphore.from(handle),
  ),
  Region: kind(
    (arena) => Region.create(8, { arena }),
    (handle) => Region.from(handle),
  ),
  Mutex: kind(
    (arena) => Mutex.create({ arena }),
    (handle) => Mutex.from(handle),
  ),
  RwLock: kind(
    (arena) => RwLock.create({ arena }),
    (handle) => RwLock.from(handle),
  ),
  AutoResetEvent: kind(
    (arena) => AutoResetEvent.create({ arena }),
    (handle) => AutoResetEvent.from(handle),
  ),
  ManualResetEvent: kind(
    (arena) => ManualResetEvent.create({ arena }),
    (handle) => ManualResetEvent.from(handle),
  ),
  EventCount: kind(
    (arena) => EventCount.create({ arena }),
    (handle) => EventCount.from(handle),
  ),
  Sequencer: kind(
    (arena) => Sequencer.create({ arena }),
    (handle) => Sequencer.from(handle),
  ),
  Once: kind(
    (arena) => Once.create({ arena }),
    (handle) => Once.from(handle),
  ),
  Lazy: kind(
    (arena) => Lazy.create({ arena, codec: 'int32' }),
    (handle) => Lazy.from(handle),
  ),
  Barrier: kind(
    (arena) => Barrier.create(1, { arena }),
    (handle) => Barrier.from(handle),
  ),
  CountdownLatch: kind(
    (arena) => CountdownLatch.create(1, { arena }),
    (handle) => CountdownLatch.from(handle),
  ),
  WatchCell: kind(
    (arena) => WatchCell.create(1, { arena, codec: 'int32' }),
    (handle) => WatchCell.from(handle),
  ),
  Broadcast: kind(
    (arena) => Broadcast.create({ arena, codec: 'int32', capacity: 1 }),
    (handle) => Broadcast.from(handle),
  ),
  'Broadcast whose publishers wait': kind(
    (arena) => Broadcast.create({ arena, codec: 'int32', capacity: 1, overflow: 'wait' }),
    (handle) => Broadcast.from(handle),
  ),
  Condition: kind((arena) => Condition.create(Mutex.create({ arena }))),
  Limit: kind((arena) => createLimit({ arena, concurrency: 1 })),
  RateLimiter: kind((arena) => RateLimiter.create({ arena, permits: 1, interval: 1 })),
  SeqLock: kind(
    (arena) => SeqLock.create({ arena, byteLength: 4 }),
    (handle) => SeqLock.from(handle),
  ),
  KeyedMutex: kind(usedKeyedMutex, (handle) => KeyedMutex.from(handle)),
  BoundedBuffer: kind(
    (arena) => BoundedBuffer.create({ arena, codec: 'int32', capacity: 1 }),
    (handle) => BoundedBuffer.from(handle),
    (buffer) => buffer.close(),
  ),
  PrioritySemaphore: kind(
    (arena) => PrioritySemaphore.create(1, { arena }),
    (handle) => PrioritySemaphore.from(handle),
  ),
  ResizableSemaphore: kind(
    (arena) => ResizableSemaphore.create(1, { arena }),
    (handle) => ResizableSemaphore.from(handle),
  ),
  Capacitor: kind(
    (arena) => Capacitor.create({ arena }),
    (handle) => Capacitor.from(handle),
  ),
  LanedCapacitor: kind(
    (arena) => LanedCapacitor.create({ arena, lanes: 2 }),
    (handle) => LanedCapacitor.from(handle),
  ),
  Turnstile: kind(
    (arena) => Turnstile.create({ arena }),
    (handle) => Turnstile.from(handle),
  ),
  TtsLock: kind(
    (arena) => TtsLock.create({ arena }),
    (handle) => TtsLock.from(handle),
  ),
  TicketLock: kind(
    (arena) => TicketLock.create({ arena }),
    (handle) => TicketLock.from(handle),
  ),
  McsLock: kind(
    (arena) => McsLock.create({ arena }),
    (handle) => McsLock.from(handle),
  ),
};

function usedKeyedMutex(arena: Arena): KeyedMutex {
  const keyed = KeyedMutex.create({ arena });
  keyed.lock('key');
  keyed.unlock('key');
  return keyed;
}

describe('free() of each of four times as many primitives that another agent has open costs about four times as many loads', () => {
  test.each(Object.entries(FREES))('%s', (_, cost) => {
    const [few, many] = [cost(50), cost(200)];
    expect(many, `${many} loads for 200, ${few} for 50`).toBeLessThan(MUCH * few);
  });
});

type Wait = (options: { readonly signal: AbortSignal }) => Promise<unknown>;

const BEGIN: Readonly<Record<string, (arena: Arena) => Wait>> = {
  Semaphore: (arena) => at(Semaphore.create(0, { arena }), (sem, options) => sem.acquireAsync(1, options)),
  ManualResetEvent: (arena) => at(ManualResetEvent.create({ arena }), (it, options) => it.waitAsync(options)),
  EventCount: (arena) => at(EventCount.create({ arena }), (it, options) => it.awaitAsync(1, options)),
  CountdownLatch: (arena) => at(CountdownLatch.create(1, { arena }), (it, options) => it.waitAsync(options)),
  Once: (arena) => at(Once.create({ arena }), (it, options) => it.waitAsync(options)),
  Lazy: (arena) => at(Lazy.create({ arena, codec: 'int32' }), (it, options) => it.waitAsync(options)),
  WatchCell: (arena) => {
    const cell = WatchCell.create(1, { arena, codec: 'int32' });
    cell.get();
    return (options) => cell.changedAsync(options);
  },
  Subscription: (arena) =>
    at(Broadcast.create({ arena, codec: 'int32', capacity: 1 }).subscribe(), (it, options) => it.nextAsync(options)),
  AutoResetEvent: (arena) => at(AutoResetEvent.create({ arena }), (it, options) => it.waitAsync(options)),
  Mutex: (arena) => {
    const mutex = Mutex.create({ arena });
    mutex.lock();
    return (options) => mutex.lockAsync(options);
  },
  'RwLock.reader': (arena) => {
    const { reader, writer } = RwLock.create({ arena });
    writer.lock();
    return (options) => reader.lockAsync(options);
  },
  'RwLock.writer': (arena) => {
    const { writer } = RwLock.create({ arena });
    writer.lock();
    return (options) => writer.lockAsync(options);
  },
  Barrier: (arena) => at(Barrier.create(MAX_PARTIES, { arena }), (it, options) => it.waitAsync(options)),
  Capacitor: (arena) => {
    const capacitor = Capacitor.create({ arena, bypassLimit: 1 });
    capacitor.arrive();
    return (options) => capacitor.arriveAsync(options);
  },
  PrioritySemaphore: (arena) =>
    at(PrioritySemaphore.create(0, { arena }), (it, options) => it.acquireAsync(1, options)),
  ResizableSemaphore: (arena) =>
    at(ResizableSemaphore.create(0, { arena }), (it, options) => it.acquireAsync(1, options)),
  BoundedBuffer: (arena) =>
    at(BoundedBuffer.create({ arena, codec: 'int32', capacity: 1 }), (it, options) => it.popAsync(options)),
  KeyedMutex: (arena) => {
    const keyed = KeyedMutex.create({ arena });
    keyed.lock('key');
    return (options) => keyed.lockAsync('key', options);
  },
  'ResizableSemaphore.waitForUnlockAsync': (arena) => {
    const sem = ResizableSemaphore.create(1, { arena });
    sem.acquire();
    return (options) => sem.waitForUnlockAsync(1, options);
  },
};

function at<It>(it: It, wait: (it: It, options: { readonly signal: AbortSignal }) => Promise<unknown>): Wait {
  return (options) => wait(it, options);
}

describe('an abort of thousands of waits at one primitive does not walk through the others for each wait', () => {
  test.each(Object.entries(BEGIN))('%s', async (_, begin) => {
    const arena = newArena(256);
    const wait = begin(arena);
    const controller = new AbortController();
    const waits = Array.from({ length: WAITS }, () =>
      wait({ signal: controller.signal }).then(
        () => 'admitted',
        () => 'aborted',
      ),
    );
    // All waits have begun.
    await new Promise((resolve) => setImmediate(resolve));
    expect(arena.inspect().elements.waiting).toBe(WAITS);
    const count = counting(arena);
    controller.abort();
    expect(count()).toBeLessThan(EACH * WAITS);
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
    // The aborted waits leave at most that many elements that no agent has freed.
    const { total, free } = arena.inspect().elements;
    expect(total - free).toBeLessThan(512);
  });
});

/** Begins a wait in the n-th of many lines, each of which has a holder. */
type WaitAt = (n: number, options: { readonly signal: AbortSignal }) => Promise<unknown>;

const forever = new Promise<never>(() => undefined);

const BEGIN_AT: Readonly<Record<string, (arena: Arena) => WaitAt>> = {
  LockManager: (arena) => {
    const locks = LockManager.create({ arena });
    return (n, options) => {
      void locks.request(`k${n}`, () => forever);
      return locks.request(`k${n}`, options, () => undefined);
    };
  },
  'LockManager, shared requests': (arena) => {
    const locks = LockManager.create({ arena });
    return (n, options) => {
      void locks.request(`k${n}`, () => forever);
      return locks.request(`k${n}`, { mode: 'shared', ...options }, () => undefined);
    };
  },
  KeyedMutex: (arena) => {
    const keyed = KeyedMutex.create({ arena });
    return (n, options) => {
      keyed.lock(`k${n}`);
      return keyed.lockAsync(`k${n}`, options);
    };
  },
  'Semaphore of many permits': (arena) => (_, options) => Semaphore.create(1, { arena }).acquireAsync(1000, options),
  'RwLock.writer': (arena) => (_, options) => {
    const { writer } = RwLock.create({ arena });
    writer.lock();
    return writer.lockAsync(options);
  },
};

describe('an abort of one wait at each of thousands of lines does not visit the other lines', () => {
  test.each(Object.entries(BEGIN_AT))('%s', async (_, begin) => {
    const arena = newArena(256);
    const wait = begin(arena);
    const controller = new AbortController();
    const waits = Array.from({ length: LINES }, (_wait, n) =>
      wait(n, { signal: controller.signal }).then(
        () => 'admitted',
        () => 'aborted',
      ),
    );
    // All waits have begun.
    await new Promise((resolve) => setImmediate(resolve));
    expect(arena.inspect().elements.waiting).toBe(LINES);
    const count = counting(arena);
    controller.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
    expect(count()).toBeLessThan(EACH * LINES);
  });
});
