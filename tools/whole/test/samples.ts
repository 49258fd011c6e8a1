// Every public class of every package, with a function that creates an instance, for tests of common properties. A
// class or an exported function that is missing here fails `every-class.test.ts`. The imports use paths, because this
// package depends on none of them.

import * as addressWait from '../../../packages/address-wait/src/index.ts';
import * as autoResetEvent from '../../../packages/auto-reset-event/src/index.ts';
import * as barrier from '../../../packages/barrier/src/index.ts';
import * as boundedBuffer from '../../../packages/bounded-buffer/src/index.ts';
import * as cache from '../../../packages/cache/src/index.ts';
import * as capacitor from '../../../packages/capacitor/src/index.ts';
import * as core from '../../../packages/core/src/index.ts';
import * as event from '../../../packages/event/src/index.ts';
import * as inspect from '../../../packages/inspect/src/index.ts';
import * as limit from '../../../packages/limit/src/index.ts';
import * as classics from '../../../packages/classics/src/index.ts';
import * as mutex from '../../../packages/mutex/src/index.ts';
import * as named from '../../../packages/named/src/index.ts';
import * as rwLock from '../../../packages/rw-lock/src/index.ts';
import * as seqLock from '../../../packages/seq-lock/src/index.ts';
import * as semaphores from '../../../packages/semaphores/src/index.ts';
import * as broadcast from '../../../packages/broadcast/src/index.ts';

/** The exports of each package except the worker pool, which has its own tests. */
export const PACKAGES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'address-wait': addressWait,
  'auto-reset-event': autoResetEvent,
  barrier,
  'bounded-buffer': boundedBuffer,
  broadcast,
  cache,
  capacitor,
  core,
  event,
  inspect,
  limit,
  classics,
  mutex,
  named,
  'rw-lock': rwLock,
  semaphores,
  'seq-lock': seqLock,
};

/** Exported classes of which programs make no instance themselves, or whose instances are errors. */
export const WITHOUT_SAMPLE: readonly string[] = [
  'Holdable',
  'OwnedLock',
  'HeldLock',
  'Lints',
  'OrderChecks',
  'Places',
  'Statistics',
];

export interface Sample {
  /** The name of its class, or of the call that returns it. */
  readonly name: string;
  readonly make: () => object;
}

export const arena = core.Arena.create({ maxPages: 128 });
const options = { arena, name: 'sample' };

/** A worker that is never started. */
function worker(): core.ThreadWorker {
  const itself = { threadId: 1000, on: () => itself, off: () => itself };
  return itself;
}

function lockWith(more: object): object {
  return capacitor.CapacitorLock.create(mutex.Mutex.create(options), { ...options, ...more });
}

function numbers(): boundedBuffer.BoundedBuffer<number> {
  return boundedBuffer.BoundedBuffer.create({ ...options, codec: 'int32', capacity: 4 });
}

const family = {
  AddressSemaphore: classics.AddressSemaphore,
  ChainSemaphore: classics.ChainSemaphore,
  LightweightSemaphore: classics.LightweightSemaphore,
  LocationSemaphore: classics.LocationSemaphore,
  MonitorSemaphore: classics.MonitorSemaphore,
  MultilaneSemaphore: classics.MultilaneSemaphore,
  PrioritySemaphore: semaphores.PrioritySemaphore,
  ResizableSemaphore: semaphores.ResizableSemaphore,
  TicketSemaphore: classics.TicketSemaphore,
  WaitingArraySemaphore: classics.WaitingArraySemaphore,
};

const owned = {
  Mutex: mutex.Mutex,
  RecursiveMutex: mutex.RecursiveMutex,
  TtsLock: classics.TtsLock,
  TicketLock: classics.TicketLock,
  McsLock: classics.McsLock,
  LifoLock: classics.LifoLock,
  ReciprocatingLock: classics.ReciprocatingLock,
};

