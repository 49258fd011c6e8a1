// Calls for several values: as many as there are, or as there is room for.

import { Arena, ClosedError, TimeoutError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer } from '../src/index.ts';
import { CASES, ENGINES, valuesOf } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const ARENAS = { wasm: Arena.create({ maxPages: 64 }), js: Arena.create({ engine: engineNamed('js'), maxPages: 64 }) };

describe.each(CASES)('$title', ({ engine, create, ...kind }) => {
  const make = (capacity: number): BoundedBuffer<unknown> => atEnd(create(ARENAS[engine], capacity), expectQuiet);

  test('pushMany() pushes as many as fit, and popMany() takes all values up to its maximum', () => {
    const buffer = make(5);
    expect([buffer.pushMany(valuesOf(kind, 0, 3)), buffer.pushMany(valuesOf(kind, 3, 9)), buffer.length]).toEqual([
      3, 2, 5,
    ]);
    expect(buffer.popMany(2)).toEqual(valuesOf(kind, 0, 2));
    expect([buffer.pushMany(valuesOf(kind, 5, 20)), buffer.length]).toEqual([2, 5]);
    expect([buffer.popMany(), buffer.length]).toEqual([valuesOf(kind, 2, 7), 0]);
  });

  test('the non-blocking forms push nothing into a full buffer and take nothing from an empty one', () => {
    const buffer = make(2);
    expect([buffer.tryPopMany(), buffer.tryPopMany(3), buffer.tryPopMany(1, 1)]).toEqual([[], [], []]);
    expect([buffer.tryPushMany([]), buffer.tryPushMany(valuesOf(kind, 0, 3))]).toEqual([0, 2]);
    expect([buffer.tryPushMany(valuesOf(kind, 2, 3)), buffer.tryPushMany(valuesOf(kind, 2, 5), 1)]).toEqual([0, 0]);
    expect(buffer.tryPopMany(7)).toEqual(valuesOf(kind, 0, 2));
  });

  test('pushMany([]) returns 0, with or without room', async () => {
    const buffer = make(1);
    buffer.push(kind.value(1));
    expect([buffer.pushMany([]), buffer.tryPushMany([]), await buffer.pushManyAsync([])]).toEqual([0, 0, 0]);
    expect(buffer.popMany()).toEqual([kind.value(1)]);
  });

  test('a waiter gets at least one value, and further values if no agent waits behind it', async () => {
    const buffer = make(4);
    const first = buffer.popManyAsync(3);
    const second = buffer.popManyAsync();
    await turn();
    expect(buffer.pushMany(valuesOf(kind, 0, 4))).toBe(4);
    const taken = [await first, await second];
    expect(taken.map(({ length }) => length > 0)).toEqual([true, true]);
    expect([...taken.flat(), ...buffer.tryPopMany()]).toEqual(valuesOf(kind, 0, 4));
    buffer.pushMany(valuesOf(kind, 0, 4));
    const push = buffer.pushManyAsync(valuesOf(kind, 4, 9));
    await turn();
    expect(buffer.popMany(2)).toEqual(valuesOf(kind, 0, 2));
    const count = await push;
    expect(count).toBeGreaterThanOrEqual(1);
    expect(buffer.popMany()).toEqual(valuesOf(kind, 2, 4 + count));
  });
});

describe.each(ENGINES)('%s', (engine) => {
  const arena = ARENAS[engine];

  test('pushMany() stops at the first value that does not fit', () => {
    const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 64 }), expectQuiet);
    const all = [20, 20, 20, 0, 1].map((length) => new Uint8Array(length).fill(length));
    // 24 bytes each with their lengths: 16 are left.
    expect([buffer.pushMany(all), buffer.length]).toEqual([2, 2]);
    expect(buffer.tryPushMany(all.slice(2))).toBe(0);
    expect(buffer.tryPush(new Uint8Array(12))).toBe(true);
    expect(buffer.popMany(1)).toEqual(all.slice(0, 1));
    expect(buffer.pushMany(all.slice(2))).toBe(1);
    expect(buffer.popMany().map(({ length }) => length)).toEqual([20, 12, 20]);
  });

  test('pushMany() with one wrong value pushes none', async () => {
    const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 8 }), expectQuiet);
    expect(() => buffer.pushMany([1, 2, 0.5])).toThrow(RangeError);
    expect(() => buffer.tryPushMany([1, '2' as unknown as number])).toThrow(TypeError);
    await expect(Promise.resolve().then(() => buffer.pushManyAsync([1, Number.NaN]))).rejects.toThrow(RangeError);
    expect(buffer.length).toBe(0);
  });

  test('a timeout, an abort and close() reject with the same errors as for a single push or pop', async () => {
    const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 1 }), expectQuiet);
    await expect(buffer.popManyAsync(3, { timeout: 1 })).rejects.toThrow(TimeoutError);
    await expect(buffer.popManyAsync(3, { signal: AbortSignal.abort('why') })).rejects.toBe('why');
    buffer.push(7);
    await expect(buffer.pushManyAsync([1, 2], { timeout: 1 })).rejects.toThrow(TimeoutError);
    buffer.close();
    expect(() => buffer.pushMany([1])).toThrow(ClosedError);
    expect(() => buffer.tryPushMany([1])).toThrow(ClosedError);
    await expect(buffer.pushManyAsync([1, 2])).rejects.toThrow(ClosedError);
    expect(await buffer.popManyAsync()).toEqual([7]);
    expect(() => buffer.popMany()).toThrow(ClosedError);
    expect(() => buffer.tryPopMany()).toThrow(ClosedError);
    await expect(buffer.popManyAsync()).rejects.toThrow(ClosedError);
  });

  test('pushManyAsync() with a wrong value rejects instead of throwing', () => {
    const buffer = BoundedBuffer.create({ arena, codec: 'int32', capacity: 8 });
    expect(() => void buffer.pushManyAsync([0.5]).catch(() => undefined)).not.toThrow();
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 31, '3', null])('popMany(%j) throws in every form', async (most) => {
    const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 8 }), expectQuiet);
    buffer.push(1);
    const Refused = typeof most === 'number' ? RangeError : TypeError;
    for (const call of [() => buffer.popMany(most as number), () => buffer.tryPopMany(most as number)])
      expect(call).toThrow(Refused);
    await expect(buffer.popManyAsync(most as number)).rejects.toThrow(Refused);
    expect(buffer.popMany()).toEqual([1]);
  });
});
