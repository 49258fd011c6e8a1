// Mutexes with the order 'turns', as agents of one thread see them.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';
import { TURN_MS } from '../src/turn.ts';

const arena = Arena.create({ maxPages: 16 });
const others = [secondAgent(arena), secondAgent(arena), secondAgent(arena)];
/** What a machine that does something else at times may add to a turn. */
const SLACK_MS = 200;

const create = (Kind: typeof Mutex | typeof RecursiveMutex): { ours: Mutex | RecursiveMutex; theirs: (Mutex | RecursiveMutex)[] } => {
  const ours = Kind.create({ arena, order: 'turns' });
  const from = (handle: typeof ours.handle): Mutex | RecursiveMutex => (Kind as typeof Mutex).from(handle as Mutex['handle']);
  return { ours, theirs: others.map((agent) => openAs(agent, ours.handle, from)) };
};

/** Locks and unlocks until the mutex is given to a waiter. Returns the number of passes. */
function runOn(mutex: Mutex | RecursiveMutex): number {
  let passes = 0;
  do {
    mutex.unlock();
    passes += 1;
  } while (mutex.tryLock());
  return passes;
}

describe.each([Mutex, RecursiveMutex])('%o', (Kind) => {
  test('the agent that runs locks the mutex again past waiters, for a turn at most', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    const began = performance.now();
    expect(runOn(ours)).toBeGreaterThan(1);
    expect(performance.now() - began).toBeLessThan(TURN_MS + SLACK_MS);
    await wait;
    expect(theirs[0]?.owned).toBe(true);
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a waiter with w waiters before it gets the mutex after w + 1 turns at most, in the order of arrival', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const served: number[] = [];
    const began = performance.now();
    const waits = theirs.map(async (lock, index) => {
      await lock.lockAsync();
      served.push(index);
      runOn(lock);
      // The last one has no waiter behind it.
      if (lock.owned) lock.unlock();
    });
    runOn(ours);
    // It stands behind all of them.
    const last = ours.lockAsync();
    await Promise.all([...waits, last]);
    expect(performance.now() - began).toBeLessThan((theirs.length + 1) * TURN_MS + SLACK_MS);
    expect(served).toEqual([0, 1, 2]);
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('an agent that unlocks and does not come back leaves the mutex to the waiter at once', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    ours.unlock();
    await wait;
    expect(theirs[0]?.owned).toBe(true);
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a waiter that gives up during a turn leaves nothing behind', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const stop = new AbortController();
    const wait = theirs[0]?.lockAsync({ signal: stop.signal }).catch((reason: unknown) => reason);
    ours.unlock();
    ours.lock();
    stop.abort('enough');
    expect(await wait).toBe('enough');
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('free() refuses while an agent waits, also during a turn, when the mutex itself is free', async () => {
    const { ours, theirs } = create(Kind);
    ours.lock();
    const wait = theirs[0]?.lockAsync();
    ours.unlock();
    expect(() => ours.free()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    await wait;
    theirs[0]?.unlock();
    expectAtRest(arena, ours.handle);
    ours.free();
  });

  test('an order that does not exist is a TypeError', () => {
    expect(() => Kind.create({ arena, order: 'lifo' as never })).toThrow(/order must be 'turns' or 'fifo': received "lifo"/);
    expect(() => Kind.create({ arena, order: null as never })).toThrow(TypeError);
  });
});
