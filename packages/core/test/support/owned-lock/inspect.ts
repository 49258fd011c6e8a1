// Tests the report of inspect() for an owned lock, and the report of arena.inspect() for its owner and its waiters.

import { expect, test } from 'vitest';
import { Bench } from './bench.ts';
import { servesLastFirst, type OwnedLockKind } from './kind.ts';

/** Declares the tests. `more` has additional properties of the report of an unused lock. */
export function inspections(kind: OwnedLockKind, more: object = {}): void {
  const bench = new Bench();
  const { arena, other } = bench;
  const [agent, rival] = [arena.agentId, other.agentId];

  test('inspect() of a new lock reports its name, no owner and no waiters', () => {
    const { ours, theirs } = bench.create(kind, 'door');
    const report = {
      kind: kind.reported,
      name: 'door',
      owner: 0,
      consistency: 'consistent',
      waiters: [],
      abandoned: 0,
      ...more,
    };
    expect([ours.inspect(), theirs.inspect()]).toEqual([report, report]);
  });

  test('inspect() reports the same owner to both agents', () => {
    const { ours, theirs } = bench.create(kind);
    theirs.lock();
    const ownerTitle = expect.stringMatching(`^agent ${rival}\\b`) as string;
    for (const lock of [ours, theirs]) expect(lock.inspect()).toMatchObject({ owner: rival, ownerTitle, waiters: [] });
    theirs.unlock();
    expect(ours.inspect()).toMatchObject({ owner: 0, ...more });
  });

  test('inspect() reports waiters in the order of their arrival, with how they wait and since when', async () => {
    const { ours, theirs, thirds } = bench.create(kind);
    const before = Date.now();
    thirds.lock();
    const served: number[] = [];
    const waits = [theirs, ours, theirs].map(async (lock, index) => {
      await lock.lockAsync();
      expect(ours.inspect().waiters).toHaveLength(2 - served.length);
      served.push(index);
      lock.unlock();
    });
    const { waiters } = ours.inspect();
    const title = expect.stringMatching(/^agent \d+/) as string;
    const arrivals = [rival, agent, rival].map((agent) => ({ agent, title, kind: 'async' }));
    // A queued lock reports arrivals of one millisecond in any order.
    const byAgent = (a: { agent: number }, b: { agent: number }): number => (kind.isQueued ? a.agent - b.agent : 0);
    expect(waiters.map(({ since: _, age: __, ...rest }) => rest).sort(byAgent)).toEqual(arrivals.sort(byAgent));
    for (const { since } of waiters) expect(since >= before && since <= Date.now()).toBe(true);
    expect(waiters.map(({ since }) => since)).toEqual(waiters.map(({ since }) => since).sort((a, b) => a - b));
    thirds.unlock();
    await Promise.all(waits);
    expect([served, ours.inspect().waiters]).toEqual([servesLastFirst(kind) ? [2, 1, 0] : [0, 1, 2], []]);
  });

  test.skipIf(kind.order === 'any')('inspect() reports the waiter that is being admitted as the owner', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const waits = [theirs.lockAsync(), theirs.lockAsync()];
    ours.unlock();
    expect(ours.inspect()).toMatchObject({ owner: rival, waiters: [{ agent: rival }] });
    expect(() => theirs.unlock()).toThrow('does not own');
    await Promise.race(waits);
    expect(ours.inspect()).toMatchObject({ owner: rival, waiters: [{}] });
    theirs.unlock();
    await Promise.all(waits);
    theirs.unlock();
  });

  test('inspect() counts a waiter that cancelled between others until it is skipped', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const controller = new AbortController();
    const unlockAfter = async (wait: Promise<void>): Promise<void> => {
      await wait;
      theirs.unlock();
    };
    const first = unlockAfter(theirs.lockAsync());
    const leaver = theirs.lockAsync({ signal: controller.signal }).catch(() => 'left');
    const last = unlockAfter(theirs.lockAsync());
    controller.abort();
    expect(ours.inspect()).toMatchObject({ abandoned: 1, waiters: [{}, {}] });
    ours.unlock();
    expect(await leaver).toBe('left');
    await Promise.all([first, last]);
    expect(ours.inspect()).toMatchObject({ abandoned: 0, waiters: [], owner: 0 });
  });

  test('the last waiter of a line leaves its place behind only at a queued lock', () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    expect(theirs.tryLock(1)).toBe(false);
    expect(ours.inspect()).toMatchObject({ abandoned: kind.isQueued ? 1 : 0, waiters: [] });
    ours.unlock();
    expect(ours.inspect()).toMatchObject({ abandoned: 0, waiters: [], owner: 0 });
  });

  test('arena.inspect() reports a lock with its name, its owner and its waiters', async () => {
    const { ours, theirs } = bench.create(kind, 'gate');
    const { address } = ours.handle;
    ours.lock();
    const wait = theirs.lockAsync();
    const lock = { kind: 'lock', name: 'gate', address, permits: 1 };
    const { blocks, agents } = arena.inspect();
    const block = blocks.find((one) => one.address === address);
    expect(block).toEqual({ kind: 'lock', name: 'gate', address, bytes: 128, closed: false });
    expect(agents.find((one) => one.agent === agent)).toMatchObject({ holds: [lock], waits: [] });
    expect(agents.find((one) => one.agent === rival)).toMatchObject({
      holds: [],
      waits: [{ ...lock, how: 'async', since: expect.any(Number) as number, age: expect.any(Number) as number }],
    });
    ours.unlock();
    await wait;
    const counts = arena.inspect().agents.map(({ agent, holds, waits }) => [agent, holds.length, waits.length]);
    expect(counts.filter(([, held, waited]) => held !== 0 || waited !== 0)).toEqual([[rival, 1, 0]]);
    theirs.unlock();
    expect(arena.inspect().agents.every(({ holds, waits }) => holds.length + waits.length === 0)).toBe(true);
    ours.free();
    expect(arena.inspect().blocks.find((block) => block.address === address)).toMatchObject({ kind: 'free', name: '' });
  });
}
