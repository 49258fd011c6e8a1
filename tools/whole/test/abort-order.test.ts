// Tests an abort and a grant in both orders, after each number of jobs. The first of the two decides
// (docs/decisions/145). A second agent of this thread grants, as another thread would.

import { expect, test } from 'vitest';
import { addressSignal, addressWaitUntilAsync, SharedWord } from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier, CountdownLatch } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { select, selectAsync } from '../../../packages/bounded-buffer/src/select.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { Capacitor, CapacitorLock } from '../../../packages/capacitor/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { Arena, Semaphore, type AsyncLock, type Lock, type WaitOptions } from '../../../packages/core/src/index.ts';
import { Lazy, ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { createLimit } from '../../../packages/limit/src/index.ts';
import * as classics from '../../../packages/classics/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import * as semaphores from '../../../packages/semaphores/src/index.ts';
import { turn } from '../../conformance/src/observe.ts';

/** More jobs than any call needs between two of its waits. */
const JOBS = 6;
/** The number of turns in which a wake-up arrives. */
const TURNS = 4;

interface Scene {
  readonly wait: (options: WaitOptions) => Promise<unknown>;
  /** Makes available what the call waits for. */
  readonly give: () => void;
  /** Returns whether the call has taken it. `undefined`: others can take it, too. */
  readonly isTaken?: () => boolean;
  /** Undoes the effect of a successful call. */
  readonly undo?: () => void;
}

type Make = (arena: Arena, other: Arena) => Scene;
type Handled = { readonly handle: { readonly arena: string } };

function permits<Made extends Handled & Pick<Semaphore, 'acquireAsync' | 'release' | 'available' | 'drain'>>(
  create: (permits: number, options: object) => Made,
  from: (handle: Made['handle']) => Made,
): Make {
  return (arena, other) => {
    const mine = create(0, { arena });
    const theirs = openAs(other, mine.handle, from);
    return {
      wait: (options) => mine.acquireAsync(1, options),
      give: () => theirs.release(),
      isTaken: () => mine.available === 0,
    };
  };
}

function lock<Made extends Handled & Lock & AsyncLock>(
  create: (options: object) => Made,
  from: (handle: Made['handle']) => Made,
): Make {
  return (arena, other) => {
    const mine = create({ arena });
    const theirs = openAs(other, mine.handle, from);
    return lockScene(mine, theirs);
  };
}

function lockScene(mine: Lock & AsyncLock, theirs: Lock): Scene {
  theirs.lock();
  const isTaken = (): boolean => {
    if (!theirs.tryLock()) return true;
    theirs.unlock();
    return false;
  };
  return {
    wait: (options) => mine.lockAsync(options),
    give: () => theirs.unlock(),
    isTaken,
    undo: () => mine.unlock(),
  };
}

function behindCapacitor(bypassLimit: number | 'adaptive'): Make {
  return (arena, other) => {
    const inner = Mutex.create({ arena });
    const mine = CapacitorLock.create(inner, { bypassLimit });
    const innerOfTheirs = openAs(other, inner.handle, (handle) => Mutex.from(handle));
    return lockScene(mine, innerOfTheirs);
  };
}

function buffers(
  capacity: number,
): (arena: Arena, other: Arena) => readonly [BoundedBuffer<number>, BoundedBuffer<number>] {
  return (arena, other) => {
    const mine = BoundedBuffer.create({ arena, codec: 'int32', capacity });
    return [mine, openAs(other, mine.handle, (handle) => BoundedBuffer.from<number>(handle))];
  };
}

const WAITS: Readonly<Record<string, Make>> = {
  Semaphore: permits(
    (free, options) => Semaphore.create(free, options),
    (handle) => Semaphore.from(handle),
  ),
  ...(Object.fromEntries(
    Object.entries({ ...classics, ...semaphores })
      .filter(([name]) => /^[A-Z]\w+Semaphore$/.test(name))
      .map(([name, Class]) => {
        const Family = Class as unknown as typeof classics.TicketSemaphore;
        return [
          name,
          permits(
            (free, options) => Family.create(free, options),
            (handle) => Family.from(handle),
          ),
        ];
      }),
  ) as Record<string, Make>),
  'Mutex in turns': lock(
    (options) => Mutex.create(options),
    (handle) => Mutex.from(handle),
  ),
  'Mutex in FIFO order': lock(
    (options) => Mutex.create({ ...options, order: 'fifo' }),
    (handle) => Mutex.from(handle),
  ),
  RecursiveMutex: lock(
    (options) => RecursiveMutex.create(options),
    (handle) => RecursiveMutex.from(handle),
  ),
  ...(Object.fromEntries(
    Object.entries(classics)
      .filter(([name]) => /^[A-Z]\w+Lock$/.test(name))
      .map(([name, Class]) => {
        const Kind = Class as typeof classics.McsLock;
        return [
          name,
          lock(
            (options) => Kind.create(options),
            (handle) => Kind.from(handle),
          ),
        ];
      }),
  ) as Record<string, Make>),
  'a writer of an RwLock': (arena, other) => {
    const mine = RwLock.create({ arena });
    return lockScene(mine.writer, openAs(other, mine.handle, (handle) => RwLock.from(handle)).writer);
  },
  'a reader of an RwLock': (arena, other) => {
    const mine = RwLock.create({ arena });
    return lockScene(mine.reader, openAs(other, mine.handle, (handle) => RwLock.from(handle)).writer);
  },
  'CapacitorLock with a fixed B': behindCapacitor(3),
  'CapacitorLock with a turnstile': behindCapacitor('adaptive'),
  Capacitor: (arena, other) => {
    const mine = Capacitor.create({ arena, bypassLimit: 1 });
    const theirs = openAs(other, mine.handle, (handle) => Capacitor.from(handle));
    while (theirs.tryArrive());
    return { wait: (options) => mine.arriveAsync(options), give: () => theirs.depart() };
  },
  AutoResetEvent: (arena, other) => {
    const mine = AutoResetEvent.create({ arena });
    const theirs = openAs(other, mine.handle, (handle) => AutoResetEvent.from(handle));
    return { wait: (options) => mine.waitAsync(options), give: () => theirs.signal(), isTaken: () => !mine.tryWait() };
  },
  ManualResetEvent: (arena, other) => {
    const mine = ManualResetEvent.create({ arena });
    return {
      wait: (options) => mine.waitAsync(options),
      give: () => openAs(other, mine.handle, (handle) => ManualResetEvent.from(handle)).set(),
    };
  },
  Once: (arena, other) => {
    const mine = Once.create({ arena });
    return {
      wait: (options) => mine.waitAsync(options),
      give: () => openAs(other, mine.handle, (handle) => Once.from(handle)).run(() => undefined),
    };
  },
  Lazy: (arena, other) => {
    const mine = Lazy.create<number>({ arena });
    return {
      wait: (options) => mine.waitAsync(options),
      give: () => void openAs(other, mine.handle, (handle) => Lazy.from<number>(handle)).get(() => 1),
    };
  },
  CountdownLatch: (arena, other) => {
    const mine = CountdownLatch.create(1, { arena });
    return {
      wait: (options) => mine.waitAsync(options),
      give: () => openAs(other, mine.handle, (handle) => CountdownLatch.from(handle)).done(),
    };
  },
  Barrier: (arena, other) => {
    const mine = Barrier.create(2, { arena });
    const theirs = openAs(other, mine.handle, (handle) => Barrier.from(handle));
    const give = (): void => {
      if (!mine.broken) theirs.tryWait();
    };
    return { wait: (options) => mine.waitAsync(options), give, isTaken: () => !mine.broken };
  },
  'a pop of a buffer': (arena, other) => {
    const [mine, theirs] = buffers(2)(arena, other);
    return { wait: (options) => mine.popAsync(options), give: () => theirs.push(7), isTaken: () => mine.length === 0 };
  },
  'a pop of many of a buffer': (arena, other) => {
    const [mine, theirs] = buffers(2)(arena, other);
    return {
      wait: (options) => mine.popManyAsync(2, options),
      give: () => theirs.push(7),
      isTaken: () => mine.length === 0,
    };
  },
  'a push of a buffer': (arena, other) => {
    const [mine, theirs] = buffers(1)(arena, other);
    mine.push(1);
    return {
      wait: (options) => mine.pushAsync(2, options),
      give: () => void theirs.pop(),
      isTaken: () => mine.length === 1,
    };
  },
  'a push into a ring of bytes': (arena, other) => {
    const mine = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 32 });
    const theirs = openAs(other, mine.handle, (handle) => BoundedBuffer.from<Uint8Array>(handle));
    mine.push(new Uint8Array(20));
    return {
      wait: (options) => mine.pushAsync(new Uint8Array(24), options),
      give: () => void theirs.pop(),
      isTaken: () => mine.length === 1,
    };
  },
  'a selection of a semaphore': (arena, other) => {
    const semaphore = Semaphore.create(0, { arena });
    const [mine] = buffers(2)(arena, other);
    const theirs = openAs(other, semaphore.handle, (handle) => Semaphore.from(handle));
    return {
      wait: (options) => selectAsync([select.acquire(semaphore), select.take(mine)], options),
      give: () => theirs.release(),
      isTaken: () => semaphore.available === 0,
    };
  },
  'a selection of a buffer': (arena, other) => {
    const semaphore = Semaphore.create(0, { arena });
    const [mine, theirs] = buffers(2)(arena, other);
    return {
      wait: (options) => selectAsync([select.acquire(semaphore), select.take(mine)], options),
      give: () => theirs.push(7),
      isTaken: () => mine.length === 0,
    };
  },
  'a publisher of a broadcast': (arena, other) => {
    const mine = Broadcast.create({ arena, codec: 'int32', capacity: 1, overflow: 'wait' });
    const subscription = openAs(other, mine.handle, (handle) => Broadcast.from<number>(handle)).subscribe();
    mine.publish(0);
    return {
      wait: (options) => mine.publishAsync(1, options),
      give: () => void subscription.next(),
      isTaken: () => mine.published === 2,
    };
  },
  'a subscription to a broadcast': (arena, other) => {
    const mine = Broadcast.create({ arena, codec: 'int32', capacity: 4 });
    const theirs = openAs(other, mine.handle, (handle) => Broadcast.from<number>(handle));
    const subscription = mine.subscribe();
    return {
      wait: (options) => subscription.nextAsync(options),
      give: () => theirs.publish(3),
      isTaken: () => subscription.behind === 0,
    };
  },
  WatchCell: (arena, other) => {
    const mine = WatchCell.create(0, { arena, codec: 'int32' });
    mine.get();
    const theirs = openAs(other, mine.handle, (handle) => WatchCell.from<number>(handle));
    return {
      wait: (options) => mine.changedAsync(options),
      give: () => void theirs.set(1),
      isTaken: () => !mine.hasChanged,
    };
  },
  KeyedMutex: (arena, other) => {
    const mine = KeyedMutex.create({ arena });
    const theirs = openAs(other, mine.handle, (handle) => KeyedMutex.from(handle));
    return lockScene(mine.at('key'), theirs.at('key'));
  },
  limit: (arena, other) => {
    const semaphore = Semaphore.create(0, { arena });
    const theirs = openAs(other, semaphore.handle, (handle) => Semaphore.from(handle));
    const limit = createLimit(semaphore);
    let calls = 0;
    return {
      wait: (options) => limit.run(() => (calls += 1), options),
      give: () => theirs.release(),
      isTaken: () => calls === 1,
    };
  },
  'an address': (arena) => {
    const word = SharedWord.create(0, { arena });
    const give = (): void => {
      word.store(1);
      addressSignal(word);
    };
    return { wait: (options) => addressWaitUntilAsync(word, () => word.load() === 1, options), give };
  },
};

