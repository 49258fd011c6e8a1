// A blocking lock behind an async wait of the same agent, which could not go on while the agent is blocked.

import { DeadlockError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { Bench, type Seen } from './support/bench.ts';
import { isQueued, KINDS, TTS, type LockKind } from './support/kinds.ts';

const bench = new Bench();
const { arena } = bench;

/** Owned by another agent. */
function taken(kind: LockKind): Seen {
  const seen = bench.create(kind);
  seen.theirs.lock();
  return seen;
}

describe.each(KINDS)('$what', (kind) => {
  test('throws and goes back out of the line, and the async wait goes on', async () => {
    const { ours, theirs } = taken(kind);
    const wait = ours.lockAsync();
    const blocking = [() => ours.lock(), () => ours.hold(), () => ours.run(() => expect.unreachable()), () => ours.tryLock(Infinity)];
    for (const call of blocking) expect(call).toThrow(DeadlockError);
    expect(ours.inspect()).toMatchObject({ owner: theirs.arena.agentId, waiters: [{ kind: 'async' }], abandoned: isQueued(kind) ? 4 : 0 });
    theirs.unlock();
    await wait;
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('every instance in this agent knows of the wait', async () => {
    const { ours, theirs } = taken(kind);
    const wait = ours.lockAsync();
    const twin = kind.from(ours.handle);
    expect(() => twin.lock()).toThrow(DeadlockError);
    theirs.unlock();
    await wait;
    twin.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('is not thrown for a wait elsewhere, nor once the wait has ended', async () => {
    const { ours, theirs } = taken(kind);
    const free = kind.create({ arena });
    const gone = ours.lockAsync({ timeout: 1 }).catch((failure: unknown) => failure);
    free.lock();
    expect(await gone).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    theirs.unlock();
    ours.lock();
    ours.unlock();
    free.unlock();
    for (const lock of [ours, free]) expectAtRest(arena, lock.handle);
  });

  test('a lock with a timeout may stand in line with an async wait of its own agent: it ends by itself', async () => {
    const { ours, theirs } = taken(kind);
    const wait = ours.lockAsync();
    expect(ours.tryLock(3)).toBe(false);
    theirs.unlock();
    await wait;
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('another agent may block where this one has an async wait', async () => {
    const { ours, theirs, thirds } = taken(kind);
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

describe.each(KINDS.filter(({ serves }) => serves !== 'anybody'))('$what', (kind) => {
  test('is refused also for a wait that the lock was given to and that has not run yet', async () => {
    const { ours, theirs } = taken(kind);
    const wait = ours.lockAsync();
    theirs.unlock();
    expect(() => ours.lock()).toThrow(DeadlockError);
    await wait;
    expect([ours.owned, ours.inspect().waiters]).toEqual([true, []]);
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });
});

test('a TtsLock that is free is locked past an async wait of the same agent, which waits on', async () => {
  const { ours, theirs } = taken(TTS);
  const wait = ours.lockAsync();
  theirs.unlock();
  ours.lock();
  let got = false;
  void wait.then(() => (got = true));
  await new Promise(setImmediate);
  expect([ours.owned, got]).toEqual([true, false]);
  ours.unlock();
  await wait;
  ours.unlock();
  expectAtRest(arena, ours.handle);
});
