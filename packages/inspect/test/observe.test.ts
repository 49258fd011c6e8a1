// Tests that tools are told of each hold and each wait once, whatever call began or ended it.

import { expect, test } from 'vitest';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../../classics/src/index.ts';
import {
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
} from '../../classics/src/index.ts';
import { Arena, holdAll, Semaphore, type OwnedLock } from '../../core/src/index.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Condition, Mutex, RecursiveMutex } from '../../mutex/src/index.ts';
import { KeyedMutex } from '../../named/src/index.ts';
import { RwLock } from '../../rw-lock/src/index.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../semaphores/src/index.ts';
import { Recorder } from './support/recorder.ts';

function newArena(): Arena {
  return Arena.create({ maxPages: 16 });
}

interface Case {
  readonly what: string;
  readonly create: (arena: Arena) => OwnedLock;
  readonly shown: string;
}

const LOCKS: readonly Case[] = [
  { what: 'Mutex', create: (arena) => Mutex.create({ arena, name: 'x' }), shown: 'x' },
  { what: "Mutex 'fifo'", create: (arena) => Mutex.create({ arena, name: 'x', order: 'fifo' }), shown: 'x' },
  { what: 'RecursiveMutex', create: (arena) => RecursiveMutex.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'RwLock.writer', create: (arena) => RwLock.create({ arena, name: 'x' }).writer, shown: 'x/write' },
  {
    what: 'RwLock.writer with upgradeable readers',
    create: (arena) => RwLock.create({ arena, name: 'x', upgradeable: true }).writer,
    shown: 'x/write',
  },
  { what: 'KeyedMutex', create: (arena) => KeyedMutex.create({ arena, name: 'x' }).at('17'), shown: 'x/17' },
  { what: 'TicketLock', create: (arena) => TicketLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'TtsLock', create: (arena) => TtsLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'McsLock', create: (arena) => McsLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'LifoLock', create: (arena) => LifoLock.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'ReciprocatingLock', create: (arena) => ReciprocatingLock.create({ arena, name: 'x' }), shown: 'x' },
];

test.each(LOCKS)('each way into an owned lock and out of it is one hold: $what', async ({ create, shown }) => {
  await Recorder.during(async (recorder) => {
    const lock = create(newArena());
    const one = [`holds 1 of ${shown}`, `released 1 of ${shown}`];
    lock.lock();
    lock.unlock();
    expect(recorder.taken()).toEqual(one);
    lock.tryLock();
    lock.unlock();
    expect(recorder.taken()).toEqual(one);
    lock.tryLock(Infinity);
    lock.unlock();
    expect(recorder.taken()).toEqual(one);
    lock.run(() => undefined);
    expect(recorder.taken()).toEqual(one);
    lock.hold().release();
    expect(recorder.taken()).toEqual(one);
    await lock.lockAsync();
    lock.unlock();
    expect(recorder.taken()).toEqual(one);
    await lock.runAsync(() => undefined);
    expect(recorder.taken()).toEqual(one);
    // A consistent lock is not held after `takeOver`.
    lock.takeOver();
    await lock.takeOverAsync();
    expect(recorder.taken()).toEqual([...one, ...one]);
    expect(recorder.open).toBe(0);
  });
});

// A recursive mutex that its owner has does not let it wait.
const WAITING = LOCKS.filter(({ what }) => what !== 'RecursiveMutex');

test.each(WAITING)('an async call that waits holds the lock when it gets it: $what', async ({ create, shown }) => {
  await Recorder.during(async (recorder) => {
    const lock = create(newArena());
    lock.lock();
    const waits = lock.lockAsync();
    const late = lock.lockAsync({ timeout: 1 });
    await expect(late).rejects.toThrow();
    lock.unlock();
    await waits;
    lock.unlock();
    const lines = recorder.taken();
    const holds = lines.filter((line) => !line.includes('wait'));
    const name = shown.replace('/17', '');
    expect(holds).toEqual([
      `holds 1 of ${shown}`,
      `gets nothing of ${name} (async)`,
      `released 1 of ${shown}`,
      `holds 1 of ${shown}`,
      `released 1 of ${shown}`,
    ]);
    expect(lines.filter((line) => line.includes('ends'))).toEqual([
      `async wait for ${name} ends: timed-out`,
      `async wait for ${name} ends: taken`,
    ]);
    expect(recorder.open).toBe(0);
  });
});

