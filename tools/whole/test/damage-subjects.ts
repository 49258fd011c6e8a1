// One scene for each public kind in shared memory: its creation, and the calls that are then made on damaged words. No
// call waits forever. A class that is missing here fails `damage.test.ts`.

import {
  addressSignal,
  keyMonitor,
  keyOf,
  keySignal,
  keyWait,
  SharedWord,
  waitOnAddress,
  wakeByAddressAll,
} from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier, CountdownLatch } from '../../../packages/barrier/src/index.ts';
import {
  BoundedBuffer,
  BufferReader,
  BufferWriter,
  type BufferOptions,
  type ByteBufferOptions,
} from '../../../packages/bounded-buffer/src/index.ts';
import { msgpack } from '../../../packages/bounded-buffer/src/msgpack.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import {
  Capacitor,
  CapacitorLock,
  LanedCapacitor,
  SemaphoreCapacitor,
  Turnstile,
  type CapacitorLockOptions,
} from '../../../packages/capacitor/src/index.ts';
import { Condition, Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { Region, Semaphore, type Arena, type PrimitiveHandle } from '../../../packages/core/src/index.ts';
import { Lazy, ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { createLimit, RateLimiter, TaskQueue } from '../../../packages/limit/src/index.ts';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../../../packages/classics/src/index.ts';
import {
  findNamed,
  forgetNamed,
  KeyedLimit,
  KeyedMutex,
  KeyedRateLimiter,
  listNamed,
  LockManager,
  named,
} from '../../../packages/named/src/index.ts';
import { SharedCache } from '../../../packages/cache/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { SeqLock } from '../../../packages/seq-lock/src/index.ts';
import * as classics from '../../../packages/classics/src/index.ts';
import * as semaphores from '../../../packages/semaphores/src/index.ts';

type Calls = Readonly<Record<string, () => unknown>>;
/** Creates the primitive and returns the calls. A call that returns a promise settles without another agent. */
export type Make = (arena: Arena) => Calls;

/**
 * Samples without a block of their own: another subject has their block. The words of an arena itself:
 * packages/core/test/corrupt.test.ts.
 */
export const PARTS: readonly string[] = [
  'Arena',
  'Watch',
  'StuckWatch',
  'Guard',
  'RecoveryGuard',
  'PermitGuard',
  'Semaphore.asLock()',
  'ReaderLock',
  'WriterLock',
  'KeyLock',
  'KeyLimit',
  'KeyRate',
  'SeqSnapshot',
  'TicketKey',
  'BufferReader',
  'BufferWriter',
  'Subscription',
  'CapacitorLock of a lock without owner',
];

interface AnyLock {
  lock(): void;
  unlock(): void;
  tryLock(timeoutMs?: number): boolean;
  lockAsync(): Promise<unknown>;
  inspect?(): unknown;
}

/** A promise whose rejection no test looks at. */
function quiet(promise: Promise<unknown>): void {
  void promise.catch(() => undefined);
}

function lockCalls(lock: AnyLock): Calls {
  return {
    tryLock: () => lock.tryLock(1),
    'tryLock twice': () => [lock.tryLock(), lock.tryLock()],
    unlock: () => lock.unlock(),
    inspect: () => lock.inspect?.(),
  };
}

function free(create: (arena: Arena) => AnyLock): Make {
  return (arena) => lockCalls(create(arena));
}

function held(create: (arena: Arena) => AnyLock): Make {
  return (arena) => {
    const lock = create(arena);
    lock.lock();
    return lockCalls(lock);
  };
}

/** A held lock with two waiters of another agent in line. */
function contended<Held extends AnyLock & { readonly handle: PrimitiveHandle<string> }>(
  create: (arena: Arena) => Held,
  from: (handle: Held['handle']) => AnyLock,
): Make {
  return (arena) => {
    const lock = create(arena);
    lock.lock();
    const theirs = openAs(secondAgent(arena), lock.handle, from);
    for (let count = 0; count < 2; count++) quiet(theirs.lockAsync());
    return lockCalls(lock);
  };
}

interface AnySemaphore {
  readonly available: number;
  tryAcquire(permits?: number, timeoutMs?: number): boolean;
  acquireAsync(permits?: number): Promise<unknown>;
  release(permits?: number): void;
  drain?(): number;
  close(): void;
  inspect(): unknown;
}

function permitCalls(sem: AnySemaphore): Calls {
  return {
    tryAcquire: () => sem.tryAcquire(1, 1),
    'tryAcquire twice': () => [sem.tryAcquire(), sem.tryAcquire()],
    release: () => sem.release(),
    drain: () => sem.drain?.(),
    available: () => sem.available,
    inspect: () => sem.inspect(),
    close: () => sem.close(),
  };
}

function barrierCalls(barrier: Barrier): Calls {
  return {
    tryWait: () => barrier.tryWait(1),
    register: () => barrier.register(),
    claim: () => barrier.claim(),
    deregister: () => barrier.deregister(),
    reset: () => barrier.reset(),
    abort: () => barrier.abort(),
    mend: () => barrier.mend(),
    inspect: () => barrier.inspect(),
  };
}

interface AnyCapacitor {
  arrive(): void;
  arriveAsync(): Promise<unknown>;
  depart(): void;
  tryArrive(timeoutMs?: number): boolean;
  inspect(): unknown;
}

function gateCalls(gate: AnyCapacitor): Calls {
  return { tryArrive: () => gate.tryArrive(1), depart: () => gate.depart(), inspect: () => gate.inspect() };
}

function gate<Made extends AnyCapacitor & { readonly handle: PrimitiveHandle<string> }>(
  create: (arena: Arena) => Made,
  from: (handle: Made['handle']) => AnyCapacitor,
): Make {
  return (arena) => {
    const made = create(arena);
    made.arrive();
    const theirs = openAs(secondAgent(arena), made.handle, from);
    for (let count = 0; count < 3; count++) quiet(theirs.arriveAsync());
    return gateCalls(made);
  };
}

function behind(options: CapacitorLockOptions): Make {
  return (arena) => {
    const lock = CapacitorLock.create(Mutex.create({ arena }), options);
    return { ...lockCalls(lock), 'lock and unlock': () => lock.tryLock(1) && lock.unlock() };
  };
}

/** A half-full buffer. The calls take, put and inspect. */
function buffer<T>(options: BufferOptions<T>, value: T): Make {
  return (arena) => {
    const one = BoundedBuffer.create<T>({ ...options, arena } as ByteBufferOptions<T>);
    one.tryPush(value);
    one.tryPush(value);
    return {
      tryPush: () => one.tryPush(value, 1),
      tryPop: () => one.tryPop(1),
      tryPushMany: () => one.tryPushMany([value, value, value, value, value], 1),
      tryPopMany: () => one.tryPopMany(),
      counts: () => [one.length, one.room, one.pushed, one.popped, one.closed],
      inspect: () => one.inspect(),
      from: () =>
        BoundedBuffer.from<T>(one.handle, typeof options.codec === 'object' ? { codec: options.codec } : {}).tryPop(1),
    };
  };
}

function inPlace<T extends number | Uint8Array>(options: BufferOptions<T>, value: T): Make {
  return (arena) => {
    const one = BoundedBuffer.create<T>({ ...options, arena } as ByteBufferOptions<T>);
    one.tryPush(value);
    return {
      'claim and commit': () => {
        const writer = new BufferWriter<T>(one);
        if (writer.claim(1, 1) !== undefined) writer.commit();
      },
      'peek and consume': () => {
        const reader = new BufferReader<T>(one);
        if (reader.peek(1, 1) !== undefined) reader.consume();
      },
    };
  };
}

const bytes = (): Uint8Array => Uint8Array.of(1, 2, 3);

const OWNED = {
  Mutex: { create: (arena: Arena) => Mutex.create({ arena }), from: (handle: Mutex['handle']) => Mutex.from(handle) },
  RecursiveMutex: {
    create: (arena: Arena) => RecursiveMutex.create({ arena }),
    from: (handle: RecursiveMutex['handle']) => RecursiveMutex.from(handle),
  },
  TtsLock: {
    create: (arena: Arena) => TtsLock.create({ arena }),
    from: (handle: TtsLock['handle']) => TtsLock.from(handle),
  },
  TicketLock: {
    create: (arena: Arena) => TicketLock.create({ arena }),
    from: (handle: TicketLock['handle']) => TicketLock.from(handle),
  },
  McsLock: {
    create: (arena: Arena) => McsLock.create({ arena }),
    from: (handle: McsLock['handle']) => McsLock.from(handle),
  },
  LifoLock: {
    create: (arena: Arena) => LifoLock.create({ arena }),
    from: (handle: LifoLock['handle']) => LifoLock.from(handle),
  },
  ReciprocatingLock: {
    create: (arena: Arena) => ReciprocatingLock.create({ arena }),
    from: (handle: ReciprocatingLock['handle']) => ReciprocatingLock.from(handle),
  },
};

interface SemaphoreClass {
  create(
    permits: number,
    options: { readonly arena: Arena },
  ): AnySemaphore & { readonly handle: PrimitiveHandle<string> };
  from(handle: never): AnySemaphore;
}

const FAMILY: Readonly<Record<string, SemaphoreClass>> = {
  Semaphore,
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

function ownedSubjects<Held extends AnyLock & { readonly handle: PrimitiveHandle<string> }>(
  name: string,
  { create, from }: { readonly create: (arena: Arena) => Held; readonly from: (handle: Held['handle']) => AnyLock },
): Readonly<Record<string, Make>> {
  return {
    [name]: free(create),
    [`${name} that is held`]: held(create),
    [`${name} with waiters`]: contended(create, from),
  };
}

function familySubjects(name: string, Class: SemaphoreClass): Readonly<Record<string, Make>> {
  return {
    [name]: (arena) => permitCalls(Class.create(2, { arena })),
    [`${name} with waiters`]: (arena) => {
      const sem = Class.create(0, { arena });
      const theirs = openAs(secondAgent(arena), sem.handle, (handle) => Class.from(handle as never));
      for (let count = 0; count < 2; count++) quiet(theirs.acquireAsync());
      return permitCalls(sem);
    },
  };
}

const OTHERS: Readonly<Record<string, Make>> = {
  Region: (arena) => {
    const region = Region.create(64, { arena });
    return { read: () => [region.byteLength, region.bytes[0], region.int32[0], region.float64[0], region.name] };
  },
  SharedWord: (arena) => {
    const word = SharedWord.create(0, { arena });
    const key = keyOf(word, 1);
    return {
      word: () => [word.load(), word.add(1), word.exchange(3), word.compareExchange(3, 4)],
      waitOnAddress: () => waitOnAddress(word, word.load(), 0),
      wakeByAddressAll: () => wakeByAddressAll(word),
      addressSignal: () => addressSignal(word),
      'keyMonitor, keyWait': () => keyWait(key, keyMonitor(key), 0),
      keySignal: () => keySignal(key),
    };
  },
  RwLock: (arena) => {
    const lock = RwLock.create({ arena });
    return {
      ...lockCalls(lock.reader),
      writer: () => lock.writer.tryLock(1),
      'unlock of the writer': () => lock.writer.unlock(),
      inspect: () => lock.inspect(),
    };
  },
  'RwLock with a writer and waiters': (arena) => {
    const lock = RwLock.create({ arena });
    lock.writer.lock();
    const theirs = openAs(secondAgent(arena), lock.handle, (handle) => RwLock.from(handle));
    quiet(theirs.reader.lockAsync());
    quiet(theirs.writer.lockAsync());
    return {
      ...lockCalls(lock.writer),
      reader: () => lock.reader.tryLock(1),
      downgrade: () => lock.downgrade(),
      inspect: () => lock.inspect(),
    };
  },
  'RwLock with a seat': (arena) => {
    const lock = RwLock.create({ arena, upgradeable: true });
    return {
      ...lockCalls(lock.upgradeable),
      writer: () => lock.writer.tryLock(1),
      reader: () => lock.reader.tryLock(1),
      inspect: () => lock.inspect(),
    };
  },
  KeyedMutex: (arena) => {
    const keys = KeyedMutex.create({ arena });
    keys.lock('a');
    keys.lock('b');
    return {
      tryLock: () => keys.tryLock('c', 1),
      'tryLock of a held key': () => keys.tryLock('a', 1),
      owns: () => keys.owns('a'),
      unlock: () => keys.unlock('a'),
      inspect: () => keys.inspect(),
      at: () => keys.at('b').tryLock(1),
    };
  },
  KeyedLimit: (arena) => {
    const limit = KeyedLimit.create({ arena, concurrency: 1, total: 2 });
    const guard = limit.hold('a');
    return {
      tryHold: () => limit.tryHold('b', 1)?.release(),
      'tryHold of a key without a slot': () => limit.tryHold('a', 1),
      release: () => guard.release(),
      inspect: () => limit.inspect(),
    };
  },
  KeyedRateLimiter: (arena) => {
    const rates = KeyedRateLimiter.create({ arena, permits: 2, interval: 1000 });
    rates.acquire('a', 2);
    return {
      tryAcquire: () => rates.tryAcquire('b'),
      'tryAcquire with a timeout': () => rates.tryAcquire('a', 1, 1),
      consume: () => rates.consume('a'),
      block: () => rates.block('c', 5),
      penalty: () => rates.penalty('a'),
      reward: () => rates.reward('a'),
      reset: () => rates.reset('a'),
      inspect: () => rates.inspect(),
    };
  },
  SharedCache: (arena) => {
    const cache = SharedCache.create<string>({ arena, maxBytes: 4096 });
    cache.set('a', 'x'.repeat(600));
    cache.set('b', 'y');
    return {
      get: () => cache.get('a', () => 'z'),
      'get of a key without a value': () => cache.get('c', () => 'z'.repeat(2000)),
      getAsync: () => cache.getAsync('d', () => 'z'),
      set: () => cache.set('b', 'x'.repeat(1500)),
      peek: () => cache.peek('a'),
      delete: () => cache.delete('a'),
      clear: () => cache.clear(),
      inspect: () => cache.inspect(),
    };
  },
  LockManager: (arena) => {
    const manager = LockManager.create({ arena });
    quiet(manager.request('a', () => new Promise(() => undefined)));
    const request = (name: string, more: object): Promise<unknown> =>
      manager.request(name, { ifAvailable: true, ...more }, () => undefined);
    return {
      'request of a held name': () => request('a', {}),
      'request of a free name': () => request('b', {}),
      'request to share': () => request('c', { mode: 'shared' }),
      query: () => manager.query(),
    };
  },
  'the names of an arena': (arena) => {
    named(arena, 'a', Mutex);
    named(arena, 'b', Mutex);
    return {
      named: () => named(arena, 'a', Mutex),
      findNamed: () => findNamed(arena, 'b', Mutex),
      'a new name': () => named(arena, 'c', Mutex),
      forgetNamed: () => forgetNamed(arena, 'a'),
      listNamed: () => listNamed(arena),
    };
  },
  SeqLock: (arena) => {
    const lock = SeqLock.create({ arena, byteLength: 8 });
    const into = lock.read();
    const snapshot = lock.snapshot();
    return {
      tryRead: () => lock.tryRead(into),
      tryWrite: () => lock.tryWrite(into, 1),
      tryUpdate: () => lock.tryUpdate(() => undefined, 1),
      refresh: () => snapshot.refresh(),
      version: () => [lock.version, lock.closed],
      inspect: () => lock.inspect(),
      close: () => lock.close(),
    };
  },
  Condition: (arena) => {
    const lock = Mutex.create({ arena });
    const condition = Condition.create(lock);
    lock.lock();
    return {
      notify: () => condition.notify(),
      notifyAll: () => condition.notifyAll(),
      inspect: () => condition.inspect(),
    };
  },
  AutoResetEvent: (arena) => {
    const event = AutoResetEvent.create({ arena });
    return {
      tryWait: () => event.tryWait(1),
      signal: () => event.signal(),
      reset: () => event.reset(),
      inspect: () => event.inspect(),
    };
  },
  'AutoResetEvent with waiters': (arena) => {
    const event = AutoResetEvent.create({ arena });
    const theirs = openAs(secondAgent(arena), event.handle, (handle) => AutoResetEvent.from(handle));
    for (let count = 0; count < 2; count++) quiet(theirs.waitAsync());
    return { tryWait: () => event.tryWait(1), signal: () => event.signal(), inspect: () => event.inspect() };
  },
  ManualResetEvent: (arena) => {
    const event = ManualResetEvent.create({ arena });
    const theirs = openAs(secondAgent(arena), event.handle, (handle) => ManualResetEvent.from(handle));
    quiet(theirs.waitAsync());
    return {
      tryWait: () => event.tryWait(1),
      set: () => event.set(),
      reset: () => event.reset(),
      isSet: () => event.isSet,
      inspect: () => event.inspect(),
    };
  },
  EventCount: (arena) => {
    const event = classics.EventCount.create({ arena });
    const theirs = openAs(secondAgent(arena), event.handle, (handle) => classics.EventCount.from(handle));
    for (const value of [1, 5]) quiet(theirs.awaitAsync(value));
    return {
      tryAwait: () => event.tryAwait(1, 1),
      advance: () => event.advance(),
      'advance by 3': () => event.advance(3),
      read: () => event.read(),
      inspect: () => event.inspect(),
    };
  },
  Sequencer: (arena) => {
    const sequencer = classics.Sequencer.create({ arena });
    return { ticket: () => sequencer.ticket(), inspect: () => sequencer.inspect() };
  },
  Once: (arena) => {
    const once = Once.create({ arena });
    return {
      tryRun: () => once.tryRun(() => undefined, 1),
      tryWait: () => once.tryWait(1),
      isDone: () => once.isDone,
      inspect: () => once.inspect(),
    };
  },
  Lazy: (arena) => {
    const lazy = Lazy.create<number>({ arena, capacity: 64 });
    lazy.get(() => 1);
    const other = Lazy.from(lazy.handle);
    return {
      value: () => other.value,
      tryGet: () => lazy.tryGet(() => 2, 1),
      tryWait: () => lazy.tryWait(1),
      inspect: () => lazy.inspect(),
    };
  },
  'Lazy of a number, without its value': (arena) => {
    const lazy = Lazy.create({ arena, codec: 'float64' });
    return {
      tryGet: () => lazy.tryGet(() => 2, 1),
      value: () => lazy.value,
      tryWait: () => lazy.tryWait(1),
      inspect: () => lazy.inspect(),
    };
  },
  Barrier: (arena) => barrierCalls(Barrier.create(2, { arena })),
  'Barrier with a waiter': (arena) => {
    const barrier = Barrier.create(3, { arena });
    quiet(openAs(secondAgent(arena), barrier.handle, (handle) => Barrier.from(handle)).waitAsync());
    return barrierCalls(barrier);
  },
  CountdownLatch: (arena) => {
    const latch = CountdownLatch.create(1, { arena });
    quiet(openAs(secondAgent(arena), latch.handle, (handle) => CountdownLatch.from(handle)).waitAsync());
    return {
      tryWait: () => latch.tryWait(1),
      add: () => latch.add(),
      claim: () => latch.claim(),
      done: () => latch.done(),
      count: () => latch.count,
      inspect: () => latch.inspect(),
    };
  },
  Capacitor: gate(
    (arena) => Capacitor.create({ arena, bypassLimit: 2 }),
    (handle) => Capacitor.from(handle),
  ),
  LanedCapacitor: gate(
    (arena) => LanedCapacitor.create({ arena, lanes: 2, bypassLimit: 2 }),
    (handle) => LanedCapacitor.from(handle),
  ),
  SemaphoreCapacitor: (arena) => {
    const door = SemaphoreCapacitor.create(Semaphore.create(1, { arena }));
    door.arrive();
    return {
      tryArrive: () => door.tryArrive(1),
      depart: () => door.depart(),
      'depart again': () => door.depart(),
      inspect: () => door.inspect(),
    };
  },
  Turnstile: gate(
    (arena) => Turnstile.create({ arena }),
    (handle) => Turnstile.from(handle),
  ),
  CapacitorLock: behind({ bypassLimit: 10 }),
  'CapacitorLock with a turnstile': behind({ bypassLimit: 'adaptive' }),
  'CapacitorLock with random lanes': behind({ bypassLimit: 10, lanes: { count: 2, order: 'random' } }),
  BoundedBuffer: buffer<unknown>({ capacity: 4, slotBytes: 16 }, { a: 1 }),
  'BoundedBuffer of int32': buffer({ codec: 'int32', capacity: 4 }, 1),
  'BoundedBuffer of float64': buffer({ codec: 'float64', capacity: 4 }, 0.5),
  'BoundedBuffer of bytes': buffer({ codec: 'bytes', capacity: 4, slotBytes: 16 }, bytes()),
  'BoundedBuffer of msgpack': buffer<unknown>({ codec: msgpack(), capacity: 4, slotBytes: 16 }, [1, 'a']),
  'BoundedBuffer of int32, in place': inPlace({ codec: 'int32', capacity: 4 }, 1),
  'BoundedBuffer of bytes, in place': inPlace({ codec: 'bytes', capacity: 4, slotBytes: 16 }, bytes()),
  Broadcast: (arena) => {
    const broadcast = Broadcast.create<number>({ arena, codec: 'int32', capacity: 2 });
    const subscription = broadcast.subscribe();
    broadcast.publish(1);
    return {
      tryNext: () => subscription.tryNext(1),
      tryPublish: () => broadcast.tryPublish(2, 1),
      inspect: () => broadcast.inspect(),
      subscribe: () => broadcast.subscribe({ from: 'oldest' }).tryNext(),
      from: () => Broadcast.from(broadcast.handle).tryPublish(3, 1),
    };
  },
  'Broadcast of JSON that waits': (arena) => {
    const broadcast = Broadcast.create<number>({
      arena,
      capacity: 1,
      maxBytes: 8,
      overflow: 'wait',
      maxSubscriptions: 2,
    });
    const subscription = broadcast.subscribe();
    broadcast.publish(1);
    return {
      tryNext: () => subscription.tryNext(1),
      tryPublish: () => broadcast.tryPublish(2, 1),
      inspect: () => broadcast.inspect(),
    };
  },
  WatchCell: (arena) => {
    const cell = WatchCell.create<number>(1, { arena, codec: 'int32' });
    return {
      get: () => cell.get(),
      set: () => cell.set(2),
      tryChanged: () => cell.tryChanged(1),
      version: () => cell.version,
      inspect: () => cell.inspect(),
      close: () => cell.close(),
    };
  },
  'WatchCell of JSON with a waiter': (arena) => {
    const cell = WatchCell.create<unknown>({ a: 1 }, { arena, maxBytes: 16 });
    const theirs = openAs(secondAgent(arena), cell.handle, (handle) => WatchCell.from(handle));
    theirs.get();
    quiet(theirs.changedAsync());
    return {
      get: () => WatchCell.from(cell.handle).get(),
      set: () => cell.set([2]),
      tryChanged: () => cell.tryChanged(1),
      close: () => cell.close(),
    };
  },
  RateLimiter: (arena) => {
    const limiter = RateLimiter.create({ arena, permits: 4, interval: 1000 });
    return {
      tryAcquire: () => limiter.tryAcquire(),
      'tryAcquire of many': () => limiter.tryAcquire(4),
      inspect: () => limiter.inspect(),
    };
  },
  'createLimit()': (arena) => {
    const limit = createLimit(2, { arena });
    return limitCalls(limit);
  },
  'createLimit() with an interval': (arena) =>
    limitCalls(createLimit({ arena, concurrency: 2, interval: 1000, intervalCap: 4 })),
  'createLimit() with maxWaiting': (arena) => limitCalls(createLimit({ arena, concurrency: 2, maxWaiting: 2 })),
  'createLimit() with a strict interval': (arena) =>
    limitCalls(createLimit({ arena, interval: 1000, intervalCap: 4, strict: true })),
  TaskQueue: (arena) => {
    const queue = TaskQueue.create({ arena, concurrency: 2 });
    return {
      add: () => queue.add(() => undefined),
      'pause and start': () => {
        queue.pause();
        queue.start();
      },
      size: () => queue.size,
      onIdle: () => queue.onIdle(),
      inspect: () => queue.inspect(),
      close: () => queue.close(),
    };
  },
};

function limitCalls(limit: ReturnType<typeof createLimit>): Calls {
  return {
    call: () => limit(() => undefined),
    size: () => {
      limit.concurrency = 3;
    },
    inspect: () => limit.inspect(),
    close: () => limit.close(),
  };
}

/** The scenes, by a text that begins with the name of the class, as in samples.ts. */
export const SUBJECTS: Readonly<Record<string, Make>> = {
  ...ownedSubjects('Mutex', OWNED.Mutex),
  ...ownedSubjects('RecursiveMutex', OWNED.RecursiveMutex),
  ...ownedSubjects('TtsLock', OWNED.TtsLock),
  ...ownedSubjects('TicketLock', OWNED.TicketLock),
  ...ownedSubjects('McsLock', OWNED.McsLock),
  ...ownedSubjects('LifoLock', OWNED.LifoLock),
  ...ownedSubjects('ReciprocatingLock', OWNED.ReciprocatingLock),
  ...Object.fromEntries(Object.entries(FAMILY).flatMap(([name, Class]) => Object.entries(familySubjects(name, Class)))),
  ...OTHERS,
};
