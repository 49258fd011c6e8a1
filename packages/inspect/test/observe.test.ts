// Tests that tools are told of each hold and each wait once, whatever call began or ended it.

import { expect, test } from 'vitest';
import { holdAll, Semaphore } from '../../core/src/index.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Condition, Mutex, RecursiveMutex } from '../../mutex/src/index.ts';
import { RwLock } from '../../rw-lock/src/index.ts';
import { newArena, testHoldsOfLocks, testHoldsOfPermits } from './support/holds.ts';
import { Recorder } from './support/recorder.ts';

testHoldsOfLocks([
  { what: 'Mutex', create: (arena) => Mutex.create({ arena, name: 'x' }), shown: 'x' },
  { what: "Mutex 'fifo'", create: (arena) => Mutex.create({ arena, name: 'x', order: 'fifo' }), shown: 'x' },
  { what: 'RecursiveMutex', create: (arena) => RecursiveMutex.create({ arena, name: 'x' }), shown: 'x' },
  { what: 'RwLock.writer', create: (arena) => RwLock.create({ arena, name: 'x' }).writer, shown: 'x/write' },
  {
    what: 'RwLock.writer with upgradeable readers',
    create: (arena) => RwLock.create({ arena, name: 'x', upgradeable: true }).writer,
    shown: 'x/write',
  },
]);

testHoldsOfPermits({ Semaphore });

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