async function jobs(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await Promise.resolve();
}

/** `asleep`: the turns that pass before the first event. */
async function run(
  make: () => Scene,
  first: 'abort' | 'give',
  asleep: number,
  before: number,
  between: number,
): Promise<string | undefined> {
  const scene = make();
  const controller = new AbortController();
  const events = { abort: () => controller.abort('aborted'), give: () => scene.give() };
  let end: string | undefined;
  scene.wait({ signal: controller.signal }).then(
    () => (end = 'taken'),
    (reason: unknown) => (end = String(reason)),
  );
  for (let n = 0; n < asleep; n++) await turn();
  await jobs(before);
  events[first]();
  await jobs(between);
  events[first === 'abort' ? 'give' : 'abort']();
  for (let n = 0; end === undefined && n < 1000; n++) await turn();
  await turn();
  const isTaken = scene.isTaken?.() ?? end === 'taken';
  if (end === 'taken') scene.undo?.();
  return end === 'taken' || end === 'aborted'
    ? isTaken === (end === 'taken')
      ? end
      : `${end}, but the primitive shows otherwise`
    : end;
}

test.each(Object.entries(WAITS))(
  'the first of an abort and a grant decides how a wait ends: %s',
  async (_name, make) => {
    const arena = Arena.create({ maxPages: 64, policy: { buckets: 4 } });
    const other = secondAgent(arena);
    const wrong: object[] = [];
    for (const asleep of [0, TURNS]) {
      for (let before = 0; before <= JOBS; before++) {
        for (let between = 0; between <= JOBS; between++) {
          for (const first of ['abort', 'give'] as const) {
            const end = await run(() => make(arena, other), first, asleep, before, between);
            if (end !== (first === 'abort' ? 'aborted' : 'taken')) wrong.push({ first, asleep, before, between, end });
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  },
);

test.each(Object.entries(WAITS))(
  'an already aborted signal rejects the call, and nothing is taken: %s',
  async (_name, make) => {
    const arena = Arena.create({ maxPages: 64, policy: { buckets: 4 } });
    const scene = make(arena, secondAgent(arena));
    scene.give();
    await turn();
    await expect(scene.wait({ signal: AbortSignal.abort('before') })).rejects.toBe('before');
    if (scene.isTaken !== undefined && _name !== 'Barrier') expect(scene.isTaken()).toBe(false);
  },
);
