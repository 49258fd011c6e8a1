// A blocking lock behind an async wait of the same agent, which could not go on while the agent is blocked.

import { Arena, DeadlockError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });
const other = secondAgent(arena);

describe.each([
  ['Mutex', Mutex],
  ['RecursiveMutex', RecursiveMutex],
] as const)('%s', (_, Kind) => {
  /** Owned by another agent. */
  function create(): { ours: Mutex | RecursiveMutex; theirs: Mutex | RecursiveMutex } {
    const ours = Kind.create({ arena, order: 'fifo' });
    const theirs = openAs(other, ours.handle, (handle) => Kind.from(handle as never));
    theirs.lock();
    return { ours, theirs };
  }

  test('throws and goes back out of the line, and the async wait goes on', async () => {
    const { ours, theirs } = create();
    const wait = ours.lockAsync();
    const blocking = [() => ours.lock(), () => ours.hold(), () => ours.run(() => 0), () => ours.tryLock(Infinity)];
    for (const call of blocking) expect(call).toThrow(DeadlockError);
    expect(ours.inspect()).toMatchObject({ waiters: [{ kind: 'async' }], abandoned: 0 });
    theirs.unlock();
    await wait;
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('throws also for a wait that the lock is on its way to and that has not run yet', async () => {
    const { ours, theirs } = create();
    const wait = ours.lockAsync();
    theirs.unlock();
    expect(() => ours.lock()).toThrow(DeadlockError);
    await wait;
    expect([ours.owned, ours.inspect().waiters]).toEqual([true, []]);
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('every instance in this agent knows of the wait', async () => {
    const { ours, theirs } = create();
    const wait = ours.lockAsync();
    const twin = Kind.from(ours.handle as never);
    expect(() => twin.lock()).toThrow(DeadlockError);
    theirs.unlock();
    await wait;
    twin.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('is not thrown for a wait elsewhere, nor once the wait has ended', async () => {
    const { ours, theirs } = create();
    const free = Kind.create({ arena });
    const gone = ours.lockAsync({ timeout: 1 }).catch((failure: unknown) => failure);
    free.lock();
    expect(await gone).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    theirs.unlock();
    ours.lock();
    ours.unlock();
    free.unlock();
    for (const mutex of [ours, free]) expectAtRest(arena, mutex.handle);
  });

  test('a lock with a timeout may stand behind an async wait of its own agent: it ends by itself', async () => {
    const { ours, theirs } = create();
    const wait = ours.lockAsync();
    expect(ours.tryLock(3)).toBe(false);
    theirs.unlock();
    await wait;
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('another agent may block where this one has an async wait', async () => {
    const { ours, theirs } = create();
    const thirds = openAs(secondAgent(arena), ours.handle, (handle) => Kind.from(handle as never));
    const wait = ours.lockAsync();
    expect(thirds.tryLock(3)).toBe(false);
    theirs.unlock();
    await wait;
    ours.unlock();
    thirds.lock();
    thirds.unlock();
    expectAtRest(arena, ours.handle);
  });
});
