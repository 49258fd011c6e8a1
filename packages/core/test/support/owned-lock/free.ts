// free() of an owned lock.

import { expect, test } from 'vitest';
import { HandleError, MisuseError } from '../../../src/index.ts';
import { expectAtRest, officeAt } from '../at-rest.ts';
import { Bench } from './bench.ts';
import type { OwnedLockKind, TestedLock } from './kind.ts';

const LOCKS = 3000;

const USES: readonly (readonly [call: string, use: (lock: TestedLock) => unknown])[] = [
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

/** `all`: the kinds whose locks may reuse the block. */
export function frees(kind: OwnedLockKind, all: readonly OwnedLockKind[]): void {
  const bench = new Bench();
  const { arena } = bench;

  test('the next lock reuses the memory of a freed one, whose handle is refused', () => {
    const { ours } = bench.create(kind);
    ours.free();
    const next = kind.create({ arena });
    expect(next.handle.address).toBe(ours.handle.address);
    expect(next.handle.tag).not.toBe(ours.handle.tag);
    expect(() => kind.from(ours.handle)).toThrow(HandleError);
    expectAtRest(arena, next.handle);
    next.free();
  });

  test('free() by one agent frees the instances of all agents', () => {
    const { ours, theirs } = bench.create(kind);
    theirs.free();
    for (const lock of [ours, theirs]) expect(() => lock.tryLock()).toThrow(MisuseError);
  });

  test('free() throws while an agent owns the lock, be it the caller or another', () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    for (const lock of [ours, theirs]) expect(() => lock.free()).toThrow('is in use and cannot be freed');
    expect([ours.owned, theirs.tryLock()]).toEqual([true, false]);
    ours.unlock();
    ours.free();
  });

  test('free() throws while an agent waits, and after the unlock for it until its task has run', async () => {
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

  test('free() after waiters timed out frees their places too', () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    for (let time = 0; time < 3; time++) expect(theirs.tryLock(1)).toBe(false);
    expect(ours.inspect().abandoned).toBe(kind.isQueued ? 1 : 0);
    ours.unlock();
    ours.free();
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  });

  test.each(USES)(
    '%s of a freed lock throws and does not touch a lock that this agent owns in its place',
    async (_, use) => {
      for (const other of all) {
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
    },
  );

  test(`${LOCKS} locks, each freed before the next is created, take no more memory than the first 200`, () => {
    const used = (): number => arena.inspect().used;
    for (let round = 0; round < 200; round++) kind.create({ arena, name: `${round}` }).free();
    const before = used();
    for (let round = 0; round < LOCKS; round++) {
      const lock = kind.create({ arena });
      lock.lock();
      lock.unlock();
      lock.free();
    }
    expect(used()).toBe(before);
  });
}
