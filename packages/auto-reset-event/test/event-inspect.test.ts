// The reports of inspect() and arena.inspect() on an event, and free().

import { Arena, HandleError, MisuseError } from '@sluice/core';
import { expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { AutoResetEvent } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);
const [agent, rival] = [arena.agentId, other.agentId];

function create(name?: string): { ours: AutoResetEvent; theirs: AutoResetEvent } {
  const ours = AutoResetEvent.create({ arena, name });
  return { ours, theirs: openAs(other, ours.handle, (handle) => AutoResetEvent.from(handle)) };
}

test('inspect() of a new event reports its name, no signal and no waiters', () => {
  const { ours, theirs } = create('work');
  const report = { kind: 'auto-reset-event', name: 'work', signalled: false, waiters: [], abandoned: 0 };
  expect([ours.inspect(), theirs.inspect()]).toEqual([report, report]);
  theirs.signal();
  expect(ours.inspect()).toEqual({ ...report, signalled: true });
});

test('inspect() lists waiters in the order in which they will be served, each with its way to wait and its start', async () => {
  const { ours, theirs } = create();
  const before = Date.now();
  const waits = [theirs.waitAsync(), ours.waitAsync(), theirs.waitAsync()];
  const { waiters, signalled } = ours.inspect();
  expect(signalled).toBe(false);
  expect(waiters.map(({ since: _, age: __, ...rest }) => rest)).toEqual(
    [rival, agent, rival].map((agent) => ({
      agent,
      title: expect.stringMatching(`^agent ${agent}\\b`) as string,
      kind: 'async',
    })),
  );
  for (const { since } of waiters) expect(since >= before && since <= Date.now()).toBe(true);
  for (const left of [2, 1, 0]) {
    ours.signal();
    expect(ours.inspect()).toMatchObject({ signalled: false, waiters: Array.from({ length: left }, () => ({})) });
  }
  await Promise.all(waits);
});

test('inspect() counts a cancelled waiter between two others until a signal skips it', async () => {
  const { ours, theirs } = create();
  const controller = new AbortController();
  const first = theirs.waitAsync();
  const leaver = theirs.waitAsync({ signal: controller.signal }).catch(() => 'left');
  const last = theirs.waitAsync();
  controller.abort();
  expect(ours.inspect()).toMatchObject({ abandoned: 1, waiters: [{}, {}] });
  expect(await leaver).toBe('left');
  ours.signal();
  ours.signal();
  await Promise.all([first, last]);
  expect(ours.inspect()).toMatchObject({ abandoned: 0, waiters: [], signalled: false });
});

test('arena.inspect() reports an event with its name and its waiters, and no holders', async () => {
  const { ours, theirs } = create('gate');
  const { address } = ours.handle;
  const wait = theirs.waitAsync();
  const { blocks, agents } = arena.inspect();
  const block = blocks.find((one) => one.address === address);
  expect(block).toEqual({ kind: 'event', name: 'gate', address, bytes: 128, closed: false });
  expect(agents.find((one) => one.agent === rival)).toMatchObject({
    holds: [],
    waits: [
      {
        kind: 'event',
        name: 'gate',
        address,
        permits: 1,
        how: 'async',
        since: expect.any(Number) as number,
        age: expect.any(Number) as number,
      },
    ],
  });
  ours.signal();
  await wait;
  expect(arena.inspect().agents.every(({ holds, waits }) => holds.length + waits.length === 0)).toBe(true);
  ours.free();
  expect(arena.inspect().blocks.find((block) => block.address === address)).toMatchObject({ kind: 'free', name: '' });
});

test('free() returns the memory and frees the instances of all agents', () => {
  const { ours, theirs } = create();
  ours.signal();
  theirs.free();
  for (const event of [ours, theirs]) expect(() => event.tryWait()).toThrow(MisuseError);
  expect(() => AutoResetEvent.from(ours.handle)).toThrow(HandleError);
  const next = AutoResetEvent.create({ arena });
  expect(next.handle.address).toBe(ours.handle.address);
  expect(next.tryWait()).toBe(false);
  expectAtRest(arena, next.handle);
  next.free();
});

test('free() throws while an agent waits', async () => {
  const { ours, theirs } = create();
  const wait = theirs.waitAsync();
  for (const event of [ours, theirs]) expect(() => event.free()).toThrow('is in use and cannot be freed');
  ours.signal();
  await wait;
  ours.free();
});

test.each([
  ['signal()', (event: AutoResetEvent) => event.signal()],
  ['wait()', (event: AutoResetEvent) => event.wait()],
  ['tryWait()', (event: AutoResetEvent) => event.tryWait()],
  ['tryWait(5)', (event: AutoResetEvent) => event.tryWait(5)],
  ['waitAsync()', (event: AutoResetEvent) => event.waitAsync()],
  ['waitAsync({ timeout: 0 })', (event: AutoResetEvent) => event.waitAsync({ timeout: 0 })],
  ['reset()', (event: AutoResetEvent) => event.reset()],
  ['name', (event: AutoResetEvent) => event.name],
  ['inspect()', (event: AutoResetEvent) => event.inspect()],
  ['free()', (event: AutoResetEvent) => event.free()],
] as const)('%s of a freed event throws, and does not change the event that reuses its memory', async (_, use) => {
  for (const signalled of [false, true]) {
    const { ours } = create();
    ours.free();
    const next = AutoResetEvent.create({ arena });
    expect(next.handle.address).toBe(ours.handle.address);
    if (signalled) next.signal();
    await expect(Promise.resolve().then(() => use(ours))).rejects.toThrow(
      'The event was freed and cannot be used any more.',
    );
    expect(next.tryWait()).toBe(signalled);
    next.free();
  }
});

test('10,000 events, each freed before the next is created, take no more memory than the first 100', () => {
  const used = (): number => arena.inspect().used;
  for (let round = 0; round < 100; round++) AutoResetEvent.create({ arena, name: `${round}` }).free();
  const before = used();
  for (let round = 0; round < 10_000; round++) {
    const event = AutoResetEvent.create({ arena });
    event.signal();
    event.free();
  }
  expect(used()).toBe(before);
});
