// In an arena that is full.

import { describe, expect, test } from 'vitest';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

describe.each([
  ['Mutex', Mutex],
  ['RecursiveMutex', RecursiveMutex],
] as const)('%s', (_, Kind) => {
  test('one that does not fit leaves everything as it was', () => {
    const { arena } = fullArena(() => undefined);
    const before = arena.inspect();
    expect(() => Kind.create({ arena })).toThrow(REFUSED);
    expect(arena.inspect()).toEqual(before);
  });

  test('one needs its own line and nothing else', () => {
    const { arena } = fullArena(() => undefined, 1);
    const mutex = Kind.create({ arena });
    expect(() => Kind.create({ arena })).toThrow(REFUSED);
    mutex.lock();
    mutex.unlock();
    mutex.free();
    Kind.create({ arena }).free();
  });

  test('a wait for which there is no element is refused before it is counted', async () => {
    const { arena, prepared } = fullArena((arena) => {
      const ours = Kind.create({ arena });
      const theirs = openAs(secondAgent(arena), ours.handle, (handle) => Kind.from(handle as never));
      theirs.lock();
      return { ours, theirs };
    });
    const { ours, theirs } = prepared;
    const before = [ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)];
    for (const call of [() => ours.lock(), () => ours.tryLock(5), () => ours.run(() => 0)]) expect(call).toThrow(REFUSED);
    for (const call of [() => ours.lockAsync(), () => ours.lockAsync({ timeout: 5 }), () => ours.runAsync(() => 0)]) {
      await expect(call()).rejects.toMatchObject(FULL);
    }
    expect([ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)]).toEqual(before);
    expect(ours.tryLock()).toBe(false);
    theirs.unlock();
    ours.lock();
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('giving up needs no memory: with every element in use all waiters may leave', async () => {
    const controllers = Array.from({ length: 16 }, () => new AbortController());
    const { arena, prepared } = fullArena((arena) => {
      const ours = Kind.create({ arena });
      const theirs = openAs(secondAgent(arena), ours.handle, (handle) => Kind.from(handle as never));
      ours.lock();
      return { ours, waits: controllers.map(({ signal }) => theirs.lockAsync({ signal }).catch((reason: unknown) => reason)) };
    });
    const { ours, waits } = prepared;
    expect(arena.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
    const { used } = arena.inspect();
    for (const [index, controller] of controllers.entries()) if (index % 2 === 0) controller.abort('even');
    for (const controller of controllers) controller.abort('odd');
    expect(await Promise.all(waits)).toEqual(controllers.map((_, index) => (index % 2 === 0 ? 'even' : 'odd')));
    expect(arena.inspect().used).toBe(used);
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });
});
