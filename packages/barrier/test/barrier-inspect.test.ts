// The reports of inspect() and arena.inspect() on a barrier, free(), a full arena, and an arena that was left.

import { Arena, HandleError, MisuseError } from '@sluice/core';
import { withWorkers } from '@sluice/harness';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Barrier } from '../src/index.ts';
import { expectBarrierAtRest } from './support/barrier-rest.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;
const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);
const [agent, rival] = [arena.agentId, other.agentId];

function create(parties: number, name?: string): { ours: Barrier; theirs: Barrier } {
  const ours = Barrier.create(parties, { arena, name });
  return { ours, theirs: openAs(other, ours.handle, (handle) => Barrier.from(handle)) };
}

test('inspect() of a new barrier reports its name, its parties, and no waiters', () => {
  const { ours, theirs } = create(3, 'phase');
  const report = {
    kind: 'barrier',
    name: 'phase',
    parties: 3,
    arrived: 0,
    generation: 0,
    acting: false,
    broken: undefined,
    claimedBy: [],
    claimedByTitles: [],
    waiters: [],
  };
  expect([ours.inspect(), theirs.inspect()]).toEqual([report, report]);
  expect(inspect(ours)).toContain("name: 'phase', parties: 3, arrived: 0, generation: 0");
  ours.tryWait(0.01);
  expect(inspect(ours)).toContain("generation: 1, broken: 'gave-up'");
});

test('inspect() reports waiters with their agent, their way to wait and its start', async () => {
  const { ours, theirs } = create(4);
  const before = Date.now();
  const waits = [theirs.waitAsync(), ours.waitAsync(), theirs.waitAsync()];
  const { waiters } = ours.inspect();
  expect(waiters.map((waiter) => waiter.agent).sort()).toEqual([agent, rival, rival].sort());
  for (const { kind, since } of waiters)
    expect([kind, since >= before && since <= Date.now()]).toEqual(['async', true]);
  ours.wait();
  await Promise.all(waits);
  expectBarrierAtRest(arena, ours);
});

test('inspect() and arena.inspect() report a thread that blocks at a barrier as a waiter', async () => {
  const shared = Arena.create({ maxPages: 16 });
  const barrier = Barrier.create(2, { arena: shared, name: 'phase' });
  const jobs = new URL('./jobs/one-wait.mjs', import.meta.url);
  await withWorkers({ jobs, seed: 1, dump: () => shared.inspect() }, async (group) => {
    group.start(1, 'waitOnce', () => ({ barrier: barrier.handle }));
    await group.until('the worker waits', () => barrier.inspect().waiters.length === 1);
    expect(barrier.inspect().waiters).toMatchObject([{ kind: 'blocking' }]);
    const waits = shared.inspect().agents.flatMap((each) => each.waits);
    expect(waits).toMatchObject([{ name: 'phase' }]);
    barrier.wait();
    await group.results();
  });
});

test('arena.inspect() reports the barrier, its waiters, and registered parties as holdings of their agent', async () => {
  const { ours, theirs } = create(1, 'phase');
  const { address } = ours.handle;
  theirs.register(2);
  const waits = [theirs.waitAsync(), theirs.waitAsync()];
  const { blocks, agents } = arena.inspect();
  expect(blocks.find((block) => block.address === address)).toEqual({
    kind: 'barrier',
    name: 'phase',
    address,
    bytes: 128,
    closed: false,
  });
  expect(agents.find((one) => one.agent === rival)).toMatchObject({
    holds: [{ kind: 'barrier', name: 'phase', address, permits: 2 }],
    waits: [
      { kind: 'barrier', how: 'async' },
      { kind: 'barrier', how: 'async' },
    ],
  });
  ours.wait();
  await Promise.all(waits);
  theirs.deregister(2);
  expect(arena.inspect().agents.every(({ holds, waits: left }) => holds.length + left.length === 0)).toBe(true);
});

