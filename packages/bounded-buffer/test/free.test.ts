import { Arena, MisuseError } from '@sluice/core';
import { expect, test, vi } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer, BufferReader } from '../src/index.ts';
import { expectQuiet } from './support/rest.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const arena = Arena.create({ maxPages: 16 });
const other = secondAgent(arena);

function create(): { ours: BoundedBuffer<number>; theirs: BoundedBuffer<number> } {
  const ours = BoundedBuffer.create({ arena, codec: 'int32', capacity: 2 });
  return { ours, theirs: openAs(other, ours.handle, (handle) => BoundedBuffer.from<number>(handle)) };
}

type Uses = readonly (readonly [call: string, use: (buffer: BoundedBuffer<number>) => unknown])[];

const USES: Uses = [
  ['tryPush(7)', (buffer) => buffer.tryPush(7)],
  ['tryPop()', (buffer) => buffer.tryPop()],
  ['tryPop(3)', (buffer) => buffer.tryPop(3)],
  ['tryPopMany()', (buffer) => buffer.tryPopMany()],
  ['close()', (buffer) => buffer.close()],
  ['inspect()', (buffer) => buffer.inspect()],
  ['name', (buffer) => buffer.name],
  ['free()', (buffer) => buffer.free()],
];

const STAYING: Uses = [
  ['push(7)', (buffer) => buffer.push(7)],
  ['pushMany([7])', (buffer) => buffer.pushMany([7])],
  ['pushAsync(7)', (buffer) => buffer.pushAsync(7)],
  ['popAsync()', (buffer) => Promise.race([buffer.popAsync({ ref: false }), turn()])],
  ['popAsync({ timeout: 3 })', (buffer) => buffer.popAsync({ timeout: 3 })],
];

async function expectRefusedByStale(use: (buffer: BoundedBuffer<number>) => unknown): Promise<void> {
  const { ours } = create();
  ours.free();
  const next = BoundedBuffer.create({ arena, codec: 'int32', capacity: 2 });
  expect(next.handle.address).toBe(ours.handle.address);
  const before = [next.inspect(), arena.inspect().agents.map(({ holds, waits }) => [holds, waits])];
  await expect(Promise.resolve().then(() => use(ours))).rejects.toThrow(MisuseError);
  expect(withoutAges([next.inspect(), arena.inspect().agents.map(({ holds, waits }) => [holds, waits])])).toEqual(
    withoutAges(before),
  );
  next.push(1);
  expect(next.pop()).toBe(1);
  expectQuiet(next);
  next.free();
}

test.each(USES)(
  '%s of a freed buffer throws, and does not change the buffer that reuses its memory',
  async (_, use) => {
    await expectRefusedByStale(use);
  },
);

test.each(STAYING)(
  '%s of a freed buffer throws, and draws no ticket at the buffer that reuses its memory',
  async (_, use) => {
    await expectRefusedByStale(use);
  },
);

test.each([
  ['length', (buffer: BoundedBuffer<number>) => buffer.length],
  ['closed', (buffer: BoundedBuffer<number>) => buffer.closed],
] as const)('%s of a freed buffer throws', async (_, use) => {
  await expectRefusedByStale(use);
});

test('popAsync({ timeout: 0 }) of a freed buffer rejects', async () => {
  const { ours } = create();
  ours.free();
  await expect(ours.popAsync({ timeout: 0 })).rejects.toThrow(MisuseError);
});

test('free() frees the instances of all agents, and the remaining values', () => {
  const { ours, theirs } = create();
  ours.pushMany([1, 2]);
  theirs.free();
  for (const buffer of [ours, theirs]) expect(() => buffer.tryPop()).toThrow('was freed');
});

test('free() throws while agents wait on either side, and has no effect', async () => {
  const { ours, theirs } = create();
  const pop = theirs.popAsync();
  for (const buffer of [ours, theirs]) expect(() => buffer.free()).toThrow('in use');
  ours.push(1);
  expect(await pop).toBe(1);
  ours.pushMany([1, 2]);
  const push = theirs.pushAsync(3);
  for (const buffer of [ours, theirs]) expect(() => buffer.free()).toThrow(MisuseError);
  expect(ours.pop()).toBe(1);
  await push;
  expect(ours.popMany()).toEqual([2, 3]);
  expectQuiet(ours);
  ours.free();
});

test('free() of a closed buffer succeeds while agents wait, and they get their errors', async () => {
  const { ours, theirs } = create();
  const ended = Promise.allSettled([ours.popAsync(), theirs.popAsync()]);
  ours.close();
  ours.free();
  for (const end of await ended) expect(end).toMatchObject({ status: 'rejected' });
  const next = BoundedBuffer.create({ arena, codec: 'int32', capacity: 2 });
  next.push(1);
  expect(next.pop()).toBe(1);
  expectQuiet(next);
  next.free();
});

test('a wait that was served but has not run when the buffer is freed fails, and takes nothing of the next buffer', async () => {
  const { ours, theirs } = create();
  const waits = Promise.allSettled([theirs.popAsync()]);
  ours.push(1);
  ours.close();
  ours.free();
  const next = BoundedBuffer.create({ arena, codec: 'int32', capacity: 2 });
  // The wait still refers to the memory.
  expect(next.handle.address).not.toBe(ours.handle.address);
  next.push(5);
  expect(await waits).toMatchObject([{ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } }]);
  expect([next.length, next.pop()]).toEqual([1, 5]);
  expectQuiet(next);
  next.free();
});

test('a thousand buffers, created and freed in turn, use no more memory than the first few', () => {
  const used = (): number => arena.inspect().used;
  for (let round = 0; round < 100; round++) create().ours.free();
  const before = used();
  for (let round = 0; round < 1000; round++) {
    const { ours } = create();
    ours.push(round);
    ours.free();
  }
  expect(used()).toBe(before);
});

test('free() of a closed buffer throws and names the agent that has a peek open', () => {
  const { ours } = create();
  ours.push(1);
  const reader = new BufferReader(ours);
  reader.peek();
  ours.close();
  expect(() => ours.free()).toThrow(
    `is in use and cannot be freed: this agent (agent ${arena.agentId}) is inside a call of it, or has an open claim or peek.`,
  );
  reader.consume();
  ours.free();
});

test('free() of a closed buffer waits while another agent has the lock of a side', () => {
  const { ours, theirs } = create();
  ours.push(1);
  const reader = new BufferReader(theirs);
  reader.peek();
  ours.close();
  const wait = vi.spyOn(contextOf(arena).parking, 'wait').mockImplementation(() => {
    reader.consume();
    return 'ok';
  });
  ours.free();
  expect(wait).toHaveBeenCalled();
  wait.mockRestore();
});

test('free() of a closed buffer throws and names the other agent that keeps the lock of a side', () => {
  const { ours, theirs } = create();
  ours.push(1);
  const reader = new BufferReader(theirs);
  reader.peek();
  ours.close();
  const wait = vi.spyOn(contextOf(arena).parking, 'wait').mockReturnValue('timed-out');
  let now = 0;
  const clock = vi.spyOn(contextOf(arena).parking, 'now').mockImplementation(() => (now += 50));
  expect(() => ours.free()).toThrow(
    new RegExp(
      `is in use and cannot be freed: agent ${other.agentId} \\(.*\\) is inside a call of it, or has an open claim or peek\\.`,
    ),
  );
  wait.mockRestore();
  clock.mockRestore();
  reader.consume();
  ours.free();
});
