import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { BoundedBuffer } from '../src/index.ts';
import { CASES, ENGINES, valuesOf, type BufferKind } from './support/kinds.ts';
import { until } from './support/until.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const ARENAS = Object.fromEntries(
  ENGINES.map((engine) => [engine, Arena.create({ engine: engineNamed(engine), maxPages: 64 })]),
);
const OTHERS = Object.fromEntries(ENGINES.map((engine) => [engine, secondAgent(arenaOf(engine))]));

function arenaOf(engine: string): Arena {
  const arena = ARENAS[engine];
  if (arena === undefined) throw new Error('no arena');
  return arena;
}

describe.each(CASES)('$title', ({ engine, codec, create, from, value }) => {
  const kind = { value };
  const make = (capacity: number, name?: string): BoundedBuffer<unknown> => create(arenaOf(engine), capacity, name);
  const open = (buffer: BoundedBuffer<unknown>): BoundedBuffer<unknown> =>
    openAs(OTHERS[engine] ?? arenaOf(engine), buffer.handle, from);

  test('values come out in FIFO order', () => {
    const buffer = make(5);
    for (const each of valuesOf(kind, 0, 5)) buffer.push(each);
    expect(Array.from({ length: 5 }, () => buffer.pop())).toEqual(valuesOf(kind, 0, 5));
  });

  test('tryPush() fails on a full buffer and tryPop() on an empty one, and the capacity is exact', () => {
    for (const capacity of [1, 2, 3, 8]) {
      const buffer = make(capacity);
      expect([buffer.length, buffer.tryPop(), buffer.tryPop(1)]).toEqual([0, undefined, undefined]);
      for (const each of valuesOf(kind, 0, capacity)) expect(buffer.tryPush(each)).toBe(true);
      expect([buffer.tryPush(value(9)), buffer.tryPush(value(9), 1), buffer.length]).toEqual([false, false, capacity]);
      expect(Array.from({ length: capacity }, () => buffer.tryPop())).toEqual(valuesOf(kind, 0, capacity));
      expect([buffer.length, buffer.tryPop()]).toEqual([0, undefined]);
    }
  });

  test('in a buffer of one slot each push waits for the pop before it', async () => {
    const buffer = make(1);
    for (let round = 0; round < 20; round++) {
      buffer.push(value(round));
      expect(buffer.tryPush(value(99))).toBe(false);
      const next = buffer.pushAsync(value(round + 1));
      expect(buffer.pop()).toEqual(value(round));
      await next;
      expect(buffer.pop()).toEqual(value(round + 1));
    }
  });

  test('two agents push to and pop from one buffer', () => {
    const ours = make(3, 'shared');
    const theirs = open(ours);
    for (let index = 0; index < 50; index++) {
      const [one, other] = index % 3 === 0 ? [ours, theirs] : [theirs, ours];
      one.push(value(index));
      expect([other.length, other.pop()]).toEqual([1, value(index)]);
    }
    expect([theirs.name, withoutAges(theirs.inspect())]).toEqual(['shared', withoutAges(ours.inspect())]);
  });

  test('async calls that need not wait resolve at once', async () => {
    const buffer = make(2);
    const pushes = [buffer.pushAsync(value(0)), buffer.pushAsync(value(1))];
    expect(buffer.length).toBe(2);
    const pops = [buffer.popAsync(), buffer.popAsync()];
    expect(buffer.length).toBe(0);
    await Promise.all(pushes);
    expect(await Promise.all(pops)).toEqual(valuesOf(kind, 0, 2));
  });

  test('the properties report name, arena, codec, length and whether the buffer is closed', () => {
    const buffer = make(4, 'lines');
    expect([buffer.name, make(4).name, buffer.arena, buffer.closed]).toEqual(['lines', '', arenaOf(engine), false]);
    buffer.push(value(1));
    const report = {
      kind: 'bounded-buffer',
      name: 'lines',
      codec,
      length: 1,
      closed: false,
      producers: [],
      consumers: [],
    };
    expect(buffer.inspect()).toMatchObject(report);
    expect(buffer.inspect().ringBytes).toBeGreaterThanOrEqual(4 * 4);
    buffer.close();
    expect([buffer.closed, buffer.inspect()]).toMatchObject([true, { ...report, closed: true }]);
  });

  test('a buffer that reuses the memory of a freed one starts empty', () => {
    const first = make(4);
    first.push(value(3));
    first.free();
    const next = make(4);
    expect([next.handle.address, next.length, next.tryPop()]).toEqual([first.handle.address, 0, undefined]);
    next.push(value(4));
    expect(next.pop()).toEqual(value(4));
    next.free();
  });
});

test('inspect() lists the waiters of both sides in their order, with the units that they wait for', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const ours = BoundedBuffer.create<string>({ arena, ringBytes: 32 });
  const theirs = openAs(secondAgent(arena), ours.handle, (handle) => BoundedBuffer.from<string>(handle));
  const pops = [theirs.popAsync(), ours.popAsync()];
  const agents = [theirs, ours].map(({ arena: { agentId } }) => agentId);
  expect(ours.inspect().consumers).toMatchObject(agents.map((agent) => ({ agent, kind: 'async', permits: 1 })));
  ours.pushMany(['a', 'b']);
  expect(await Promise.all(pops)).toEqual(['a', 'b']);
  const long = 'x'.repeat(20);
  ours.push(long);
  const pushes = [ours.pushAsync(long), theirs.pushAsync('y')];
  // The first waiter is the head of the line, and waits for more room.
  await until(() => theirs.inspect().producers.length === 2);
  expect(theirs.inspect()).toMatchObject({ length: 1, producers: [{ permits: 7 }, { permits: 2 }], consumers: [] });
  expect([ours.pop(), await ours.popAsync(), await ours.popAsync()]).toEqual([long, long, 'y']);
  await Promise.all(pushes);
});

test('a buffer created without options holds JSON in a ring of 64 KiB in the default arena', () => {
  const buffer = BoundedBuffer.create<BufferKind['name'] | object>();
  buffer.push({ any: ['thing'] });
  expect(buffer.inspect()).toMatchObject({ codec: 'json', ringBytes: 65_536, length: 1 });
  expect([buffer.pop(), buffer.handle.arena]).toEqual([{ any: ['thing'] }, Arena.default().id]);
  expect(BoundedBuffer.create({ codec: 'int32' }).inspect().ringBytes).toBe(4 * 1024);
  buffer.free();
});

test('a buffer works unchanged after its arena has grown', () => {
  const arena = Arena.create({ maxPages: 64 });
  const ours = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 1024 });
  ours.push(Uint8Array.of(1, 2, 3));
  const theirs = openAs(secondAgent(arena), ours.handle, (handle) => BoundedBuffer.from<Uint8Array>(handle));
  const late = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 2 ** 20 });
  const lates = openAs(theirs.arena, late.handle, (handle) => BoundedBuffer.from<Uint8Array>(handle));
  const long = new Uint8Array(2 ** 20 - 4).fill(7);
  late.push(long);
  expect(Buffer.compare(lates.pop(), long)).toBe(0);
  theirs.push(Uint8Array.of(4));
  expect([theirs.pop(), ours.pop()]).toEqual([Uint8Array.of(1, 2, 3), Uint8Array.of(4)]);
});
