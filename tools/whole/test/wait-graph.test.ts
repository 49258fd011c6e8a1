// Tests that reports see a cycle through each kind of primitive. One agent has the primitive and awaits a mutex. The
// other agent has this mutex and awaits the primitive.

import { expect, test } from 'vitest';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier, CountdownLatch } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { CapacitorLock } from '../../../packages/capacitor/src/index.ts';
import {
  AddressSemaphore,
  ChainSemaphore,
  EventCount,
  LifoLock,
  LightweightSemaphore,
  LocationSemaphore,
  McsLock,
  MonitorSemaphore,
  MultilaneSemaphore,
  ReciprocatingLock,
  TicketLock,
  TicketSemaphore,
  TtsLock,
  WaitingArraySemaphore,
} from '../../../packages/classics/src/index.ts';
import { Arena, Semaphore, type Lock } from '../../../packages/core/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { findDeadlocks, formatReport } from '../../../packages/inspect/src/index.ts';
import { createLimit } from '../../../packages/limit/src/index.ts';
import { Condition, Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { KeyedLimit, KeyedMutex, named } from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../../packages/semaphores/src/index.ts';

/** Lets the first agent take a primitive, and returns the wait of the second one for it. */
type Row = (arena: Arena, other: Arena) => () => Promise<unknown>;

interface Openable<T> {
  create(options: { readonly arena: Arena; readonly name: string }): T & { readonly handle: object };
  from(handle: never): T;
}

type Async = Pick<Lock, 'lock' | 'unlock'> & { lockAsync(): Promise<void> };

function owned(Class: Openable<Async>): Row {
  return (arena, other) => {
    const ours = Class.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => Class.from(handle as never));
    ours.lock();
    return () => theirs.lockAsync();
  };
}

interface Permits {
  acquire(): void;
  acquireAsync(): Promise<void>;
}

function counted(Class: {
  create(
    permits: number,
    options: { readonly arena: Arena; readonly name: string },
  ): Permits & { readonly handle: object };
  from(handle: never): Permits;
}): Row {
  return (arena, other) => {
    const ours = Class.create(1, { arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => Class.from(handle as never));
    ours.acquire();
    return () => theirs.acquireAsync();
  };
}

/** Primitives that agents hold: the report names the holder. */
const HELD: Readonly<Record<string, Row>> = {
  Mutex: owned(Mutex),
  RecursiveMutex: owned(RecursiveMutex),
  TicketLock: owned(TicketLock),
  TtsLock: owned(TtsLock),
  McsLock: owned(McsLock),
  LifoLock: owned(LifoLock),
  ReciprocatingLock: owned(ReciprocatingLock),
  Semaphore: counted(Semaphore),
  PrioritySemaphore: counted(PrioritySemaphore),
  ResizableSemaphore: counted(ResizableSemaphore),
  AddressSemaphore: counted(AddressSemaphore),
  ChainSemaphore: counted(ChainSemaphore),
  LightweightSemaphore: counted(LightweightSemaphore),
  LocationSemaphore: counted(LocationSemaphore),
  MonitorSemaphore: counted(MonitorSemaphore),
  MultilaneSemaphore: counted(MultilaneSemaphore),
  TicketSemaphore: counted(TicketSemaphore),
  WaitingArraySemaphore: counted(WaitingArraySemaphore),
  'a named mutex': (arena, other) => {
    named(arena, 'x', Mutex).lock();
    const theirs = openAs(other, {}, () => named(other, 'x', Mutex));
    return () => theirs.lockAsync();
  },
  'a key of a KeyedMutex': (arena, other) => {
    const ours = KeyedMutex.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => KeyedMutex.from(handle));
    ours.lock('17');
    return () => theirs.lockAsync('17');
  },
  'a key of a KeyedLimit': (arena, other) => {
    const ours = KeyedLimit.create({ arena, name: 'x', concurrency: 1 });
    const theirs = openAs(other, ours.handle, (handle) => KeyedLimit.from(handle));
    void ours.runAsync('17', () => new Promise(() => undefined));
    return () => theirs.runAsync('17', () => undefined);
  },
  'a limit': (arena, other) => {
    const ours = createLimit(1, { arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => createLimit.from(handle));
    void ours(() => new Promise(() => undefined));
    return () => theirs(() => undefined);
  },
  'the writer of an RwLock, for a reader': (arena, other) => {
    const ours = RwLock.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => RwLock.from(handle));
    ours.writer.lock();
    return () => theirs.reader.lockAsync();
  },
  'a reader of an RwLock, for a writer': (arena, other) => {
    const ours = RwLock.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => RwLock.from(handle));
    ours.reader.lock();
    return () => theirs.writer.lockAsync();
  },
  'a reader of an RwLock, for an upgrade': (arena, other) => {
    const ours = RwLock.create({ arena, name: 'x', upgradeable: true });
    const theirs = openAs(other, ours.handle, (handle) => RwLock.from(handle));
    ours.reader.lock();
    theirs.upgradeable.lock();
    return () => theirs.upgradeable.upgradeAsync();
  },
  'the upgradeable reader of an RwLock, for another': (arena, other) => {
    const ours = RwLock.create({ arena, name: 'x', upgradeable: true });
    const theirs = openAs(other, ours.handle, (handle) => RwLock.from(handle));
    ours.upgradeable.lock();
    return () => theirs.upgradeable.lockAsync();
  },
  'a CapacitorLock': (arena, other) => {
    const inner = LifoLock.create({ arena, name: 'x' });
    const ours = CapacitorLock.create(inner, { name: 'x' });
    const theirs = openAs(other, { lock: ours.handle, inner: inner.handle }, (handles) =>
      CapacitorLock.from(handles.lock, LifoLock.from(handles.inner)),
    );
    ours.lock();
    return () => theirs.lockAsync();
  },
};

