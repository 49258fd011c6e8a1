// The reports of inspect() and arena.inspect() on a latch, free(), a full arena, and an arena that was left.

import { Arena, HandleError, MisuseError } from '@sluice/core';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { CountdownLatch } from '../src/index.ts';
import { expectLatchAtRest } from './support/latch-rest.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;
const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);
const [agent, rival] = [arena.agentId, other.agentId];

function create(count = 0, name?: string): { ours: CountdownLatch; theirs: CountdownLatch } {
  const ours = CountdownLatch.create(count, { arena, name });
  return { ours, theirs: openAs(other, ours.handle, (handle) => CountdownLatch.from(handle)) };
}

test('inspect() of a new latch reports its name, its count, no claims and no waiters', () => {
  const { ours, theirs } = create(3, 'parts');
  const report = { kind: 'countdown-latch', name: 'parts', count: 3, claimedBy: [], claimedByTitles: [], waiters: [] };
  expect([ours.inspect(), theirs.inspect()]).toEqual([report, report]);
  expect(inspect(ours)).toContain("name: 'parts', count: 3, waiting: 0");
});

test('inspect() reports waiters with their agent, their way to wait and its start', async () => {
  const { ours, theirs } = create(1);
  const before = Date.now();
  const waits = [theirs.waitAsync(), ours.waitAsync(), theirs.waitAsync()];
  const { waiters } = ours.inspect();
  expect(waiters.map((waiter) => waiter.agent).sort()).toEqual([agent, rival, rival].sort());
  for (const { kind, since } of waiters)
    expect([kind, since >= before && since <= Date.now()]).toEqual(['async', true]);
  ours.done();
  await Promise.all(waits);
  expect(ours.inspect().waiters).toEqual([]);
});

test('arena.inspect() reports the latch, its waiters, and claims as holdings of their agent', async () => {
  const { ours, theirs } = create(3, 'gate');
  const { address } = ours.handle;
  const wait = theirs.waitAsync();
  theirs.claim(2);
  const { blocks, agents } = arena.inspect();
  expect(blocks.find((block) => block.address === address)).toEqual({
    kind: 'latch',
    name: 'gate',
    address,
    bytes: 128,
    closed: false,
  });
  expect(agents.find((one) => one.agent === rival)).toMatchObject({
    holds: [{ kind: 'latch', name: 'gate', address, permits: 2 }],
    waits: [{ kind: 'latch', name: 'gate', address, how: 'async' }],
  });
  theirs.done(2);
  ours.done();
  await wait;
  expect(arena.inspect().agents.every(({ holds, waits }) => holds.length + waits.length === 0)).toBe(true);
});

test('free() returns the memory and frees the instances of all agents', () => {
  const { ours, theirs } = create(2);
  theirs.free();
  for (const latch of [ours, theirs])
    for (const use of [() => latch.tryWait(), () => latch.done(), () => latch.count]) expect(use).toThrow(MisuseError);
  expect(() => CountdownLatch.from(ours.handle)).toThrow(HandleError);
  const next = CountdownLatch.create(0, { arena });
  expect([next.handle.address, next.count]).toEqual([ours.handle.address, 0]);
  expectLatchAtRest(arena, next);
});

test('free() throws while waiters were admitted and have not run yet', async () => {
  const { ours, theirs } = create(1);
  const wait = theirs.waitAsync();
  ours.done();
  expect(() => ours.free()).toThrow('is in use and cannot be freed');
  await wait;
  ours.free();
});

test('ten thousand latches, created and freed in turn, use no more memory than the first few', () => {
  const round = (): void => {
    const latch = CountdownLatch.create(1, { arena });
    latch.claim();
    latch.done();
    latch.free();
  };
  for (let count = 0; count < 100; count++) round();
  const { used } = arena.inspect();
  for (let count = 0; count < 10_000; count++) round();
  expect(arena.inspect().used).toBe(used);
});

test.each([0, 1] as const)('create() in an arena without room changes nothing (%i free cache lines)', (lines) => {
  const { arena: full } = fullArena(() => undefined, lines);
  const before = full.inspect();
  expect(() => CountdownLatch.create(1, { arena: full })).toThrow(REFUSED);
  expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
});

test('wait() without a free element throws, and the latch still works', async () => {
  const { arena: full, prepared: latch } = fullArena((made) => CountdownLatch.create(1, { arena: made }));
  const before = [latch.inspect(), full.inspect()];
  for (const call of [() => latch.wait(), () => latch.tryWait(5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => latch.waitAsync(), () => latch.waitAsync({ timeout: 5 })])
    await expect(call()).rejects.toMatchObject(FULL);
  expect(withoutAges([latch.inspect(), full.inspect()])).toEqual(withoutAges(before));
  latch.done();
  latch.wait();
  expectLatchAtRest(full, latch);
});

test('all waiters can be cancelled while every element is in use', async () => {
  const controllers = Array.from({ length: 16 }, () => new AbortController());
  const { arena: full, prepared } = fullArena((made) => {
    const latch = CountdownLatch.create(1, { arena: made });
    return {
      latch,
      waits: controllers.map(({ signal }) => latch.waitAsync({ signal }).catch((reason: unknown) => reason)),
    };
  });
  expect(full.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
  for (const [index, controller] of controllers.entries()) if (index % 2 === 0) controller.abort('even');
  for (const controller of controllers) controller.abort('odd');
  expect(await Promise.all(prepared.waits)).toEqual(controllers.map((_, index) => (index % 2 === 0 ? 'even' : 'odd')));
  prepared.latch.done();
  expectLatchAtRest(full, prepared.latch);
});

test('every call of an agent that has left the arena throws', async () => {
  const left = Arena.create({ maxPages: 8 });
  const latch = CountdownLatch.create(1, { arena: left });
  left.leave();
  const calls = [
    () => latch.add(),
    () => latch.claim(),
    () => latch.done(),
    () => latch.wait(),
    () => latch.tryWait(),
    () => latch.waitAsync(),
    () => latch.inspect(),
    () => latch.free(),
  ];
  for (const call of calls) await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(MisuseError);
});