const SEMAPHORES = {
  Semaphore,
  PrioritySemaphore,
  ResizableSemaphore,
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
} as const;

test.each(Object.entries(SEMAPHORES))('each permit of a semaphore is held once: %s', async (_, Class) => {
  await Recorder.during(async (recorder) => {
    const semaphore = Class.create(3, { arena: newArena(), name: 'x' });
    const one = ['holds 1 of x', 'released 1 of x'];
    semaphore.acquire();
    semaphore.release();
    expect(recorder.taken()).toEqual(one);
    semaphore.tryAcquire();
    semaphore.release();
    expect(recorder.taken()).toEqual(one);
    semaphore.run(() => undefined);
    expect(recorder.taken()).toEqual(one);
    await semaphore.runAsync(() => undefined);
    expect(recorder.taken()).toEqual(one);
    semaphore.hold().release();
    expect(recorder.taken()).toEqual(one);
    expect(semaphore.drain()).toBe(3);
    expect(semaphore.tryAcquire()).toBe(false);
    for (let left = 3; left > 0; left--) semaphore.release();
    expect(recorder.taken()).toEqual([
      'holds 3 of x',
      'gets nothing of x (timed)',
      ...Array.from({ length: 3 }, () => 'released 1 of x'),
    ]);
    // Permits that this agent did not acquire are in no hold.
    semaphore.release();
    expect(recorder.taken()).toEqual([]);
    expect(recorder.open).toBe(0);
  });
});

test('each call of a keyed mutex with a key is one hold of the key', async () => {
  await Recorder.during(async (recorder) => {
    const keys = KeyedMutex.create({ arena: newArena(), name: 'x' });
    const one = ['holds 1 of x/17', 'released 1 of x/17'];
    keys.lock('17');
    keys.unlock('17');
    expect(recorder.taken()).toEqual(one);
    expect(keys.tryLock('17')).toBe(true);
    keys.unlock('17');
    keys.run('17', () => undefined);
    await keys.lockAsync('17');
    keys.unlock('17');
    await keys.runAsync('17', () => undefined);
    keys.hold('17').release();
    expect(recorder.taken()).toEqual([...one, ...one, ...one, ...one, ...one]);
    expect(recorder.open).toBe(0);
  });
});

test('a nested lock of a recursive mutex is a part of the hold', () => {
  Recorder.during((recorder) => {
    const tree = RecursiveMutex.create({ arena: newArena(), name: 'tree' });
    tree.run(() => tree.run(() => tree.tryLock()));
    expect(recorder.taken().filter((line) => !line.startsWith('gets'))).toEqual(['holds 1 of tree']);
    tree.unlock();
    expect(recorder.taken()).toEqual(['released 1 of tree']);
  });
});

test('the sides of a read-write lock are two primitives, and a downgrade leads from one to the other', () => {
  Recorder.during((recorder) => {
    const lock = RwLock.create({ arena: newArena(), name: 'index' });
    lock.reader.lock();
    lock.reader.lock();
    lock.reader.unlock();
    lock.reader.unlock();
    expect(recorder.taken()).toEqual([
      'holds 1 of index/read',
      'holds 1 of index/read',
      'released 1 of index/read',
      'released 1 of index/read',
    ]);
    lock.writer.lock();
    lock.downgrade().release();
    expect(recorder.taken()).toEqual([
      'holds 1 of index/write',
      'released 1 of index/write',
      'holds 1 of index/read',
      'released 1 of index/read',
    ]);
  });
});

test('an upgrade leads from the upgradeable side to the write lock', async () => {
  await Recorder.during(async (recorder) => {
    const { upgradeable } = RwLock.create({ arena: newArena(), name: 'index', upgradeable: true });
    const expected = [
      'holds 1 of index/upgradeable',
      'released 1 of index/upgradeable',
      'holds 1 of index/write',
      'released 1 of index/write',
    ];
    upgradeable.lock();
    upgradeable.upgrade();
    upgradeable.unlock();
    expect(recorder.taken()).toEqual(expected);
    upgradeable.lock();
    await upgradeable.upgradeAsync();
    upgradeable.unlock();
    expect(recorder.taken()).toEqual(expected);
    upgradeable.lock();
    upgradeable.upgrade();
    upgradeable.downgrade();
    upgradeable.unlock();
    expect(recorder.taken()).toEqual([...expected, 'holds 1 of index/upgradeable', 'released 1 of index/upgradeable']);
    expect(recorder.open).toBe(0);
  });
});

