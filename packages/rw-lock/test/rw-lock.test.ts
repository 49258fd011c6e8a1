// Tests the promises of the read-write lock to agents of one thread.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { timersAddedBy } from '../../core/test/support/timers-added.ts';
import { RwLock } from '../src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const MISUSE = expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error;

describe.each(['wasm', 'js'] as const)('RwLock (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets: 8 } });
  const other = secondAgent(arena);

  /** A lock as seen by two agents. */
  function create(name?: string): { ours: RwLock; theirs: RwLock } {
    const ours = RwLock.create({ arena, name });
    return { ours, theirs: openAs(other, ours.handle, (handle) => RwLock.from(handle)) };
  }

  test('several agents may read at the same time, each several times, and no agent may write meanwhile', () => {
    const { ours, theirs } = create();
    for (let count = 0; count < 3; count++) {
      ours.reader.lock();
      theirs.reader.lock();
    }
    expect([ours.reader.held, theirs.reader.held]).toEqual([3, 3]);
    expect([ours.writer.tryLock(), theirs.writer.tryLock(), ours.writer.tryLock(2)]).toEqual([false, false, false]);
    for (let left = 2; left >= 0; left--) {
      ours.reader.unlock();
      expect([ours.reader.held, theirs.writer.tryLock()]).toEqual([left, false]);
    }
    for (let left = 2; left >= 0; left--) {
      expect(ours.writer.tryLock()).toBe(false);
      theirs.reader.unlock();
    }
    expect([theirs.reader.held, ours.writer.tryLock()]).toEqual([0, true]);
    ours.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('while an agent writes, no agent may read or write, not even the writer itself', () => {
    const { ours, theirs } = create();
    ours.writer.lock();
    expect([ours.writer.owned, theirs.writer.owned]).toEqual([true, false]);
    const sides = [ours.reader, ours.writer, theirs.reader, theirs.writer];
    const tries = sides.flatMap((side) => [side.tryLock(), side.tryLock(2)]);
    expect(tries).toEqual(tries.map(() => false));
    expect([ours.reader.held, theirs.reader.held]).toEqual([0, 0]);
    ours.writer.unlock();
    expect([theirs.reader.tryLock(), ours.writer.owned]).toEqual([true, false]);
    theirs.reader.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('writer.owned and reader.held report the two sides separately', () => {
    const { ours } = create();
    ours.reader.lock();
    expect([ours.writer.owned, ours.reader.held]).toEqual([false, 1]);
    expect(() => ours.writer.unlock()).toThrow(MISUSE);
    ours.reader.unlock();
    ours.writer.lock();
    expect([ours.writer.owned, ours.reader.held]).toEqual([true, 0]);
    expect(() => ours.reader.unlock()).toThrow(MISUSE);
    ours.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('reader.lock() changes one word of the lock and one of the ledger, and unlock() restores every byte', () => {
    const { ours } = create();
    const bytes = (): Buffer => Buffer.from(new Uint8Array(arena.handle.memory.buffer));
    const before = bytes();
    ours.reader.lock();
    const held = bytes();
    const { address } = ours.handle;
    const changed = [...held.keys()].filter((at) => held[at] !== before[at]);
    const inside = changed.filter((at) => at >= address && at < address + 256);
    expect(new Set(inside.map((at) => Math.floor(at / 8))).size).toBe(1);
    expect(new Set(changed.map((at) => Math.floor(at / 8))).size).toBe(2);
    ours.reader.unlock();
    expect(bytes().equals(before)).toBe(true);
  });

  test.each([
    ['reader.lock()', (lock: RwLock) => lock.reader.lock()],
    ['reader.hold()', (lock: RwLock) => lock.reader.hold()],
    ['reader.tryLock(Infinity)', (lock: RwLock) => lock.reader.tryLock(Infinity)],
    ['reader.run(body)', (lock: RwLock) => lock.reader.run(() => 0)],
    ['writer.lock()', (lock: RwLock) => lock.writer.lock()],
    ['writer.hold()', (lock: RwLock) => lock.writer.hold()],
    ['writer.tryLock(Infinity)', (lock: RwLock) => lock.writer.tryLock(Infinity)],
    ['writer.run(body)', (lock: RwLock) => lock.writer.run(() => 0)],
  ] as const)('%s by the writer throws, since the writer would wait for itself', (_, call) => {
    const { ours, theirs } = create();
    ours.writer.lock();
    expect(() => call(ours)).toThrow(MISUSE);
    expect([ours.writer.owned, ours.reader.held, theirs.reader.tryLock()]).toEqual([true, 0, false]);
    ours.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test.each([
    ['writer.lock()', (lock: RwLock) => lock.writer.lock()],
    ['writer.hold()', (lock: RwLock) => lock.writer.hold()],
    ['writer.tryLock(Infinity)', (lock: RwLock) => lock.writer.tryLock(Infinity)],
    ['writer.run(body)', (lock: RwLock) => lock.writer.run(() => 0)],
  ] as const)('%s by a reader throws, since the reader would wait for itself', (_, call) => {
    const { ours, theirs } = create();
    ours.reader.lock();
    expect(() => call(ours)).toThrow(MISUSE);
    expect([ours.writer.owned, ours.reader.held, theirs.reader.tryLock()]).toEqual([false, 1, true]);
    theirs.reader.unlock();
    ours.reader.unlock();
    expectAtRest(arena, ours.handle);
  });

  test.each([
    ['reader.lock()', (lock: RwLock) => lock.reader.lock()],
    ['reader.hold()', (lock: RwLock) => lock.reader.hold()],
    ['reader.tryLock(Infinity)', (lock: RwLock) => lock.reader.tryLock(Infinity)],
    ['reader.run(body)', (lock: RwLock) => lock.reader.run(() => 0)],
  ] as const)('%s by a reader while a writer waits throws, since the reader would wait for itself', async (_, call) => {
    const { ours, theirs } = create();
    ours.reader.lock();
    const wait = theirs.writer.lockAsync();
    expect(() => call(ours)).toThrow('already, so the call would never return');
    expect([ours.reader.held, ours.inspect().waitingReaders]).toEqual([1, []]);
    expect([ours.reader.tryLock(), ours.reader.tryLock(2)]).toEqual([false, false]);
    ours.reader.unlock();
    await wait;
    theirs.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('async waits of the agent that holds the lock wait in line', async () => {
    const { ours, theirs } = create();
    ours.writer.lock();
    const [read, write] = [ours.reader.lockAsync(), ours.writer.lockAsync()];
    ours.writer.unlock();
    await read;
    expect([ours.reader.held, ours.writer.owned, theirs.reader.tryLock()]).toEqual([1, false, false]);
    ours.reader.unlock();
    await write;
    expect([ours.reader.held, ours.writer.owned]).toEqual([0, true]);
    ours.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('guards, run() and runAsync() of both sides unlock, also when the callback throws', async () => {
    const { ours, theirs } = create();
    const guards = [ours.reader.hold(), ours.reader.tryHold(), await ours.reader.holdAsync(), theirs.reader.hold()];
    expect([ours.reader.held, theirs.writer.tryHold()]).toEqual([3, null]);
    for (const guard of guards) guard?.release();
    expect(ours.reader.run(() => ours.reader.run(() => ours.reader.held))).toBe(2);
    expect(ours.writer.run(() => [ours.writer.owned, theirs.reader.tryHold()])).toEqual([true, null]);
    for (const side of [ours.reader, ours.writer]) {
      await expect(side.runAsync(() => Promise.reject(new Error('inside')))).rejects.toThrow('inside');
    }
    expectAtRest(arena, ours.handle);
  });

  test('downgrade() turns the write lock into a read lock', () => {
    const { ours, theirs } = create();
    ours.writer.lock();
    ours.downgrade();
    expect([ours.writer.owned, ours.reader.held]).toEqual([false, 1]);
    expect([theirs.reader.tryLock(), theirs.writer.tryLock()]).toEqual([true, false]);
    expect(() => ours.writer.unlock()).toThrow(MISUSE);
    theirs.reader.unlock();
    ours.reader.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('downgrade() throws unless this agent writes', () => {
    const { ours, theirs } = create();
    const refused = 'cannot be downgraded: this agent';
    expect(() => ours.downgrade()).toThrow(refused);
    ours.reader.lock();
    expect(() => ours.downgrade()).toThrow(refused);
    ours.reader.unlock();
    theirs.writer.lock();
    expect(() => ours.downgrade()).toThrow(MISUSE);
    expect(theirs.writer.owned).toBe(true);
    theirs.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('the guard of a downgraded write lock throws when it is released, and the read lock stays', () => {
    const { ours } = create();
    const guard = ours.writer.hold();
    ours.downgrade();
    expect(() => guard.release()).toThrow(MISUSE);
    expect(ours.reader.held).toBe(1);
    ours.reader.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('each agent sees the name and its own arena, and all instances of one agent are the same holder', () => {
    const { ours, theirs } = create('table');
    const twin = RwLock.from(ours.handle);
    expect([ours.name, theirs.name, twin.name]).toEqual(['table', 'table', 'table']);
    expect([ours.arena === arena, theirs.arena === other]).toEqual([true, true]);
    ours.reader.lock();
    expect([twin.reader.held, theirs.reader.held]).toEqual([1, 0]);
    twin.reader.unlock();
    twin.writer.lock();
    expect([ours.writer.owned, theirs.writer.owned]).toEqual([true, false]);
    ours.writer.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('thousands of waits on both sides, half of them aborted, take no more memory than the first few', async () => {
    const { ours, theirs } = create();
    const round = async (): Promise<void> => {
      ours.writer.lock();
      const controller = new AbortController();
      const { signal } = controller;
      const gone = [theirs.reader, theirs.writer, theirs.reader].map((side) => side.lockAsync({ signal }));
      const ended = Promise.allSettled(gone);
      const [read, write] = [theirs.reader.lockAsync(), theirs.writer.lockAsync()];
      controller.abort();
      await ended;
      ours.writer.unlock();
      await read;
      theirs.reader.unlock();
      await write;
      theirs.writer.unlock();
    };
    for (let warm = 0; warm < 3; warm++) await round();
    const { used } = arena.inspect();
    for (let count = 0; count < 500; count++) await round();
    expect(arena.inspect().used).toBe(used);
    expectAtRest(arena, ours.handle);
  });

  test('an async wait on either side keeps the event loop alive until it ends, unless ref is false', async () => {
    const { ours, theirs } = create();
    // The second side shows that the waits of the first side no longer keep the process alive.
    for (const side of ['reader', 'writer'] as const) {
      const waits: Promise<void>[] = [];
      ours.writer.lock();
      expect(timersAddedBy(() => waits.push(theirs[side].lockAsync({ ref: false })))).toBe(0);
      expect(timersAddedBy(() => waits.push(theirs[side].lockAsync()))).toBe(1);
      ours.writer.unlock();
      for (const wait of waits) {
        await wait;
        theirs[side].unlock();
      }
    }
  });
});

test('a lock created without options has no name and lives in the default arena', () => {
  const lock = RwLock.create();
  expect([lock.arena, lock.name]).toEqual([Arena.default(), '']);
  expect(lock.reader.run(() => lock.reader.held) + Number(lock.writer.run(() => lock.writer.owned))).toBe(2);
  lock.free();
});
