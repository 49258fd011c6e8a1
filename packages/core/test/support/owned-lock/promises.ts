// Tests the promises of an owned lock to three agents of one thread, in addition to the conformance suite of all locks.

import { expect, test } from 'vitest';
import { Arena, DEFAULT_POLICY } from '../../../src/index.ts';
import { expectAtRest } from '../at-rest.ts';
import { openAs } from '../second-agent.ts';
import { timersAddedBy } from '../timers-added.ts';
import { turn } from '../turn.ts';
import { Bench } from './bench.ts';
import { servesLastFirst, type OwnedLockKind, type TestedLock } from './kind.ts';

const MISUSE = expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error;
const ROUNDS = 1000;

export function promises(kind: OwnedLockKind): void {
  const bench = new Bench();
  const { arena } = bench;
  reports(kind, bench);
  order(kind, bench);
  cancels(kind, bench);

  test('one task may unlock what another task of its agent locked', async () => {
    const { ours, theirs } = bench.create(kind);
    await ours.lockAsync();
    const wait = theirs.lockAsync();
    await Promise.resolve().then(() => ours.unlock());
    await wait;
    expect(() => ours.unlock()).toThrow(MISUSE);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('all instances of one agent are the same owner', () => {
    const { ours, theirs } = bench.create(kind);
    const twin = kind.from(ours.handle);
    ours.lock();
    expect([twin.owned, twin.tryLock(), theirs.tryLock()]).toEqual([true, kind.isReentrant, false]);
    if (kind.isReentrant) twin.unlock();
    else expect(() => twin.lock()).toThrow(MISUSE);
    twin.unlock();
    expect([ours.owned, theirs.tryLock()]).toEqual([false, true]);
    theirs.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('an async wait keeps the event loop alive until it ends, unless ref is false', async () => {
    const { ours, theirs } = bench.create(kind);
    const waits: Promise<void>[] = [];
    const wait = async (options?: Parameters<TestedLock['lockAsync']>[0]): Promise<void> => {
      await theirs.lockAsync(options);
      theirs.unlock();
    };
    // Two rounds are necessary. If a wait kept the process alive after its end, the second round would add no timer.
    for (let round = 0; round < 2; round++) {
      ours.lock();
      const unreferenced = timersAddedBy(() => waits.push(wait({ ref: false }), wait({ ref: false, timeout: 60_000 })));
      expect(unreferenced).toBe(0);
      expect(timersAddedBy(() => waits.push(wait()))).toBe(1);
      ours.unlock();
      await Promise.all(waits);
    }
  });

  test('a lock takes a policy of its own from create() and from()', async () => {
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
}

/** Name, arena and owner. */
function reports(kind: OwnedLockKind, bench: Bench): void {
  const { arena } = bench;

  test('each agent sees the name of the lock, its own arena and whether it owns the lock', () => {
    const { ours, theirs } = bench.create(kind, 'door');
    expect([ours.name, theirs.name, ours.arena === arena, theirs.arena === bench.other]).toEqual([
      'door',
      'door',
      true,
      true,
    ]);
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

  test('a lock created without options has no name and lives in the default arena', () => {
    const lock = kind.create();
    expect([lock.arena, lock.name]).toEqual([Arena.default(), '']);
    expect(lock.run(() => lock.owned)).toBe(true);
    lock.free();
  });

  test('both agents see the owner change when an async waiter gets the lock', async () => {
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
}

function order(kind: OwnedLockKind, bench: Bench): void {
  const { arena } = bench;

  test('async waiters of two agents own the lock one at a time, in its order', async () => {
    const { ours, theirs, thirds } = bench.create(kind);
    thirds.lock();
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const owners: number[] = [];
    let inside = 0;
    const visit = async (lock: TestedLock, number: number): Promise<void> => {
      await lock.lockAsync();
      owners.push(number);
      expect((inside += 1)).toBe(1);
      await turn();
      inside -= 1;
      lock.unlock();
    };
    const visits = numbers.map((number) => visit(number % 3 === 0 ? ours : theirs, number));
    thirds.unlock();
    await Promise.all(visits);
    if (kind.order === 'any') owners.sort((a, b) => a - b);
    expect(owners).toEqual(servesLastFirst(kind) ? numbers.toReversed() : numbers);
    expectAtRest(arena, ours.handle);
  });

  test.skipIf(kind.order === 'any')(
    'tryLock() does not overtake a waiter, neither before nor after the unlock that hands the lock to it',
    async () => {
      const { ours, theirs, thirds } = bench.create(kind);
      ours.lock();
      const wait = theirs.lockAsync();
      expect(thirds.tryLock()).toBe(false);
      ours.unlock();
      expect([ours.tryLock(), theirs.tryLock(), thirds.tryLock(), theirs.owned]).toEqual([false, false, false, false]);
      await wait;
      theirs.unlock();
      expectAtRest(arena, ours.handle);
    },
  );

  test.skipIf(kind.order === 'any')(
    'tryLock(ms) waits behind earlier waiters: an unlock during its wait hands the lock to them',
    async () => {
      const { ours, theirs } = bench.create(kind);
      ours.lock();
      const first = theirs.lockAsync();
      expect(theirs.tryLock(2)).toBe(false);
      ours.unlock();
      expect(ours.tryLock(2)).toBe(false);
      await first;
      theirs.unlock();
      expectAtRest(arena, ours.handle);
    },
  );
}

function cancels(kind: OwnedLockKind, bench: Bench): void {
  const { arena } = bench;

  test.each([0, 1, 2])('an aborted wait leaves nothing behind, as number %i of three', async (index) => {
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
  });

  test('the lock is free after the next unlock when all waiters have timed out or were aborted', async () => {
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

  test(`${ROUNDS} rounds of one wait and three aborted ones take no more memory than the first three rounds`, async () => {
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
    for (let count = 0; count < ROUNDS; count++) await round();
    expect(arena.inspect().used).toBe(used);
    expectAtRest(arena, ours.handle);
  });
}