/** Primitives that any agent may signal: the report says presumably. */
const SIGNALLED: Readonly<Record<string, Row>> = {
  Barrier: (arena, other) => {
    const ours = Barrier.create(2, { arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => Barrier.from(handle));
    return () => theirs.waitAsync();
  },
  CountdownLatch: (arena, other) => {
    const ours = CountdownLatch.create(1, { arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => CountdownLatch.from(handle));
    return () => theirs.waitAsync();
  },
  Condition: (arena, other) => {
    const lock = Mutex.create({ arena, name: 'of the condition' });
    const ours = Condition.create(lock, { name: 'x' });
    const [theirs, theirLock] = openAs(other, { condition: ours.handle, lock: lock.handle }, (handles) => {
      const own = Mutex.from(handles.lock);
      return [Condition.from(handles.condition, own), own] as const;
    });
    theirLock.lock();
    return () => theirs.waitAsync();
  },
  ManualResetEvent: (arena, other) => {
    const ours = ManualResetEvent.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => ManualResetEvent.from(handle));
    return () => theirs.waitAsync();
  },
  AutoResetEvent: (arena, other) => {
    const ours = AutoResetEvent.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => AutoResetEvent.from(handle));
    return () => theirs.waitAsync();
  },
  EventCount: (arena, other) => {
    const ours = EventCount.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => EventCount.from(handle));
    return () => theirs.awaitAsync(1);
  },
  'values of a BoundedBuffer': (arena, other) => {
    const ours = BoundedBuffer.create({ arena, codec: 'int32', capacity: 1, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => BoundedBuffer.from(handle));
    return () => theirs.popAsync();
  },
  'room in a BoundedBuffer': (arena, other) => {
    const ours = BoundedBuffer.create({ arena, codec: 'int32', capacity: 1, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => BoundedBuffer.from<number>(handle));
    theirs.push(1);
    return () => theirs.pushAsync(2);
  },
};

/** Makes the cycle, and returns the first lines of the report. */
async function cycle(row: Row): Promise<string[]> {
  const arena = Arena.create({ maxPages: 64 });
  const other = secondAgent(arena);
  const lock = Mutex.create({ arena, name: 'm' });
  const theirLock = openAs(other, lock.handle, (handle) => Mutex.from(handle));
  const wait = row(arena, other);
  theirLock.lock();
  const waits = [wait(), lock.lockAsync()];
  for (const each of waits) each.catch(() => undefined);
  // The limits start their waits in a job of their own.
  await new Promise((resolve) => setImmediate(resolve));
  expect(findDeadlocks(arena)).toMatchObject([{ certain: false, agents: [arena.agentId, other.agentId] }]);
  return formatReport(arena).split('\n').slice(0, 3);
}

const FIRST = /^Possible deadlock: 2 agents wait for each other\./;

test.each(Object.entries(HELD))('a cycle through %s is a possible deadlock, with both agents', async (_, row) => {
  const lines = await cycle(row);
  expect(lines[0]).toMatch(FIRST);
  expect(lines.slice(1)).toContainEqual(
    expect.stringMatching(/^ {2}agent 1 .*holds \S+ '.*x.*'( for reading)? and awaits lock 'm' for /),
  );
  expect(lines.slice(1)).toContainEqual(
    expect.stringMatching(
      /^ {2}agent 2 .*holds lock 'm' and awaits (the upgrade of )?\S+ '.*x.*' (from reading to writing )?for /,
    ),
  );
});

test.each(Object.entries(SIGNALLED))('a cycle through %s is possible, and says presumably', async (_, row) => {
  const lines = await cycle(row);
  expect(lines[0]).toMatch(FIRST);
  expect(lines.slice(1)).toContainEqual(
    expect.stringMatching(/^ {2}agent 1 .*presumably .* '?x'? and awaits lock 'm' for /),
  );
  expect(lines.slice(1)).toContainEqual(expect.stringMatching(/^ {2}agent 2 .*holds lock 'm' and awaits .*'x' for /));
});

test('a cycle through a Once is a possible deadlock, with the agent that runs it', async () => {
  const row: Row = (arena, other) => {
    const ours = Once.create({ arena, name: 'x' });
    const theirs = openAs(other, ours.handle, (handle) => Once.from(handle));
    void ours.runAsync(() => new Promise(() => undefined));
    return () => theirs.runAsync(() => undefined);
  };
  const lines = await cycle(row);
  expect(lines[0]).toMatch(FIRST);
});