test('free() returns the memory and frees the instances of all agents', () => {
  const { ours, theirs } = create(2);
  theirs.free();
  for (const barrier of [ours, theirs])
    for (const use of [() => barrier.tryWait(), () => barrier.reset(), () => barrier.parties, () => barrier.register()])
      expect(use).toThrow(MisuseError);
  expect(() => Barrier.from(ours.handle)).toThrow(HandleError);
  const next = Barrier.create(1, { arena });
  expect([next.handle.address, next.parties, next.generation]).toEqual([ours.handle.address, 1, 0]);
  expectBarrierAtRest(arena, next);
});

test('free() throws while parties wait, are claimed, or run the action', async () => {
  const { ours, theirs } = create(2);
  const wait = theirs.waitAsync();
  expect(() => ours.free()).toThrow('is in use and cannot be freed: 1 of 2 parties have arrived, 1 waiter in line');
  ours.wait();
  expect(() => ours.free()).toThrow('is in use and cannot be freed');
  await wait;
  theirs.claim();
  expect(() => ours.free()).toThrow(`claimed by agent ${rival}`);
  theirs.deregister();
  const acting = Barrier.from(ours.handle, {
    action: () => {
      expect(() => theirs.free()).toThrow('is in use and cannot be freed: all 1 parties have arrived, the action runs');
    },
  });
  acting.wait();
  ours.free();
});

test('ten thousand barriers, created and freed in turn, use no more memory than the first few', () => {
  const round = (): void => {
    const barrier = Barrier.create(0, { arena });
    barrier.register();
    barrier.wait();
    barrier.deregister();
    barrier.free();
  };
  for (let count = 0; count < 100; count++) round();
  const { used } = arena.inspect();
  for (let count = 0; count < 10_000; count++) round();
  expect(arena.inspect().used).toBe(used);
});

test.each([0, 1] as const)('create() in an arena without room changes nothing (%i free cache lines)', (lines) => {
  const { arena: full } = fullArena(() => undefined, lines);
  const before = full.inspect();
  expect(() => Barrier.create(1, { arena: full })).toThrow(REFUSED);
  expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
});

test('wait() without a free element throws before it arrives, and the barrier still works', async () => {
  const { arena: full, prepared: barrier } = fullArena((made) => Barrier.create(2, { arena: made }));
  const before = [barrier.inspect(), full.inspect()];
  for (const call of [() => barrier.wait(), () => barrier.tryWait(5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => barrier.waitAsync(), () => barrier.waitAsync({ timeout: 5 })])
    await expect(call()).rejects.toMatchObject(FULL);
  expect(withoutAges([barrier.inspect(), full.inspect()])).toEqual(withoutAges(before));
  barrier.deregister();
  expect(barrier.tryWait()).toEqual({ leader: true });
  expectBarrierAtRest(full, barrier);
});

test('all waiters can be cancelled while every element is in use', async () => {
  const controllers = Array.from({ length: 16 }, () => new AbortController());
  const { arena: full, prepared } = fullArena((made) => {
    const barrier = Barrier.create(17, { arena: made });
    return {
      barrier,
      waits: controllers.map(({ signal }) => barrier.waitAsync({ signal }).catch((reason: unknown) => reason)),
    };
  });
  expect(full.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
  for (const controller of controllers) controller.abort('all');
  const reasons = await Promise.all(prepared.waits);
  // The first abort breaks the generation of all waiters.
  expect(reasons.map((reason) => (reason === 'all' ? reason : (reason as Error).name))).toEqual([
    'all',
    ...controllers.slice(1).map(() => 'BrokenBarrierError'),
  ]);
  prepared.barrier.reset();
  expectBarrierAtRest(full, prepared.barrier);
});

test('every call of an agent that has left the arena throws', async () => {
  const left = Arena.create({ maxPages: 8 });
  const barrier = Barrier.create(2, { arena: left });
  left.leave();
  const calls = [
    () => barrier.register(),
    () => barrier.claim(),
    () => barrier.deregister(),
    () => barrier.wait(),
    () => barrier.tryWait(),
    () => barrier.waitAsync(),
    () => barrier.reset(),
    () => barrier.abort(),
    () => barrier.mend(),
    () => barrier.inspect(),
    () => barrier.broken,
    () => barrier.free(),
  ];
  for (const call of calls) await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(MisuseError);
});
