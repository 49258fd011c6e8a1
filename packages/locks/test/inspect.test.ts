// What inspect() says of a lock, and arena.inspect() of an agent with one.

import { describe, expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import { isQueued, KINDS, servesLastFirst } from './support/kinds.ts';

const bench = new Bench();
const { arena, other } = bench;
const [agent, rival] = [arena.agentId, other.agentId];

describe.each(KINDS)('$what', (kind) => {
  test('a new one has a name, no owner and nobody in line', () => {
    const { ours, theirs } = bench.create(kind, 'door');
    const name = kind.kindName.slice('sluice.'.length);
    const nobody = { kind: name, name: 'door', owner: 0, consistency: 'consistent', waiters: [], abandoned: 0 };
    expect(ours.inspect()).toEqual(nobody);
    expect(theirs.inspect()).toEqual(nobody);
  });

  test('its owner is shown by agent, to both', () => {
    const { ours, theirs } = bench.create(kind);
    theirs.lock();
    for (const lock of [ours, theirs]) expect(lock.inspect()).toMatchObject({ owner: rival, waiters: [] });
    theirs.unlock();
    expect(ours.inspect().owner).toBe(0);
  });

  test('waiters are shown, who came first standing first, with how and since when', async () => {
    const { ours, theirs, thirds } = bench.create(kind);
    const before = Date.now();
    thirds.lock();
    const got: number[] = [];
    const waits = [theirs, ours, theirs].map(async (lock, index) => {
      await lock.lockAsync();
      expect(ours.inspect().waiters).toHaveLength(2 - got.length);
      got.push(index);
      lock.unlock();
    });
    const { waiters } = ours.inspect();
    const inOrder = [rival, agent, rival].map((agent) => ({ agent, kind: 'async' }));
    // Those of one millisecond may stand in any order.
    const byAgent = (a: { agent: number }, b: { agent: number }): number => a.agent - b.agent;
    expect(waiters.map(({ since: _, ...rest }) => rest).sort(byAgent)).toEqual(inOrder.sort(byAgent));
    for (const { since } of waiters) expect(since >= before && since <= Date.now()).toBe(true);
    expect(waiters.map(({ since }) => since)).toEqual(waiters.map(({ since }) => since).sort((a, b) => a - b));
    thirds.unlock();
    await Promise.all(waits);
    expect([got, ours.inspect().waiters]).toEqual([servesLastFirst(kind) ? [2, 1, 0] : [0, 1, 2], []]);
  });

  test('waiters that gave up in the middle of the line are counted until they are passed over', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const controller = new AbortController();
    const pass = async (wait: Promise<void>): Promise<void> => {
      await wait;
      theirs.unlock();
    };
    const first = pass(theirs.lockAsync());
    const leaver = theirs.lockAsync({ signal: controller.signal }).catch(() => 'left');
    const last = pass(theirs.lockAsync());
    controller.abort();
    expect(ours.inspect()).toMatchObject({ abandoned: 1, waiters: [{}, {}] });
    ours.unlock();
    expect(await leaver).toBe('left');
    await Promise.all([first, last]);
    expect(ours.inspect()).toMatchObject({ abandoned: 0, waiters: [], owner: 0 });
  });

  test('the last in line that gives up leaves a place only where waiters hang at the lock itself', () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    expect(theirs.tryLock(1)).toBe(false);
    expect(ours.inspect()).toMatchObject({ abandoned: isQueued(kind) ? 1 : 0, waiters: [] });
    ours.unlock();
    expect(ours.inspect()).toMatchObject({ abandoned: 0, waiters: [], owner: 0 });
  });

  test('the arena shows it as a lock with its name, who holds it and who waits for it', async () => {
    const { ours, theirs } = bench.create(kind, 'gate');
    const { address } = ours.handle;
    ours.lock();
    const wait = theirs.lockAsync();
    const shown = { kind: 'lock', name: 'gate', address, permits: 1 };
    const { blocks, agents } = arena.inspect();
    const block = blocks.find((one) => one.address === address);
    expect(block).toEqual({ kind: 'lock', name: 'gate', address, bytes: 128, closed: false });
    expect(agents.find((one) => one.agent === agent)).toMatchObject({ holds: [shown], waits: [] });
    expect(agents.find((one) => one.agent === rival)).toMatchObject({
      holds: [],
      waits: [{ ...shown, how: 'async', since: expect.any(Number) as number }],
    });
    ours.unlock();
    await wait;
    const localState = arena.inspect().agents.map(({ agent, holds, waits }) => [agent, holds.length, waits.length]);
    expect(localState.filter(([, held, waited]) => held !== 0 || waited !== 0)).toEqual([[rival, 1, 0]]);
    theirs.unlock();
    expect(arena.inspect().agents.every(({ holds, waits }) => holds.length + waits.length === 0)).toBe(true);
    ours.free();
    expect(arena.inspect().blocks.find((block) => block.address === address)).toMatchObject({ kind: 'free', name: '' });
  });
});

describe.each(KINDS.filter(({ serves }) => serves !== 'anybody'))('$what', (kind) => {
  test('inspect() names the waiter that the lock is on its way to as its owner', async () => {
    const { ours, theirs } = bench.create(kind);
    ours.lock();
    const wait = theirs.lockAsync();
    ours.unlock();
    expect(ours.inspect()).toMatchObject({ owner: rival, waiters: [] });
    await wait;
    expect(ours.inspect()).toMatchObject({ owner: rival });
    theirs.unlock();
  });
});
