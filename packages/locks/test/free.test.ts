import { HandleError, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { Bench } from './support/bench.ts';
import { isQueued, KINDS, type AnyLock } from './support/kinds.ts';

const bench = new Bench();
const { arena } = bench;

const USES: readonly (readonly [call: string, use: (lock: AnyLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(Infinity)', (lock) => lock.tryLock(Infinity)],
  ['lockAsync()', (lock) => lock.lockAsync()],
  ['run(body)', (lock) => lock.run(() => 0)],
  ['runAsync(body)', (lock) => lock.runAsync(() => 0)],
  ['unlock()', (lock) => lock.unlock()],
  ['markConsistent()', (lock) => lock.markConsistent()],
  ['inspect()', (lock) => lock.inspect()],
  ['owned', (lock) => lock.owned],
  ['free()', (lock) => lock.free()],
];

describe.each(KINDS)('$what', (kind) => {
  test('its memory serves the next one, and its handle leads nowhere', () => {
    const { ours } = bench.create(kind);
    ours.free();
    const next = kind.create({ arena });
    expect(next.handle.address).toBe(ours.handle.address);
    expect(next.handle.tag).not.toBe(ours.handle.tag);
    expect(() => kind.from(ours.handle)).toThrow(HandleError);
    expectAtRest(arena, next.handle);
    next.free();
  });

  test('every instance of every agent is freed', () => {
    const { ours, theirs } = bench.create(kind);
    theirs.free();
    for (const lock of [ours, theirs]) expect(() => lock.tryLock()).toThrow(MisuseError);
  });

  test('is refused while an agent owns it, this one too', () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    for (const lock of [ours, theirs]) expect(() => lock.free()).toThrow('is in use and cannot be freed');
    expect([ours.owned, theirs.tryLock()]).toEqual([true, false]);
    ours.unlock();
    ours.free();
  });

  test('is refused while agents wait, and once it was unlocked for one of them that has not looked', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const wait = theirs.lockAsync();
    expect(() => ours.free()).toThrow(MisuseError);
    ours.unlock();
    for (const lock of [ours, theirs]) expect(() => lock.free()).toThrow(MisuseError);
    await wait;
    theirs.unlock();
    expectAtRest(arena, ours.handle);
    ours.free();
  });

  test('one that a waiter gave up is free for it once it is unlocked, and its places with it', () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    for (let time = 0; time < 3; time++) expect(theirs.tryLock(1)).toBe(false);
    expect(ours.inspect().abandoned).toBe(isQueued(kind) ? 3 : 0);
    ours.unlock();
    ours.free();
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  });

  test.each(USES)('%s of a freed one is refused, and touches nothing of this agent’s lock in its place', async (_, use) => {
    for (const other of KINDS) {
      const { ours } = bench.create(kind);
      ours.free();
      const next = other.create({ arena });
      expect(next.handle.address).toBe(ours.handle.address);
      next.lock();
      const before = officeAt(arena, next.handle.address);
      await expect(Promise.resolve().then(() => use(ours))).rejects.toThrow(MisuseError);
      expect(officeAt(arena, next.handle.address)).toEqual(before);
      expect(next.owned).toBe(true);
      next.unlock();
      next.free();
    }
  });

  test('thousands of them one after the other take no more memory than the first few', () => {
    const used = (): number => arena.inspect().used;
    for (let round = 0; round < 200; round++) kind.create({ arena, name: `${round}` }).free();
    const before = used();
    for (let round = 0; round < 3000; round++) {
      const lock = kind.create({ arena });
      lock.lock();
      lock.unlock();
      lock.free();
    }
    expect(used()).toBe(before);
  });
});
