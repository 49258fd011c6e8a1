// Tests async waits of one agent in line, at every primitive with a line. The first wait and one in the middle are
// cancelled, and the others are admitted one by one. Only the first wait sleeps, so each wait that ends must make the
// next one sleep.

import { expect, test } from 'vitest';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Capacitor, Turnstile } from '../../../packages/capacitor/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { Arena, Semaphore, type AsyncLock, type Lock, type WaitOptions } from '../../../packages/core/src/index.ts';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../../../packages/classics/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import * as classics from '../../../packages/classics/src/index.ts';
import * as semaphores from '../../../packages/semaphores/src/index.ts';
import { rejection } from '../../conformance/src/observe.ts';

const WAITS = 20;

/** Creates a primitive that admits no wait. */
interface Line {
  readonly wait: (options?: WaitOptions) => Promise<unknown>;
  /** Admits one wait. Called once for each wait. */
  readonly next: () => void;
  /** Admits the first wait, if that needs another call. */
  readonly begin?: () => void;
}

interface Kind {
  readonly name: string;
  readonly make: (arena: Arena) => Line;
  /** Whether waits are admitted in another order than that of arrival. */
  readonly unordered?: true;
}

interface Handled {
  readonly handle: { readonly arena: string };
}

/** A lock that another agent of this thread holds. */
function locked<Held extends Lock & AsyncLock & Handled>(
  create: (options: { arena: Arena }) => Held,
  from: (handle: Held['handle']) => Held,
  part = (whole: Held): Lock & AsyncLock => whole,
) {
  return (arena: Arena): Line => {
    const [lock, other] = [create({ arena }), secondAgent(arena)];
    const theirs = openAs(other, lock.handle, from);
    part(theirs).lock();
    return {
      wait: (options) => part(lock).lockAsync(options),
      next: () => part(lock).unlock(),
      begin: () => part(theirs).unlock(),
    };
  };
}

interface Gate extends Handled {
  arrive(): void;
  arriveAsync(options?: WaitOptions): Promise<void>;
  depart(): void;
}

function occupied<Held extends Gate>(
  create: (options: { arena: Arena }) => Held,
  from: (handle: Held['handle']) => Held,
) {
  return (arena: Arena): Line => {
    const [gate, other] = [create({ arena }), secondAgent(arena)];
    const theirs = openAs(other, gate.handle, from);
    theirs.arrive();
    return { wait: (options) => gate.arriveAsync(options), next: () => gate.depart(), begin: () => theirs.depart() };
  };
}

const family = {
  Semaphore,
  AddressSemaphore: classics.AddressSemaphore,
  ChainSemaphore: classics.ChainSemaphore,
  LightweightSemaphore: classics.LightweightSemaphore,
  LocationSemaphore: classics.LocationSemaphore,
  MonitorSemaphore: classics.MonitorSemaphore,
  PrioritySemaphore: semaphores.PrioritySemaphore,
  TicketSemaphore: classics.TicketSemaphore,
  WaitingArraySemaphore: classics.WaitingArraySemaphore,
};