export const SAMPLES: readonly Sample[] = [
  { name: 'Arena', make: () => core.Arena.create({ maxPages: 8 }) },
  { name: 'Region', make: () => core.Region.create(8, options) },
  { name: 'Watch', make: () => arena.watch(worker()) },
  { name: 'StuckWatch', make: () => inspect.onStuck(arena, 60_000, () => undefined) },
  { name: 'Semaphore', make: () => core.Semaphore.create(2, options) },
  { name: 'Semaphore.asLock()', make: () => core.Semaphore.create(2, options).asLock() },
  { name: 'Guard', make: () => core.Semaphore.create(2, options).hold() },
  { name: 'RecoveryGuard', make: () => new core.RecoveryGuard(mutex.Mutex.create(options)) },
  { name: 'PermitGuard', make: () => semaphores.ResizableSemaphore.create(2, options).acquireGuard() },
  ...Object.entries(owned).map(([name, Class]) => ({ name, make: () => Class.create(options) })),
  ...Object.entries(family).map(([name, Class]) => ({ name, make: () => Class.create(2, options) })),
  { name: 'RwLock', make: () => rwLock.RwLock.create(options) },
  { name: 'ReaderLock', make: () => rwLock.RwLock.create(options).reader },
  { name: 'WriterLock', make: () => rwLock.RwLock.create(options).writer },
  { name: 'KeyedMutex', make: () => named.KeyedMutex.create(options) },
  { name: 'KeyLock', make: () => named.KeyedMutex.create(options).at('key') },
  { name: 'SharedCache', make: () => cache.SharedCache.create<number>({ ...options, maxBytes: 4096 }) },
  { name: 'LockManager', make: () => named.LockManager.create(options) },
  { name: 'KeyedLimit', make: () => named.KeyedLimit.create({ ...options, concurrency: 2 }) },
  { name: 'KeyLimit', make: () => named.KeyedLimit.create({ ...options, concurrency: 2 }).for('key') },
  { name: 'KeyedRateLimiter', make: () => named.KeyedRateLimiter.create({ ...options, permits: 5, interval: 1 }) },
  { name: 'KeyRate', make: () => named.KeyedRateLimiter.create({ ...options, permits: 5, interval: 1 }).for('key') },
  { name: 'SeqLock', make: () => seqLock.SeqLock.create({ ...options, byteLength: 8 }) },
  { name: 'SeqSnapshot', make: () => seqLock.SeqLock.create({ ...options, byteLength: 8 }).snapshot() },
  { name: 'Condition', make: () => mutex.Condition.create(mutex.Mutex.create(options), { name: 'sample' }) },
  { name: 'AutoResetEvent', make: () => autoResetEvent.AutoResetEvent.create(options) },
  { name: 'ManualResetEvent', make: () => event.ManualResetEvent.create(options) },
  { name: 'Once', make: () => event.Once.create(options) },
  { name: 'Lazy', make: () => event.Lazy.create(options) },
  { name: 'EventCount', make: () => classics.EventCount.create(options) },
  { name: 'Sequencer', make: () => classics.Sequencer.create(options) },
  { name: 'Barrier', make: () => barrier.Barrier.create(2, options) },
  { name: 'CountdownLatch', make: () => barrier.CountdownLatch.create(1, options) },
  { name: 'Capacitor', make: () => capacitor.Capacitor.create(options) },
  { name: 'LanedCapacitor', make: () => capacitor.LanedCapacitor.create({ ...options, lanes: 2, bypassLimit: 4 }) },
  { name: 'Turnstile', make: () => capacitor.Turnstile.create(options) },
  {
    name: 'SemaphoreCapacitor',
    make: () => capacitor.SemaphoreCapacitor.create(core.Semaphore.create(2, options), { name: 'sample' }),
  },
  { name: 'CapacitorLock', make: () => lockWith({ bypassLimit: 10 }) },
  { name: 'CapacitorLock with a turnstile', make: () => lockWith({ bypassLimit: 'adaptive' }) },
  {
    name: 'CapacitorLock with random lanes',
    make: () => lockWith({ bypassLimit: 10, lanes: { count: 2, order: 'random' } }),
  },
  {
    name: 'CapacitorLock of a lock without owner',
    make: () => capacitor.CapacitorLock.create(core.Semaphore.create(1, options).asLock(), options),
  },
  { name: 'BoundedBuffer', make: () => boundedBuffer.BoundedBuffer.create<number>({ ...options, capacity: 4 }) },
  { name: 'BufferWriter', make: () => new boundedBuffer.BufferWriter(numbers()) },
  { name: 'BufferReader', make: () => new boundedBuffer.BufferReader(numbers()) },
  { name: 'Broadcast', make: () => broadcast.Broadcast.create<number>(options) },
  { name: 'Subscription', make: () => broadcast.Broadcast.create<number>(options).subscribe() },
  { name: 'WatchCell', make: () => broadcast.WatchCell.create(1, options) },
  { name: 'SharedWord', make: () => addressWait.SharedWord.create(0, options) },
  { name: 'TicketKey', make: () => addressWait.keyOf(addressWait.SharedWord.create(0, options), 1) },
  // Permits come within a tick, so that none is missing after a call.
  {
    name: 'RateLimiter',
    make: () => limit.RateLimiter.create({ ...options, permits: 16_000, interval: 1, burst: 1000 }),
  },
  { name: 'TaskQueue', make: () => limit.TaskQueue.create({ ...options, concurrency: 2 }) },
  { name: 'createLimit()', make: () => limit.createLimit(2, options) },
];

/** Returns the methods of an instance, of its class and its base classes. */
export function methodsOf(instance: object): string[] {
  const names = new Set(Object.keys(Object.getOwnPropertyDescriptors(instance)));
  for (
    let proto: unknown = Object.getPrototypeOf(instance);
    isObject(proto) && proto !== Object.prototype && proto !== Function.prototype;
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(proto)))
      if (typeof value === 'function') names.add(name);
    proto = Object.getPrototypeOf(proto);
  }
  return [...names].filter(
    (name) => name !== 'constructor' && typeof (instance as Record<string, unknown>)[name] === 'function',
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Calls a method by its name. */
export function call(instance: object, method: string, ...args: readonly unknown[]): unknown {
  return (instance as Record<string, (...args: readonly unknown[]) => unknown>)[method]?.(...args);
}

/** A capacitor counts the calls that passed it. Ages grow. */
const COUNTS = ['departuresLeft', 'open', 'age', 'stillSince'];

/**
 * Returns the holders and the waiters, for a comparison before and after. Returns `undefined` if there is no `inspect`.
 */
export function look(instance: object): string | undefined {
  return JSON.stringify(call(instance, 'inspect'), (key, value: unknown) => (COUNTS.includes(key) ? undefined : value));
}