test('an upgrade that fails leaves the upgradeable side held', async () => {
  await Recorder.during(async (recorder) => {
    const arena = newArena();
    const { upgradeable, handle } = RwLock.create({ arena, name: 'index', upgradeable: true });
    const other = openAs(secondAgent(arena), handle, (opened) => RwLock.from(opened));
    other.reader.lock();
    recorder.taken();
    upgradeable.lock();
    expect(upgradeable.tryUpgrade()).toBe(false);
    await expect(upgradeable.upgradeAsync({ timeout: 1 })).rejects.toThrow();
    expect(upgradeable.held).toBe(true);
    upgradeable.unlock();
    expect(recorder.taken().filter((line) => !line.includes('wait'))).toEqual([
      'holds 1 of index/upgradeable',
      'released 1 of index/upgradeable',
      'gets nothing of index/write (timed)',
      'holds 1 of index/upgradeable',
      'released 1 of index/upgradeable',
      'gets nothing of index/write (async)',
      'holds 1 of index/upgradeable',
      'released 1 of index/upgradeable',
    ]);
    other.reader.unlock();
    recorder.taken();
    expect(recorder.open).toBe(0);
  });
});

test('a wait for a condition is no part of the hold of the lock', async () => {
  await Recorder.during(async (recorder) => {
    const arena = newArena();
    const lock = Mutex.create({ arena, name: 'lock' });
    const condition = Condition.create(lock, { name: 'room' });
    lock.lock();
    expect(condition.tryWait(1)).toBe(false);
    lock.unlock();
    const waited = (ending: string): string[] => [
      'holds 1 of lock',
      'released 1 of lock',
      'blocking wait for room',
      `blocking wait for room ends: ${ending}`,
      'holds 1 of lock',
      'released 1 of lock',
    ];
    expect(recorder.taken()).toEqual(waited('timed-out'));
    await lock.lockAsync();
    const woken = condition.waitAsync();
    await lock.runAsync(() => condition.notifyAll());
    await woken;
    lock.unlock();
    const lines = recorder.taken();
    expect(lines.filter((line) => line.includes('of lock'))).toEqual(
      Array.from({ length: 3 }, () => ['holds 1 of lock', 'released 1 of lock']).flat(),
    );
    expect(lines).toContain('async wait for room ends: taken');
  });
});

test('calls that hold several locks hold each of them', () => {
  Recorder.during((recorder) => {
    const arena = newArena();
    const locks = [Mutex.create({ arena, name: 'a' }), Mutex.create({ arena, name: 'b' })];
    const permits = Semaphore.create(2, { arena, name: 'c' });
    holdAll([...locks, permits.asLock(2)]).release();
    expect(recorder.taken().sort()).toEqual(
      ['holds 1 of a', 'holds 1 of b', 'holds 2 of c', 'released 1 of a', 'released 1 of b', 'released 2 of c'].sort(),
    );
  });
});

test('locks that were opened before the tool, and those opened after it has ended, are not followed', () => {
  const arena = newArena();
  const before = Mutex.create({ arena, name: 'before' });
  const kept = Recorder.during((recorder) => {
    before.run(() => undefined);
    const lock = Mutex.create({ arena, name: 'during' });
    lock.run(() => undefined);
    expect(recorder.taken()).toEqual(['holds 1 of during', 'released 1 of during']);
    return { lock, recorder };
  });
  kept.lock.run(() => undefined);
  Mutex.create({ arena, name: 'after' }).run(() => undefined);
  expect(kept.recorder.taken()).toEqual([]);
});

test('several tools are told the same, and a tool that comes during a hold is told of its end only', () => {
  Recorder.during((first) => {
    const lock = Mutex.create({ arena: newArena(), name: 'x' });
    lock.lock();
    Recorder.during((second) => {
      lock.unlock();
      lock.run(() => undefined);
      expect(second.taken()).toEqual(['released 1 of x', 'holds 1 of x', 'released 1 of x']);
      expect(first.taken()).toEqual(['holds 1 of x', 'released 1 of x', 'holds 1 of x', 'released 1 of x']);
      expect([first.open, second.open]).toEqual([0, 0]);
    });
  });
});
