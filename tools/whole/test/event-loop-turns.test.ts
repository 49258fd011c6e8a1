// Tests that the event loop of a thread runs during a loop of async calls that need not wait. The clock advances at
// each read, so the budget of a turn is used up after a few calls.

import { Readable, type Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import {
  addressWaitUntilAsync,
  keyMonitor,
  keySignal,
  keyWaitAsync,
  parkAsync,
  SharedWord,
  unpark,
  waitOnAddressAsync,
} from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier, CountdownLatch } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { toReadable, toWritable } from '../../../packages/bounded-buffer/src/node-streams.ts';
import { select, selectAsync } from '../../../packages/bounded-buffer/src/select.ts';
import { fromWebStream, toWebStream, toWebWritable } from '../../../packages/bounded-buffer/src/web-streams.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import {
  Capacitor,
  CapacitorLock,
  LanedCapacitor,
  SemaphoreCapacitor,
  Turnstile,
} from '../../../packages/capacitor/src/index.ts';
import { Condition, Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { Semaphore, type AsyncLock } from '../../../packages/core/src/index.ts';
import type * as LoopBudgets from '../../../packages/core/src/platform/loop-budget.ts';
import { Lazy, ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { createLimit, RateLimiter, TaskQueue } from '../../../packages/limit/src/index.ts';
import * as classics from '../../../packages/classics/src/index.ts';
import { SharedCache } from '../../../packages/cache/src/index.ts';
import {
  KeyedLimit,
  KeyedMutex,
  KeyedRateLimiter,
  LockManager,
  namedAsync,
} from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import * as semaphores from '../../../packages/semaphores/src/index.ts';
import { SeqLock } from '../../../packages/seq-lock/src/index.ts';
import { ending } from '../../conformance/src/observe.ts';
import { arena, methodsOf, SAMPLES } from './samples.ts';

vi.mock('../../../packages/core/src/platform/loop-budget.ts', async (original) => {
  const { LoopBudget } = await original<typeof LoopBudgets>();
  let time = 0;
  return {
    LoopBudget,
    threadBudget: new LoopBudget(
      () => (time += 1),
      (run) => void setImmediate(run),
    ),
  };
});

/** More calls than any budget allows in a turn. */
const CALLS = 100;
const options = { arena };
const int32 = { arena, codec: 'int32', capacity: 1024 } as const;
const AT_ONCE = { timeout: 0 };

type Call = () => Promise<unknown>;
type Make = () => Call | Promise<Call>;

function lock(
  made: AsyncLock & {
    unlock(): void;
    holdAsync(): Promise<{ release(): void }>;
    runAsync(body: () => unknown): Promise<unknown>;
  },
  name: string,
): Record<string, Make> {
  const locked: Call = async () => {
    await made.lockAsync();
    made.unlock();
  };
  const late: Make = async () => {
    await made.lockAsync();
    return () => ending(made.lockAsync(AT_ONCE));
  };
  return {
    [`${name}.lockAsync`]: () => locked,
    [`${name}.holdAsync`]: () => async () => (await made.holdAsync()).release(),
    [`${name}.runAsync`]: () => () => made.runAsync(() => 1),
    // This row is the last, because the lock stays held.
    [`${name}.lockAsync with a timeout of 0`]: name.startsWith('Recursive') ? () => locked : late,
  };
}

function permits(
  Class: { create(permits: number, options: object): semaphores.PrioritySemaphore | Semaphore },
  name: string,
): Record<string, Make> {
  const free = Class.create(1, options);
  const none = Class.create(0, options);
  return {
    [`${name}.acquireAsync`]: () => async () => {
      await free.acquireAsync();
      free.release();
    },
    [`${name}.holdAsync`]: () => async () => (await free.holdAsync()).release(),
    [`${name}.runAsync`]: () => () => free.runAsync(() => 1),
    [`${name}.acquireAsync with a timeout of 0`]: () => () => ending(none.acquireAsync(1, AT_ONCE)),
  };
}

const resizable = semaphores.ResizableSemaphore.create(2, options);
const lightweight = classics.LightweightSemaphore.create(2, options);
const rw = RwLock.create(options);
const keyed = KeyedMutex.create(options);
const key = keyed.at('other');
const slots = KeyedLimit.create({ ...options, concurrency: 1, total: 1 });
const rates = KeyedRateLimiter.create({ ...options, permits: 10_000, interval: 1 });
const manager = LockManager.create(options);
const seq = SeqLock.create({ ...options, byteLength: 8 });
const limiter = RateLimiter.create({ ...options, permits: 16_000, interval: 1, burst: 1000 });
const buffer = BoundedBuffer.create(int32);
const mutex = Mutex.create(options);
const behind = CapacitorLock.create(Mutex.create(options), options);

function full(): BoundedBuffer<number> {
  const made = BoundedBuffer.create(int32);
  while (made.tryPush(1));
  return made;
}

const closed = (): BoundedBuffer<number> => BoundedBuffer.create(int32);

function loopOver(values: AsyncIterable<unknown>): Call {
  const iterator = values[Symbol.asyncIterator]();
  return () => iterator.next();
}

function gate(made: { arriveAsync(): Promise<void>; depart(): void }): Make {
  return () => async () => {
    await made.arriveAsync();
    made.depart();
  };
}

const READY: Readonly<Record<string, Make>> = {
  ...permits(Semaphore, 'Semaphore'),
  'Semaphore.asLock().lockAsync': () => {
    const made = Semaphore.create(1, options).asLock();
    return async () => {
      await made.lockAsync();
      made.unlock();
    };
  },
  ...(Object.assign(
    {},
    ...Object.entries({ ...classics, ...semaphores }).flatMap(([name, Class]) =>
      /^[A-Z]\w+Semaphore$/.test(name) ? [permits(Class as never, name)] : [],
    ),
  ) as Record<string, Make>),
  'ResizableSemaphore.acquireGuardAsync': () => async () => (await resizable.acquireGuardAsync()).release(),
  'ResizableSemaphore.waitForUnlockAsync': () => () => resizable.waitForUnlockAsync(),
  'LightweightSemaphore.waitManyAsync': () => async () => lightweight.release(await lightweight.waitManyAsync(2)),
  ...lock(Mutex.create(options), 'Mutex'),
  ...lock(Mutex.create({ ...options, order: 'fifo' }), "Mutex 'fifo'"),
  ...lock(RecursiveMutex.create(options), 'RecursiveMutex'),
  ...(Object.assign(
    {},
    ...Object.entries(classics).flatMap(([name, Class]) =>
      /^[A-Z]\w+Lock$/.test(name) ? [lock((Class as typeof classics.McsLock).create(options), name)] : [],
    ),
  ) as Record<string, Make>),
  'Mutex.takeOverAsync': () => () => mutex.takeOverAsync(),
  ...lock(RwLock.create(options).writer, 'WriterLock'),
  'ReaderLock.lockAsync': () => async () => {
    await rw.reader.lockAsync();
    rw.reader.unlock();
  },
  'KeyedMutex.lockAsync': () => async () => {
    await keyed.lockAsync('key');
    keyed.unlock('key');
  },
  'KeyedMutex.holdAsync': () => async () => (await keyed.holdAsync('key')).release(),
  'KeyedMutex.runAsync': () => () => keyed.runAsync('key', () => 1),
  'KeyedMutex.takeOverAsync': () => () => keyed.takeOverAsync('key'),
  ...lock(key, 'KeyLock'),
  'KeyedLimit.holdAsync': () => async () => (await slots.holdAsync('key')).release(),
  'KeyedLimit.runAsync': () => () => slots.runAsync('key', () => 1),
  'KeyLimit.holdAsync': () => async () => (await slots.for('key').holdAsync()).release(),
  'KeyLimit.runAsync': () => () => slots.for('key').runAsync(() => 1),
  'KeyedRateLimiter.acquireAsync': () => () => rates.acquireAsync('key'),
  'KeyedRateLimiter.runAsync': () => () => rates.runAsync('key', () => 1),
  'KeyRate.acquireAsync': () => () => rates.for('key').acquireAsync(),
  'KeyRate.runAsync': () => () => rates.for('key').runAsync(() => 1),
  'SharedCache.getAsync': () => {
    const cache = SharedCache.create<number>({ ...options, maxBytes: 4096 });
    return () => cache.getAsync('key', () => 1);
  },
  'SharedCache.getAsync, computed': () => {
    const cache = SharedCache.create<number>({ ...options, maxBytes: 4096 });
    let key = 0;
    return () => cache.getAsync(`key ${key++ % 100}`, () => 1);
  },
  'LockManager.request': () => () => manager.request('name', () => 1),
  'LockManager.request if available': () => () => manager.request('name', { ifAvailable: true }, () => 1),
  'LockManager.query': () => () => manager.query(),
  namedAsync: () => () => namedAsync(arena, 'a semaphore', Semaphore, (more) => Semaphore.create(1, more)),
  'SeqLock.readAsync': () => () => seq.readAsync(),
  'SeqLock.writeAsync': () => () => seq.writeAsync(({ int32: words }) => void (words[0] = 1)),
  'SeqLock.updateAsync': () => () => seq.updateAsync(({ int32: words }) => (words[0] = 2)),
  'Condition.waitForAsync': () => {
    const held = Mutex.create(options);
    const condition = Condition.create(held);
    held.lock();
    return () => condition.waitForAsync(() => true);
  },
  'AutoResetEvent.waitAsync': () => {
    const event = AutoResetEvent.create(options);
    return () => {
      event.signal();
      return event.waitAsync();
    };
  },
  'AutoResetEvent.waitAsync with a timeout of 0': () => {
    const event = AutoResetEvent.create(options);
    return () => ending(event.waitAsync(AT_ONCE));
  },
  'ManualResetEvent.waitAsync': () => {
    const event = ManualResetEvent.create(options);
    event.set();
    return () => event.waitAsync();
  },
  'Once.runAsync': () => {
    const once = Once.create(options);
    return () => once.runAsync(() => undefined);
  },
  'Once.waitAsync': () => {
    const once = Once.create(options);
    once.run(() => undefined);
    return () => once.waitAsync();
  },
  'Lazy.getAsync': () => {
    const lazy = Lazy.create<number>(options);
    return () => lazy.getAsync(() => 1);
  },
  'Lazy.waitAsync': () => {
    const lazy = Lazy.create<number>(options);
    lazy.get(() => 1);
    return () => lazy.waitAsync();
  },
  'Barrier.waitAsync': () => {
    const barrier = Barrier.create(1, options);
    return () => barrier.waitAsync();
  },
  'CountdownLatch.waitAsync': () => {
    const latch = CountdownLatch.create(1, options);
    latch.done();
    return () => latch.waitAsync();
  },
  'EventCount.awaitAsync': () => {
    const event = classics.EventCount.create(options);
    return () => event.awaitAsync(0);
  },
  'Capacitor.arriveAsync': gate(Capacitor.create(options)),
  'LanedCapacitor.arriveAsync': gate(LanedCapacitor.create({ ...options, lanes: 2, bypassLimit: 4 })),
  'SemaphoreCapacitor.arriveAsync': gate(SemaphoreCapacitor.create(Semaphore.create(4, options))),
  'Turnstile.arriveAsync': gate(Turnstile.create(options)),
  'Turnstile.arriveAsync while a task of its thread is inside': () => {
    const made = Turnstile.create(options);
    made.arrive();
    return gate(made)();
  },
  ...lock(CapacitorLock.create(Mutex.create(options), options), 'CapacitorLock'),
  ...lock(
    CapacitorLock.create(Mutex.create(options), { ...options, bypassLimit: 4, skipWhenUncontended: true }),
    'CapacitorLock that skips',
  ),
  'CapacitorLock.takeOverAsync': () => () => behind.takeOverAsync(),
  'BoundedBuffer.pushAsync and popAsync': () => async () => {
    await buffer.pushAsync(1);
    await buffer.popAsync();
  },
  'BoundedBuffer.popAsync': () => {
    const values = full();
    return () => values.popAsync();
  },
  'BoundedBuffer.pushAsync': () => {
    const room = BoundedBuffer.create(int32);
    return () => room.pushAsync(1);
  },
  'BoundedBuffer.popAsync with a timeout of 0': () => {
    const empty = BoundedBuffer.create(int32);
    return () => ending(empty.popAsync(AT_ONCE));
  },
  'BoundedBuffer.pushManyAsync': () => {
    const room = BoundedBuffer.create(int32);
    return () => room.pushManyAsync([1]);
  },
  'BoundedBuffer.popManyAsync': () => {
    const values = full();
    return () => values.popManyAsync(1);
  },
  'a loop over a buffer': () => loopOver(full()),
  'a web stream of a buffer': () => {
    const reader = toWebStream(full()).getReader();
    return () => reader.read();
  },
  'a web stream into a buffer': () => {
    const writer = toWebWritable(closed()).getWriter();
    return () => writer.write(1);
  },
  'a Readable of a buffer': () => loopOver(toReadable(full())),
  'a Writable into a buffer': () => {
    const writable: Writable = toWritable(closed());
    return () => new Promise((resolve) => writable.write(1, resolve));
  },
  'selectAsync of a buffer with values': () => {
    const values = full();
    return () => selectAsync([select.take(values)]);
  },
  'selectAsync of a buffer with room': () => {
    const room = BoundedBuffer.create(int32);
    return () => selectAsync([select.put(room, 1)]);
  },
  'selectAsync with a timeout of 0': () => {
    const none = Semaphore.create(0, options);
    return () => ending(selectAsync([select.acquire(none)], AT_ONCE));
  },
  'Broadcast.publishAsync': () => {
    const broadcast = Broadcast.create(int32);
    return () => broadcast.publishAsync(1);
  },
  'Subscription.nextAsync': () => {
    const broadcast = Broadcast.create(int32);
    const subscription = broadcast.subscribe();
    for (let n = 0; n < CALLS; n++) broadcast.publish(n);
    return () => subscription.nextAsync();
  },
  "Broadcast.publishAsync and a loop, with overflow: 'wait'": () => {
    const broadcast = Broadcast.create({ ...int32, overflow: 'wait' });
    const next = loopOver(broadcast.subscribe());
    return async () => {
      await broadcast.publishAsync(1);
      await next();
    };
  },
  'WatchCell.changedAsync': () => {
    const cell = WatchCell.create(0, { ...options, codec: 'int32' });
    const writer = WatchCell.from(cell.handle);
    return () => {
      writer.set(1);
      return cell.changedAsync();
    };
  },
  'a loop over a watch cell': () => {
    const cell = WatchCell.create(0, { ...options, codec: 'int32' });
    const writer = WatchCell.from(cell.handle);
    const next = loopOver(cell);
    return () => {
      writer.set(1);
      return next();
    };
  },
  'RateLimiter.acquireAsync': () => () => limiter.acquireAsync(),
  'RateLimiter.reserveAsync': () => () => limiter.reserveAsync(),
  'RateLimiter.runAsync': () => () => limiter.runAsync(() => 1),
  limit: () => {
    const limit = createLimit(1, options);
    return () => limit(() => 1);
  },
  'limit.run': () => {
    const limit = createLimit(1, options);
    return () => limit.run(() => 1);
  },
  'TaskQueue.add': () => {
    const queue = TaskQueue.create({ ...options, concurrency: 1 });
    return () => queue.add(() => 1);
  },
  'limit that finds its size': () => {
    const limit = createLimit({ ...options, adaptive: { max: 2 } });
    return () => limit(() => 1);
  },
  'limit that sheds calls': () => {
    const limit = createLimit({ ...options, concurrency: 1, maxWaiting: 1 });
    return () => limit(() => 1);
  },
  'limit of an interval': () => {
    const limit = createLimit({ ...options, concurrency: 1, interval: 1e6, intervalCap: CALLS });
    return () => limit(() => 1);
  },
  addressWaitUntilAsync: () => {
    const word = SharedWord.create(0, options);
    return () => addressWaitUntilAsync(word, () => true);
  },
  parkAsync: () => () => {
    unpark(arena, arena.agentId);
    return parkAsync(arena);
  },
  keyWaitAsync: () => {
    const word = SharedWord.create(0, options);
    const before = keyMonitor(word);
    keySignal(word);
    return () => keyWaitAsync(word, before);
  },
  waitOnAddressAsync: () => {
    const word = SharedWord.create(0, options);
    return () => waitOnAddressAsync(word, 1);
  },
};

describe('the event loop turns during a loop of calls', () => {
  test.each(Object.entries(READY))('%s', async (_name, make) => {
    const call = await make();
    const state = { hasTurned: false };
    setImmediate(() => (state.hasTurned = true));
    for (let n = 0; n < CALLS && !state.hasTurned; n++) await call();
    expect(state.hasTurned).toBe(true);
  });

  test.each([
    ['a limit', () => createLimit(1, options)],
    ['a limit of an interval', () => createLimit({ ...options, concurrency: 1, interval: 1e6, intervalCap: CALLS })],
  ])('limit.map() of %s starts its functions in several turns', async (_name, make) => {
    const limit = make();
    let started = 0;
    let startedAtTurn = 0;
    setImmediate(() => (startedAtTurn = started));
    await limit.map(Array.from({ length: CALLS }), () => (started += 1));
    expect(startedAtTurn).toBeLessThan(CALLS);
  });

  test('fromWebStream() lets the event loop turn between values', async () => {
    const values = Readable.toWeb(Readable.from(Array.from({ length: CALLS }, (_, n) => n))) as ReadableStream<number>;
    const into = BoundedBuffer.create(int32);
    let lengthAtTurn = CALLS;
    setImmediate(() => setImmediate(() => setImmediate(() => (lengthAtTurn = into.length))));
    await fromWebStream(values, into);
    expect(lengthAtTurn).toBeLessThan(CALLS);
  });
});

/** Methods that always wait for another agent, end before the call, or are not for programs. */
const NEVER_READY = ['closeAsync', 'upgradeAsync', 'enterAsync', 'enterSeatedAsync'];

test('each async call of each class has a row', () => {
  const rows = Object.keys(READY).join(' ');
  const calls = SAMPLES.flatMap(({ make }) => methodsOf(make()).filter((method) => method.endsWith('Async')));
  expect([...new Set(calls)].filter((method) => !NEVER_READY.includes(method) && !rows.includes(`.${method}`))).toEqual(
    [],
  );
});
