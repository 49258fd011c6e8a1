// What inspect() says of a mutex, and arena.inspect() of an agent with one.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });
const other = secondAgent(arena);
const [agent, rival] = [arena.agentId, other.agentId];

describe.each([
  ['Mutex', Mutex],
  ['RecursiveMutex', RecursiveMutex],
] as const)('%s', (_, Kind) => {
  function create(name?: string): { ours: Mutex | RecursiveMutex; theirs: Mutex | RecursiveMutex } {
    const ours = Kind.create({ arena, name, order: 'fifo' });
    return { ours, theirs: openAs(other, ours.handle, (handle) => Kind.from(handle as never)) };
  }

  test('a new one has a name, no owner and nobody in line', () => {
    const { ours, theirs } = create('door');
    const nobody = { kind: 'mutex', name: 'door', owner: 0, depth: 0, consistency: 'consistent', waiters: [], abandoned: 0 };
    expect(ours.inspect()).toEqual(nobody);
    expect(theirs.inspect()).toEqual(nobody);
  });

  test('its owner is shown by agent, to both', () => {
    const { ours, theirs } = create();
    theirs.lock();
    for (const mutex of [ours, theirs]) expect(mutex.inspect()).toMatchObject({ owner: rival, depth: 1, waiters: [] });
    theirs.unlock();
    expect(ours.inspect()).toMatchObject({ owner: 0, depth: 0 });
  });

  test('waiters are shown in the order in which they will be served, with how and since when', async () => {
    const { ours, theirs } = create();
    const thirds = openAs(secondAgent(arena), ours.handle, (handle) => Kind.from(handle as never));
    const before = Date.now();
    thirds.lock();
    const waits = [theirs.lockAsync(), ours.lockAsync(), theirs.lockAsync()];
    const { waiters } = ours.inspect();
    const inOrder = [rival, agent, rival].map((agent) => ({ agent, kind: 'async' }));
    expect(waiters.map(({ since: _, ...rest }) => rest)).toEqual(inOrder);
    for (const { since } of waiters) expect(since >= before && since <= Date.now()).toBe(true);
    thirds.unlock();
    for (const [index, wait] of waits.entries()) {
      await wait;
      expect(ours.inspect().waiters).toHaveLength(2 - index);
      (index === 1 ? ours : theirs).unlock();
    }
  });

  test('on its way to the next one it names that one as its owner, which waits no more', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const waits = [theirs.lockAsync(), theirs.lockAsync()];
    ours.unlock();
    expect(ours.inspect()).toMatchObject({ owner: rival, depth: 1, waiters: [{ agent: rival }] });
    expect(() => theirs.unlock()).toThrow('does not own');
    await waits[0];
    expect(ours.inspect()).toMatchObject({ owner: rival, waiters: [{}] });
    theirs.unlock();
    await waits[1];
    theirs.unlock();
  });

  test('waiters that gave up in the middle of the line are counted until they are passed over', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const controller = new AbortController();
    const first = theirs.lockAsync();
    const leaver = theirs.lockAsync({ signal: controller.signal }).catch(() => 'left');
    const last = theirs.lockAsync();
    controller.abort();
    expect(ours.inspect()).toMatchObject({ abandoned: 1, waiters: [{}, {}] });
    ours.unlock();
    expect(await leaver).toBe('left');
    for (const wait of [first, last]) {
      await wait;
      theirs.unlock();
    }
    expect(ours.inspect()).toMatchObject({ abandoned: 0, waiters: [], owner: 0 });
  });

  test('the arena shows it as a lock with its name, who holds it and who waits for it', async () => {
    const { ours, theirs } = create('gate');
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
    const counts = arena.inspect().agents.map(({ holds, waits }) => [holds.length, waits.length]);
    expect(counts.filter(([held]) => held !== 0)).toEqual([[1, 0]]);
    theirs.unlock();
    expect(arena.inspect().agents.every(({ holds, waits }) => holds.length + waits.length === 0)).toBe(true);
    ours.free();
    expect(arena.inspect().blocks.find((block) => block.address === address)).toMatchObject({ kind: 'free', name: '' });
  });
});

test('a recursive mutex that is locked many times is one lock that its owner holds', () => {
  const mutex = RecursiveMutex.create({ arena });
  for (let depth = 0; depth < 3; depth++) mutex.lock();
  expect(mutex.inspect().depth).toBe(3);
  expect(arena.inspect().agents.find((one) => one.agent === agent)?.holds).toMatchObject([{ permits: 1 }]);
  for (let depth = 0; depth < 3; depth++) mutex.unlock();
});