const KINDS: readonly Kind[] = [
  ...Object.entries(family).map(([name, Class]) => ({
    name,
    make: (arena: Arena): Line => {
      const sem = Class.create(0, { arena });
      return { wait: (options) => sem.acquireAsync(1, options), next: () => sem.release() };
    },
  })),
  {
    name: 'MultilaneSemaphore',
    make: (arena) => {
      const sem = classics.MultilaneSemaphore.create(0, { arena });
      return { wait: (options) => sem.acquireAsync(1, options), next: () => sem.release() };
    },
    unordered: true,
  },
  {
    name: 'Mutex',
    make: locked(
      (options) => Mutex.create(options),
      (handle) => Mutex.from(handle),
    ),
  },
  {
    name: 'Mutex, fifo',
    make: locked(
      (options) => Mutex.create({ ...options, order: 'fifo' }),
      (handle) => Mutex.from(handle),
    ),
  },
  {
    name: 'RecursiveMutex',
    make: locked(
      (options) => RecursiveMutex.create(options),
      (handle) => RecursiveMutex.from(handle),
    ),
  },
  {
    name: 'TicketLock',
    make: locked(
      (options) => TicketLock.create(options),
      (handle) => TicketLock.from(handle),
    ),
  },
  {
    name: 'TtsLock',
    make: locked(
      (options) => TtsLock.create(options),
      (handle) => TtsLock.from(handle),
    ),
    unordered: true,
  },
  {
    name: 'McsLock',
    make: locked(
      (options) => McsLock.create(options),
      (handle) => McsLock.from(handle),
    ),
  },
  {
    name: 'LifoLock',
    make: locked(
      (options) => LifoLock.create(options),
      (handle) => LifoLock.from(handle),
    ),
    unordered: true,
  },
  {
    name: 'ReciprocatingLock',
    make: locked(
      (options) => ReciprocatingLock.create(options),
      (handle) => ReciprocatingLock.from(handle),
    ),
    unordered: true,
  },
  {
    name: 'RwLock, writers',
    make: (arena) => {
      const [lock, other] = [RwLock.create({ arena }), secondAgent(arena)];
      const theirs = openAs(other, lock.handle, (handle) => RwLock.from(handle));
      theirs.reader.lock();
      return {
        wait: (options) => lock.writer.lockAsync(options),
        next: () => lock.writer.unlock(),
        begin: () => theirs.reader.unlock(),
      };
    },
  },
  {
    name: 'RwLock, readers',
    make: (arena) => {
      const [lock, other] = [RwLock.create({ arena }), secondAgent(arena)];
      const theirs = openAs(other, lock.handle, (handle) => RwLock.from(handle));
      theirs.writer.lock();
      return {
        wait: (options) => lock.reader.lockAsync(options),
        next: () => lock.reader.unlock(),
        begin: () => theirs.writer.unlock(),
      };
    },
  },
  {
    name: 'AutoResetEvent',
    make: (arena) => {
      const event = AutoResetEvent.create({ arena });
      return { wait: (options) => event.waitAsync(options), next: () => event.signal() };
    },
  },
  {
    name: 'BoundedBuffer, consumers',
    make: (arena) => {
      const buffer = BoundedBuffer.create<number>({ arena, capacity: 4 });
      return { wait: (options) => buffer.popAsync(options), next: () => void buffer.tryPush(1) };
    },
  },
  {
    name: 'BoundedBuffer, producers',
    make: (arena) => {
      const buffer = BoundedBuffer.create<number>({ arena, capacity: 1 });
      buffer.push(0);
      return { wait: (options) => buffer.pushAsync(1, options), next: () => void buffer.tryPop() };
    },
  },
  {
    name: 'Capacitor',
    make: occupied(
      (options) => Capacitor.create({ ...options, bypassLimit: 1 }),
      (handle) => Capacitor.from(handle),
    ),
    unordered: true,
  },
  {
    name: 'Turnstile',
    make: occupied(
      (options) => Turnstile.create(options),
      (handle) => Turnstile.from(handle),
    ),
  },
];

test.each(KINDS)('$name: waits behind cancelled async waits are served one by one', async ({ make, unordered }) => {
  const line = make(Arena.create({ maxPages: 64, policy: { buckets: 4 } }));
  const { next, begin = next } = line;
  const [first, middle] = [new AbortController(), new AbortController()];
  const left = [rejection(line.wait({ signal: first.signal }))];
  const order: number[] = [];
  let ended: () => void = () => undefined;
  for (let number = 0; number < WAITS; number++) {
    void line.wait().then(() => {
      order.push(number);
      ended();
    });
    if (number === WAITS / 2)
      left.push(rejection(line.wait({ signal: middle.signal })), rejection(line.wait({ timeout: 1 })));
  }
  await left[2];
  middle.abort('enough');
  first.abort('enough');
  expect(await Promise.all(left)).toEqual(['enough', 'enough', expect.objectContaining({ code: 'SLUICE_TIMEOUT' })]);
  for (let through = 0; through < WAITS; through++) {
    const isNext = new Promise<void>((resolve) => (ended = resolve));
    if (through === 0) begin();
    else next();
    // Some primitives admit all of them at once.
    if (order.length <= through) await isNext;
  }
  if (unordered !== true) expect(order).toEqual(order.map((_, number) => number));
  expect(order).toHaveLength(WAITS);
});
