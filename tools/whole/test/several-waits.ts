// Async calls that wait more than once. After all events of its scenario a call is in its last wait, and nothing grants
// that wait.

import {
  addressSignal,
  addressWaitUntilAsync,
  keyMonitor,
  keyWaitAsync,
  parkAsync,
  SharedWord,
  waitOnAddressAsync,
} from '../../../packages/address-wait/src/index.ts';
import { Barrier } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer, BufferReader, BufferWriter } from '../../../packages/bounded-buffer/src/index.ts';
import { select, selectAsync } from '../../../packages/bounded-buffer/src/select.ts';
import { Broadcast } from '../../../packages/broadcast/src/index.ts';
import { CapacitorLock } from '../../../packages/capacitor/src/index.ts';
import { Condition, type ConditionLock, Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import {
  Semaphore,
  type Arena,
  type AsyncLock,
  type Lock,
  type WaitOptions,
} from '../../../packages/core/src/index.ts';
import { Lazy, Once } from '../../../packages/event/src/index.ts';
import { createLimit, RateLimiter } from '../../../packages/limit/src/index.ts';
import { AddressSemaphore, MultilaneSemaphore, TtsLock } from '../../../packages/classics/src/index.ts';
import { LockManager } from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { ResizableSemaphore } from '../../../packages/semaphores/src/index.ts';
import { ending } from '../../conformance/src/observe.ts';

/** One call. */
export interface Waiting {
  readonly call: (options: WaitOptions) => Promise<unknown>;
  /** The events that move the call from one wait to the next. They also run after the call has ended early. */
  readonly events: readonly (() => void)[];
  /** Throws if the call, which ended early, has left the primitive in a wrong state. */
  readonly check?: () => void;
  /** The call takes no timeout. */
  readonly untimed?: true;
}

type Make = (arena: Arena, other: Arena) => Waiting;

/** A time that never passes during a test. */
const NEVER_MS = 1e9;

/** Ends an async call that is in line before the call under test. */
function before(begin: (options: WaitOptions) => Promise<unknown>): () => void {
  const controller = new AbortController();
  void ending(begin({ signal: controller.signal }));
  return () => controller.abort('it leaves');
}

function must(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

interface ConditionPair {
  readonly lock: ConditionLock;
  readonly theirs: ConditionLock;
}

/** The notified waiter waits for the lock, and then its predicate is false. */
function condition(open: (arena: Arena, other: Arena) => ConditionPair): Make {
  return (arena, other) => {
    const { lock, theirs } = open(arena, other);
    const mine = Condition.create(lock);
    const notifier = openAs(other, mine.handle, (handle) => Condition.from(handle, theirs));
    lock.lock();
    let isTheirs = false;
    return {
      call: (options) => mine.waitForAsync(() => false, options),
      events: [
        () => {
          isTheirs = theirs.tryLock();
          notifier.notify();
        },
        () => {
          if (isTheirs) theirs.unlock();
        },
        () => void notifier.notify(),
      ],
      check: () => {
        must(lock.owned, 'the lock is not held');
        lock.unlock();
        mine.free();
      },
    };
  };
}

/** A lock whose waiter may find it locked again when it wakes. */
function bargedIn<Held extends Lock & AsyncLock & { readonly handle: { readonly arena: string } }>(
  create: (arena: Arena) => Held,
  from: (handle: Held['handle']) => Held,
): Make {
  return (arena, other) => {
    const lock = create(arena);
    const theirs = openAs(other, lock.handle, from);
    theirs.lock();
    let isTheirs = true;
    const again = (): void => {
      if (isTheirs) theirs.unlock();
      isTheirs = theirs.tryLock();
    };
    return {
      call: (options) => lock.lockAsync(options),
      events: [again, again],
      check: () => must(isTheirs, 'the lock is not free for others'),
    };
  };
}

/** The call waits at the capacitor, then at the inner lock. */
function behindCapacitor(call: (lock: CapacitorLock, options: WaitOptions) => Promise<unknown>): Make {
  return (arena, other) => {
    const inner = Mutex.create({ arena });
    const theirs = openAs(other, inner.handle, (handle) => Mutex.from(handle));
    const lock = CapacitorLock.create(inner, { bypassLimit: 1 });
    theirs.lock();
    const leave = before((options) => lock.lockAsync(options));
    return { call: (options) => call(lock, options), events: [leave], check: () => theirs.unlock() };
  };
}

const upgradeable = (arena: Arena, other: Arena, third: Arena) => {
  const lock = RwLock.create({ arena, upgradeable: true });
  const [seated, reader] = [other, third].map((agent) =>
    openAs(agent, lock.handle, (handle) => RwLock.from(handle)),
  ) as [RwLock, RwLock];
  return { lock, seated, reader };
};

export const SEVERAL_WAITS: Readonly<Record<string, Make>> = {
  'Condition.waitForAsync of a mutex': condition((arena, other) => {
    const lock = Mutex.create({ arena });
    return { lock, theirs: openAs(other, lock.handle, (handle) => Mutex.from(handle)) };
  }),
  'Condition.waitForAsync of a recursive mutex': condition((arena, other) => {
    const lock = RecursiveMutex.create({ arena });
    return { lock, theirs: openAs(other, lock.handle, (handle) => RecursiveMutex.from(handle)) };
  }),
  'Condition.waitForAsync of a writer': condition((arena, other) => {
    const lock = RwLock.create({ arena });
    return { lock: lock.writer, theirs: openAs(other, lock.handle, (handle) => RwLock.from(handle)).writer };
  }),
  'ResizableSemaphore.waitForUnlockAsync': (arena) => {
    const sem = ResizableSemaphore.create(3, { arena });
    sem.acquire(3);
    const release = (): void => sem.release();
    return { call: (options) => sem.waitForUnlockAsync(3, options), events: [release, release] };
  },
  'AddressSemaphore.acquireAsync(2)': (arena) => {
    const sem = AddressSemaphore.create(0, { arena });
    const blink = (): void => {
      sem.release();
      sem.tryAcquire();
    };
    return { call: (options) => sem.acquireAsync(2, options), events: [blink, blink] };
  },
  'MultilaneSemaphore.acquireAsync': (arena) => {
    const sem = MultilaneSemaphore.create(0, { arena });
    const leave = before((options) => sem.acquireAsync(1, options));
    void ending(sem.acquireAsync());
    return { call: (options) => sem.acquireAsync(1, options), events: [leave, () => sem.release()] };
  },
  addressWaitUntilAsync: (arena) => {
    const word = SharedWord.create(0, { arena });
    const signal = (): void => addressSignal(word);
    return { call: (options) => addressWaitUntilAsync(word, () => false, options), events: [signal, signal] };
  },
  waitOnAddressAsync: (arena) => {
    const word = SharedWord.create(0, { arena });
    const signal = (): void => addressSignal(word);
    return { call: (options) => waitOnAddressAsync(word, 0, options), events: [signal, signal] };
  },
  parkAsync: (arena) => ({ call: (options) => parkAsync(arena, options), events: [] }),
  keyWaitAsync: (arena) => {
    const word = SharedWord.create(0, { arena });
    return { call: (options) => keyWaitAsync(word, keyMonitor(word), options), events: [() => addressSignal(word)] };
  },
  'BoundedBuffer.popAsync behind the side lock': (arena, other) => {
    const buffer = BoundedBuffer.create({ arena, codec: 'int32', capacity: 4 });
    buffer.push(1);
    const reader = new BufferReader(openAs(other, buffer.handle, (handle) => BoundedBuffer.from<number>(handle)));
    reader.peek(1);
    return { call: (options) => buffer.popAsync(options), events: [() => reader.consume(1)] };
  },
  'BoundedBuffer.pushAsync behind the side lock': (arena, other) => {
    const buffer = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 64 });
    buffer.push(new Uint8Array(40));
    const writer = new BufferWriter(openAs(other, buffer.handle, (handle) => BoundedBuffer.from<Uint8Array>(handle)));
    writer.claim(4);
    return { call: (options) => buffer.pushAsync(new Uint8Array(32), options), events: [() => writer.cancel()] };
  },
  'BoundedBuffer.popAsync behind a call of its agent': (arena) => {
    const buffer = BoundedBuffer.create<number>({ arena, capacity: 4 });
    void ending(buffer.popAsync());
    return { call: (options) => buffer.popAsync(options), events: [() => buffer.push(1)] };
  },
  'BoundedBuffer.pushManyAsync behind another agent': (arena, other) => {
    const buffer = BoundedBuffer.create<number>({ arena, capacity: 1 });
    buffer.push(0);
    const theirs = openAs(other, buffer.handle, (handle) => BoundedBuffer.from<number>(handle));
    void ending(theirs.pushAsync(1));
    return { call: (options) => buffer.pushManyAsync([2, 3], options), events: [() => void buffer.tryPop()] };
  },
  'Broadcast.publishAsync': (arena, other) => {
    const broadcast = Broadcast.create<number>({ arena, capacity: 1, overflow: 'wait' });
    const subscription = broadcast.subscribe();
    broadcast.publish(0);
    const theirs = openAs(other, broadcast.handle, (handle) => Broadcast.from<number>(handle));
    void ending(theirs.publishAsync(1));
    return { call: (options) => broadcast.publishAsync(2, options), events: [() => void subscription.tryNext()] };
  },
  'Subscription.nextAsync': (arena) => {
    const broadcast = Broadcast.create<number>({ arena, capacity: 4 });
    const subscription = broadcast.subscribe();
    void ending(subscription.nextAsync());
    return { call: (options) => subscription.nextAsync(options), events: [() => broadcast.publish(1)] };
  },
  'CapacitorLock.lockAsync': behindCapacitor((lock, options) => lock.lockAsync(options)),
  'CapacitorLock.takeOverAsync': behindCapacitor((lock, options) => lock.takeOverAsync(options)),
  'CapacitorLock.runAsync': behindCapacitor((lock, options) => lock.runAsync(() => undefined, options)),
  'RwLock.writer.lockAsync with a seat': (arena, other) => {
    const { lock, seated, reader } = upgradeable(arena, other, secondAgent(arena));
    seated.upgradeable.lock();
    reader.reader.lock();
    return {
      call: (options) => lock.writer.lockAsync(options),
      events: [() => seated.upgradeable.unlock()],
      check: () => must(seated.upgradeable.tryLock(), 'the seat is taken'),
    };
  },
  'RwLock.upgradeable.upgradeAsync': (arena, other) => {
    const { lock, reader } = upgradeable(arena, other, secondAgent(arena));
    reader.reader.lock();
    lock.upgradeable.lock();
    const blink = (): void => {
      reader.reader.unlock();
      must(reader.reader.tryLock(), 'no reader enters');
    };
    const check = (): void => {
      blink();
      lock.upgradeable.unlock();
    };
    return { call: (options) => lock.upgradeable.upgradeAsync(options), events: [], check };
  },
  'TtsLock.lockAsync': bargedIn(
    (arena) => TtsLock.create({ arena }),
    (handle) => TtsLock.from(handle),
  ),
  'Barrier.waitAsync': (arena, other) => {
    const barrier = Barrier.create(2, { arena });
    let call: (() => void) | undefined;
    const theirs = openAs(other, barrier.handle, (handle) => Barrier.from(handle, { action: () => call?.() }));
    // The call is made while the action of the generation before runs.
    return {
      call: (options) => {
        let made: Promise<unknown> = Promise.resolve();
        void ending(barrier.waitAsync());
        call = () => {
          made = barrier.waitAsync(options);
        };
        void ending(theirs.waitAsync());
        return made;
      },
      events: [],
    };
  },
  'Once.waitAsync': (arena, other) => {
    const once = Once.create({ arena });
    const theirs = openAs(other, once.handle, (handle) => Once.from(handle));
    return { call: (options) => once.waitAsync(options), events: [failing(theirs), failing(theirs)] };
  },
  'Once.runAsync': (arena, other) => {
    const once = Once.create({ arena });
    const theirs = openAs(other, once.handle, (handle) => Once.from(handle));
    void ending(theirs.runAsync(() => new Promise(() => undefined)));
    return { call: (options) => once.runAsync(() => Promise.resolve(), options), events: [] };
  },
  'Lazy.waitAsync': (arena, other) => {
    const lazy = Lazy.create<number>({ arena, codec: 'json', capacity: 8 });
    const theirs = openAs(other, lazy.handle, (handle) => Lazy.from<number>(handle));
    const fail = (): void => void ending(theirs.getAsync(() => Promise.reject(new Error('it fails'))));
    return { call: (options) => lazy.waitAsync(options), events: [fail, fail] };
  },
  'RateLimiter.acquireAsync': (arena) => {
    const limiter = RateLimiter.create({ arena, permits: 1, interval: NEVER_MS, burst: 1 });
    limiter.acquire();
    const leave = before((options) => limiter.acquireAsync(1, options));
    return { call: (options) => limiter.acquireAsync(1, options), events: [leave] };
  },
  'RateLimiter.runAsync behind another agent': (arena, other) => {
    const limiter = RateLimiter.create({ arena, permits: 1, interval: NEVER_MS, burst: 1 });
    limiter.acquire();
    const theirs = openAs(other, limiter.handle, (handle) => RateLimiter.from(handle));
    const leave = before((options) => theirs.acquireAsync(1, options));
    return { call: (options) => limiter.runAsync(() => undefined, 1, options), events: [leave] };
  },
  'limit.run with an interval': (arena) => {
    const limit = createLimit({ arena, concurrency: 1, interval: NEVER_MS, intervalCap: 1 });
    void limit(() => undefined);
    const leave = before((options) => limit.run(() => undefined, options));
    return { call: (options) => limit.run(() => undefined, options), events: [leave] };
  },
  'limit.run with an interval behind another agent': (arena, other) => {
    const limit = createLimit({ arena, concurrency: 1, interval: NEVER_MS, intervalCap: 1 });
    const theirs = openAs(other, limit.handle, (handle) => createLimit.from(handle));
    void limit(() => undefined);
    const leave = before((options) => theirs.run(() => undefined, options));
    return { call: (options) => limit.run(() => undefined, options), events: [leave] };
  },
  'LockManager.request': (arena, other) => {
    const locks = LockManager.create({ arena });
    const theirs = openAs(other, locks.handle, (handle) => LockManager.from(handle));
    const forever = (): Promise<void> => new Promise(() => undefined);
    void ending(theirs.request('name', forever));
    const steal = (): void => void ending(theirs.request('name', { steal: true }, forever));
    return { call: ({ signal }) => locks.request('name', { signal }, () => 1), events: [steal, steal], untimed: true };
  },
  selectAsync: (arena) => {
    const buffer = BoundedBuffer.create<number>({ arena, capacity: 4 });
    const sem = Semaphore.create(0, { arena });
    void ending(buffer.popAsync());
    return {
      call: (options) => selectAsync({ value: select.take(buffer), permit: select.acquire(sem) }, options),
      events: [() => buffer.push(1)],
    };
  },
};

/** Another agent's attempt, which fails. */
function failing(once: Once): () => void {
  return () => void ending(once.runAsync(() => Promise.reject(new Error('it fails'))));
}
