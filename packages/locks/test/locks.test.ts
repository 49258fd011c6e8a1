// What the five locks promise alike, to agents of one thread.

import { Arena, DEFAULT_POLICY } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs } from '../../core/test/support/second-agent.ts';
import { Bench, Visits } from './support/bench.ts';
import { KINDS } from './support/kinds.ts';

const bench = new Bench();
const { arena } = bench;
const MISUSE = expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error;

describe.each(KINDS)('$what', (kind) => {
  test('says its name, its arena and whether this agent owns it', () => {
    const { ours, theirs } = bench.create(kind, 'door');
    expect([ours.name, theirs.name, ours.arena === arena, theirs.arena === bench.other]).toEqual(['door', 'door', true, true]);
    expect([ours.owned, theirs.owned]).toEqual([false, false]);
    ours.lock();
    expect([ours.owned, theirs.owned]).toEqual([true, false]);
    ours.unlock();
    expect([ours.owned, theirs.owned]).toEqual([false, false]);
  });

  test('a name may have any characters, up to 60 bytes of UTF-8', () => {
    const name = '門'.repeat(20);
    expect(kind.create({ arena, name }).name).toBe(name);
  });

  test('each change of owner by an async wait is seen by both agents', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const wait = theirs.lockAsync();
    expect([ours.owned, theirs.owned]).toEqual([true, false]);
    ours.unlock();
    await wait;
    expect([ours.owned, theirs.owned]).toEqual([false, true]);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('all who wait get it, each alone, whichever agent they are of', async () => {
    const { ours, theirs, thirds } = bench.create(kind);
    const visits = new Visits();
    thirds.lock();
    const names = Array.from({ length: 30 }, (_, index) => `visit ${index}`);
    let inside = 0;
    const alone = async (): Promise<void> => {
      expect((inside += 1)).toBe(1);
      await Promise.resolve();
      inside -= 1;
    };
    const all = names.map((name, index) => visits.visit(name, [ours, theirs, thirds][index % 3] ?? ours, alone));
    thirds.unlock();
    await Promise.all(all);
    expect([...visits.order].sort()).toEqual([...names].sort());
    expectAtRest(arena, ours.handle);
  });

  test('a wait that is given up leaves nothing behind, wherever it stood in line', async () => {
    for (const index of [0, 1, 2]) {
      const { ours, theirs, thirds } = bench.create(kind);
      ours.lock();
      const controllers = [0, 1, 2].map(() => new AbortController());
      const waits = controllers.map(async ({ signal }, at) => {
        const lock = at === 1 ? thirds : theirs;
        await lock.lockAsync({ signal });
        lock.unlock();
        return 'locked';
      });
      controllers[index]?.abort('left');
      ours.unlock();
      const ends = await Promise.all(waits.map((wait) => wait.catch((reason: unknown) => reason)));
      expect(ends).toEqual([0, 1, 2].map((at) => (at === index ? 'left' : 'locked')));
      expectAtRest(arena, ours.handle);
    }
  });

  test('all who wait may give up while the lock is held, and then it is free', async () => {
    const { ours, theirs, thirds } = bench.create(kind);
    thirds.lock();
    const controller = new AbortController();
    const waits = Array.from({ length: 9 }, (_, index) =>
      (index % 2 === 0 ? theirs : ours)
        .lockAsync(index % 3 === 0 ? { timeout: 1 } : { signal: controller.signal })
        .catch((reason: unknown) => reason),
    );
    controller.abort('all of you');
    const left = await Promise.all(waits);
    expect(left.filter((reason) => reason === 'all of you')).toHaveLength(6);
    expect(left.filter((reason) => reason !== 'all of you')).toMatchObject(Array(3).fill({ code: 'SLUICE_TIMEOUT' }));
    thirds.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a lock that is there when its receiver gives up is taken, and the wait succeeds', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const controller = new AbortController();
    const wait = theirs.lockAsync({ signal: controller.signal });
    ours.unlock();
    controller.abort();
    await wait;
    expect(theirs.owned).toBe(true);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('ownership is the agent’s: one task may unlock what another task of its agent locked', async () => {
    const { ours, theirs } = bench.create(kind);
    await ours.lockAsync();
    const wait = theirs.lockAsync();
    await Promise.resolve().then(() => ours.unlock());
    await wait;
    expect(() => ours.unlock()).toThrow(MISUSE);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('instances of one agent are one owner', () => {
    const { ours, theirs } = bench.create(kind);
    const twin = kind.from(ours.handle);
    ours.lock();
    expect([twin.owned, twin.tryLock(), theirs.tryLock()]).toEqual([true, false, false]);
    expect(() => twin.lock()).toThrow(MISUSE);
    twin.unlock();
    expect([ours.owned, theirs.tryLock()]).toEqual([false, true]);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a guard, run and runAsync hold it and give it back, also when the body throws', async () => {
    const { ours, theirs } = bench.create(kind);
    const guard = ours.hold();
    expect([guard.held, theirs.tryHold(), theirs.tryHold(1)]).toEqual([true, null, null]);
    guard.release();
    expect(ours.run(() => [ours.owned, theirs.tryLock()])).toEqual([true, false]);
    expect(await theirs.runAsync(async () => [await Promise.resolve(theirs.owned), ours.tryLock()])).toEqual([true, false]);
    const fail = (): never => {
      throw new Error('inside');
    };
    expect(() => ours.run(fail)).toThrow('inside');
    await expect(theirs.runAsync(fail)).rejects.toThrow('inside');
    expectAtRest(arena, ours.handle);
  });

  test('a wait keeps the event loop alive until it ends, unless ref is false', async () => {
    const { ours, theirs } = bench.create(kind);
    const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    ours.lock();
    const idle = timers();
    const pass = async (ended: Promise<void>): Promise<void> => {
      await ended;
      theirs.unlock();
    };
    const quiet = [theirs.lockAsync({ ref: false }), theirs.lockAsync({ ref: false, timeout: 60_000 })].map(pass);
    expect(timers()).toBe(idle);
    const referenced = pass(theirs.lockAsync());
    expect(timers()).toBe(idle + 1);
    ours.unlock();
    await Promise.all([...quiet, referenced]);
    expect(timers()).toBe(idle);
  });

  test('thousands of waits and as many given up take no more memory than the first few', async () => {
    const { ours, theirs } = bench.create(kind);
    const round = async (): Promise<void> => {
      ours.lock();
      const controller = new AbortController();
      const gone = [1, 2, 3].map(() => theirs.lockAsync({ signal: controller.signal }).catch(() => 'left'));
      const stays = theirs.lockAsync();
      controller.abort();
      ours.unlock();
      await Promise.all([...gone, stays]);
      theirs.unlock();
    };
    for (let warm = 0; warm < 3; warm++) await round();
    const { used } = arena.inspect();
    for (let count = 0; count < 1000; count++) await round();
    expect(arena.inspect().used).toBe(used);
    expectAtRest(arena, ours.handle);
  });

  test('without options it lives in the default arena and has no name', () => {
    const lock = kind.create();
    expect([lock.arena, lock.name]).toEqual([Arena.default(), '']);
    expect(lock.run(() => lock.owned)).toBe(true);
    lock.free();
  });

  test('it takes a policy of its own, at create and at from', async () => {
    const policy = { spinMicros: 0, longTermThreshold: DEFAULT_POLICY.longTermThreshold + 3 };
    const ours = kind.create({ arena, policy });
    const theirs = openAs(bench.other, ours.handle, (handle) => kind.from(handle, { policy }));
    ours.lock();
    expect(theirs.tryLock(2)).toBe(false);
    const wait = theirs.lockAsync();
    ours.unlock();
    await wait;
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });
});

describe.each(KINDS.filter(({ serves }) => serves !== 'anybody'))('$what', (kind) => {
  test('tryLock does not barge: neither while others wait nor while the lock is on its way to one of them', async () => {
    const { ours, theirs, thirds } = bench.create(kind);
    ours.lock();
    const wait = theirs.lockAsync();
    expect(thirds.tryLock()).toBe(false);
    ours.unlock();
    expect([ours.tryLock(), theirs.tryLock(), thirds.tryLock()]).toEqual([false, false, false]);
    await wait;
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('a timed try stands in line: the lock that is unlocked meanwhile goes to those before it', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const first = theirs.lockAsync();
    expect(theirs.tryLock(2)).toBe(false);
    ours.unlock();
    expect(ours.tryLock(2)).toBe(false);
    await first;
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });
});
