// The promises of a watch cell to agents of one thread.

import { Arena } from '@sluice/core';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { contextOf } from '../../../core/src/arena/arena.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { GRANT } from '../../../core/src/kernel/layout.ts';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { turn } from '../../../core/test/support/turn.ts';
import { WatchCell, type WatchCellOptions, type WatchCodec } from '../../src/index.ts';
import { SLOT_MASK } from '../../src/watch/kernel/layout.ts';
import { expectCellAtRest } from './support/cell-rest.ts';
import './support/kinds.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);

interface Point {
  readonly x: number;
  readonly y: number;
}
const POINTS: WatchCodec<Point> = {
  name: 'points',
  encode: ({ x, y }) => new Uint8Array(new Float64Array([x, y]).buffer),
  decode: (bytes) => {
    const [x = Number.NaN, y = Number.NaN] = new Float64Array(bytes.buffer, bytes.byteOffset, 2);
    return { x, y };
  },
};

describe.each(PLACES)('WatchCell ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one cell, one per agent. */
  function create<T>(first: T, options: WatchCellOptions<T> = {}): { ours: WatchCell<T>; theirs: WatchCell<T> } {
    const ours = WatchCell.create<T>(first, { arena, ...options });
    const codec = typeof options.codec === 'object' ? options.codec : undefined;
    return {
      ours,
      theirs: openAs(other, ours.handle, (handle) => WatchCell.from<T>(handle, codec === undefined ? {} : { codec })),
    };
  }

  test('get() returns the newest value, whichever agent set it', () => {
    const { ours, theirs } = create({ n: 0 });
    expect([ours.get(), theirs.get(), ours.version]).toEqual([{ n: 0 }, { n: 0 }, 0]);
    for (let n = 1; n <= 40; n++) {
      const [writer, reader] = n % 3 === 0 ? [ours, theirs] : [theirs, ours];
      expect(writer.set({ n })).toBe(n);
      expect([ours.get(), theirs.get(), reader.version]).toEqual([{ n }, { n }, n]);
    }
    expectCellAtRest(arena, ours);
  });

  test.each([
    ['json', [{ a: [1, null] }, 'ü', null, '']],
    ['int32', [0, -(2 ** 31), 2 ** 31 - 1]],
    ['float64', [0.1, -0, Infinity]],
    ['bytes', [Uint8Array.of(), Uint8Array.of(1, 2, 3), new Uint8Array(1024).fill(7)]],
  ] as const)('values of the codec %s come out unchanged', (codec, values) => {
    const { ours, theirs } = create<unknown>(values[0], { codec });
    for (const value of values) {
      ours.set(value);
      expect([theirs.get(), ours.get()]).toEqual([value, value]);
    }
  });

  test('a custom codec encodes the value, and from() needs it', () => {
    const { ours, theirs } = create<Point>({ x: 1, y: 2 }, { codec: POINTS, maxBytes: 16 });
    theirs.set({ x: 3, y: 4 });
    expect(ours.get()).toEqual({ x: 3, y: 4 });
    expect(() => openAs(other, ours.handle, (handle) => WatchCell.from(handle))).toThrow(
      'was made with the codec "points": pass it',
    );
    expect(() => openAs(other, ours.handle, (handle) => WatchCell.from(handle, { codec: 'json' }))).toThrow(
      'received "json"',
    );
  });

  test('get() returns a copy of the value, and set() takes one', () => {
    const { ours, theirs } = create<Uint8Array>(Uint8Array.of(1), { codec: 'bytes' });
    const got = ours.get();
    const bytes = Uint8Array.of(2);
    theirs.set(bytes);
    bytes[0] = 9;
    expect([got, ours.get()]).toEqual([Uint8Array.of(1), Uint8Array.of(2)]);
    got[0] = 9;
    expect(theirs.get()).toEqual(Uint8Array.of(2));
  });

  test.each([
    ['an object', { n: 1, of: 'ü', none: null }],
    ['a nested object', { n: 1, of: { n: 2 } }],
    ['an array', [1, 'two', null]],
    ['an array of objects', [{ n: 1 }, { n: 2 }]],
    ['a key with a special meaning', JSON.parse('{"__proto__":{"n":1},"n":2}') as object],
    ['such a key with a number', JSON.parse('{"b":1,"__proto__":2,"1":3}') as object],
  ])('each get() of an unchanged value returns a copy: %s', (_, value) => {
    const { ours } = create<object>(value);
    const text = JSON.stringify(value);
    for (let n = 0; n < 4; n++) {
      const got = ours.get() as Record<string, unknown>;
      expect(JSON.stringify(got)).toBe(text);
      expect(Object.getPrototypeOf(got)).toBe(Object.getPrototypeOf(value));
      for (const inner of Object.values(got))
        if (typeof inner === 'object' && inner !== null) Object.assign(inner, { n: 'changed' });
      for (const key of Object.keys(got)) got[key] = 'changed';
    }
  });

  test('get() reads a new version whose low half equals that of a kept one', () => {
    const { ours, theirs } = create<number>(1, { codec: 'int32' });
    const { words } = contextOf(arena);
    const at = ours.handle.address + GRANT;
    const word = words.load64(at);
    expect([ours.get(), ours.get()]).toEqual([1, 1]);
    // The eighth value is in the slot of the first.
    for (let n = 2; n <= 9; n++) theirs.set(n);
    expect(words.load64(at) & BigInt(SLOT_MASK)).toBe(word & BigInt(SLOT_MASK));
    // As after 2^28 sets.
    words.store64(at, word + 2n ** 32n);
    expect([ours.get(), ours.version]).toEqual([9, 2 ** 28]);
  });

  test('get() of a kept value throws after free()', () => {
    const { ours } = create({ n: 1 });
    for (let n = 0; n < 3; n++) expect(ours.get()).toEqual({ n: 1 });
    ours.free();
    expect(() => ours.get()).toThrow('was freed');
  });

  test('each instance keeps its own value, and a new instance starts with a new one', () => {
    const { ours, theirs } = create('a');
    expect([ours.hasChanged, ours.tryChanged(), ours.hasChanged, ours.tryChanged(), theirs.hasChanged]).toEqual([
      true,
      'a',
      false,
      undefined,
      true,
    ]);
    expect([theirs.changed(), theirs.tryChanged(1)]).toEqual(['a', undefined]);
    theirs.set('b');
    theirs.set('c');
    expect([theirs.hasChanged, ours.hasChanged, ours.tryChanged(Infinity), ours.hasChanged]).toEqual([
      false,
      true,
      'c',
      false,
    ]);
    expectCellAtRest(arena, ours);
  });

  test('set() admits all waiters, with the newest value', async () => {
    const { ours, theirs } = create(0, { codec: 'int32' });
    for (const cell of [ours, theirs]) cell.get();
    const waits = [ours, theirs, ours].map((cell) => cell.changedAsync());
    await turn();
    expect(ours.waiting).toBe(3);
    theirs.set(1);
    theirs.set(2);
    expect(await Promise.all(waits)).toEqual([2, 2, 2]);
    expectCellAtRest(arena, ours);
  });

  test('a set() before the wait ends the wait at once', async () => {
    const { ours, theirs } = create(0, { codec: 'int32' });
    ours.get();
    theirs.set(1);
    expect([await ours.changedAsync({ timeout: 0 }), ours.hasChanged]).toEqual([1, false]);
  });

  test('a wait that times out or is aborted does not affect the other waiters', async () => {
    const { ours, theirs } = create(0, { codec: 'int32', name: 'progress' });
    for (const cell of [ours, theirs]) cell.get();
    const controller = new AbortController();
    const [gone, late] = [theirs.changedAsync({ signal: controller.signal }), ours.changedAsync({ timeout: 2 })];
    const stays = theirs.changedAsync();
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: "WatchCell 'progress' did not change within 2 ms: version 0, 1 waiter in line. Nothing was changed.",
    });
    expect([ours.waiting, ours.tryChanged(1)]).toEqual([1, undefined]);
    ours.set(1);
    expect(await stays).toBe(1);
    expectCellAtRest(arena, ours);
  });

  test('set() of a wrong value throws and changes nothing', () => {
    const { ours, theirs } = create<unknown>('first', { maxBytes: 8, name: 'state' });
    expect(() => ours.set('a longer one')).toThrow(
      new RangeError("WatchCell 'state': a value may have at most 8 bytes, received one of 14. Nothing was changed."),
    );
    expect(() => ours.set(undefined)).toThrow(TypeError);
    expect([theirs.get(), ours.version]).toEqual(['first', 0]);
    expect(() => WatchCell.create('too long', { arena, maxBytes: 4 })).toThrow(
      'WatchCell: a value may have at most 4 bytes',
    );
    expect(() => create(0.5, { codec: 'int32' })).toThrow(RangeError);
    expect(() => create('1' as never, { codec: 'float64' })).toThrow(TypeError);
    expectCellAtRest(arena, ours);
  });

  test('get() throws the error of decode, and the next value is not affected', () => {
    const angry: WatchCodec<number> = {
      name: 'angry',
      encode: (value) => Uint8Array.of(value),
      decode: ([value = 0]) => {
        if (value === 1) throw new Error('mine');
        return value;
      },
    };
    const { ours } = create(0, { codec: angry });
    ours.set(1);
    expect(() => ours.get()).toThrow('mine');
    ours.set(2);
    expect(ours.get()).toBe(2);
  });

  test('thousands of sets and aborted waits use no more memory than the first few', async () => {
    const { ours, theirs } = create(0, { codec: 'int32' });
    for (const cell of [ours, theirs]) cell.get();
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const gone = [ours, theirs, ours].map((cell) =>
        cell.changedAsync({ signal: controller.signal }).catch(() => 'left'),
      );
      controller.abort();
      await Promise.all(gone);
    };
    const stays = theirs.changedAsync();
    // Until each agent has gathered the elements of its cancelled waits.
    for (let warm = 0; warm < 600; warm++) await round();
    const { used, elements } = arena.inspect();
    for (let count = 0; count < 500; count++) await round();
    expect(arena.inspect()).toMatchObject({ used, elements: { total: elements.total, waiting: 1 } });
    for (let n = 1; n < 1000; n++) ours.set(n);
    expect(await stays).toBe(999);
    expect(arena.inspect().used).toBe(used);
    expectCellAtRest(arena, ours);
  });

  test('close() ends the waits of readers that have the last value, and the others get it first', async () => {
    const { ours, theirs } = create('a', { name: 'progress' });
    ours.get();
    theirs.get();
    const waits = [ours.changedAsync(), theirs.changedAsync()];
    await turn();
    expect(ours.closed).toBe(false);
    theirs.close();
    const ended = { code: 'SLUICE_CLOSED', message: "WatchCell 'progress' is closed. Nothing was changed." };
    await Promise.all(waits.map((wait) => expect(wait).rejects.toMatchObject(ended)));
    const late = WatchCell.from<string>(ours.handle);
    expect([ours.closed, ours.hasChanged, late.hasChanged, late.changed(), late.hasChanged]).toEqual([
      true,
      false,
      true,
      'a',
      false,
    ]);
    for (const call of [() => late.changed(), () => late.tryChanged(), () => late.tryChanged(1)])
      expect(call).toThrow('is closed');
    expectCellAtRest(arena, ours);
    ours.free();
  });

  test('set() throws after close(), and leaves the last value and all slots', () => {
    const { ours, theirs } = create(0, { codec: 'int32' });
    ours.set(1);
    theirs.close();
    ours.close();
    for (let n = 0; n < 20; n++) expect(() => ours.set(2)).toThrow('is closed. Nothing was changed.');
    expect([theirs.get(), theirs.version, ours.inspect()]).toMatchObject([1, 1, { closed: true, version: 1 }]);
    expectCellAtRest(arena, ours);
  });

  test('a loop yields the newest values, including the last one before close(), and ends', async () => {
    const { ours, theirs } = create(0, { codec: 'int32' });
    const got: number[] = [];
    const loop = (async () => {
      for await (const value of theirs) got.push(value);
    })();
    await turn();
    ours.set(1);
    ours.set(2);
    await turn();
    ours.set(3);
    ours.close();
    await loop;
    expect(got).toEqual([0, 2, 3]);
    expectCellAtRest(arena, ours);
  });

  test('a loop that ends while its next() waits leaves the queue', async () => {
    const { ours, theirs } = create(0, { codec: 'int32' });
    const loop = theirs[Symbol.asyncIterator]();
    expect(await loop.next()).toEqual({ done: false, value: 0 });
    const next = loop.next();
    await turn();
    expect(ours.waiting).toBe(1);
    expect([await loop.return(), await next]).toEqual([{ done: true }, { done: true }]);
    ours.set(1);
    expect([theirs.tryChanged(), await loop.next()]).toEqual([1, { done: true, value: undefined }]);
    expectCellAtRest(arena, ours);
  });

  test('the properties and inspect() report name, arena and state', () => {
    const { ours, theirs } = create(1, { codec: 'int32', name: 'level' });
    ours.set(2);
    expect([ours.name, theirs.arena === other, String(theirs)]).toEqual(['level', true, "WatchCell 'level'"]);
    expect(theirs.inspect()).toEqual({ kind: 'watch-cell', name: 'level', version: 1, closed: false, waiters: [] });
    ours.free();
    for (const call of [
      () => theirs.get(),
      () => theirs.set(1),
      () => theirs.hasChanged,
      () => theirs.version,
      () => theirs.changed(),
    ])
      expect(call).toThrow('was freed');
  });

  test('free() throws while an agent waits', async () => {
    const { ours, theirs } = create(1, { codec: 'int32' });
    theirs.get();
    const wait = theirs.changedAsync();
    expect(() => ours.free()).toThrow('is in use and cannot be freed: version 0, 1 waiter in line');
    ours.set(2);
    await wait;
    ours.free();
  });
});

test('create() and from() have the type of the value', () => {
  const cell = WatchCell.create(1, { codec: 'float64' });
  expectTypeOf(cell).toEqualTypeOf<WatchCell<number>>();
  expectTypeOf(WatchCell.from(cell.handle).tryChanged()).toEqualTypeOf<number | undefined>();
  expectTypeOf(WatchCell.create({ a: 1 }).get()).toEqualTypeOf<{ a: number }>();
});
