import { Readable } from 'node:stream';
import { Arena, ClosedError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { CASES, valuesOf } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { until } from './support/until.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const ARENAS = { wasm: Arena.create({ maxPages: 64 }), js: Arena.create({ engine: engineNamed('js'), maxPages: 64 }) };

describe.each(CASES)('$title', ({ engine, create, ...kind }) => {
  const all = valuesOf(kind, 0, 6);
  const make = (capacity: number): BoundedBuffer<unknown> => atEnd(create(ARENAS[engine], capacity), expectQuiet);

  test('for await yields every value and ends when the buffer is closed and empty', async () => {
    const buffer = make(2);
    const seen: unknown[] = [];
    const loop = (async () => {
      for await (const value of buffer) seen.push(value);
    })();
    for (const value of all) await buffer.pushAsync(value);
    await until(() => seen.length === all.length);
    buffer.close();
    await loop;
    expect(seen).toEqual(all);
  });

  test('for of yields the remaining values and ends', () => {
    const buffer = make(6);
    buffer.pushMany(all);
    buffer.close();
    expect([[...buffer], [...buffer]]).toEqual([all, []]);
  });

  test('a loop that ends early takes no further value, and another loop continues from there', async () => {
    const buffer = make(6);
    buffer.pushMany(all);
    for await (const value of buffer) {
      expect([value, buffer.length]).toEqual([all[0], 5]);
      break;
    }
    for (const value of buffer) {
      expect([value, buffer.length]).toEqual([all[1], 4]);
      break;
    }
    const failing = async (): Promise<void> => {
      for await (const value of buffer) throw new Error(`broken at ${String(value === all[2])}`);
    };
    await expect(failing()).rejects.toThrow('broken at');
    buffer.close();
    const rest: unknown[] = [];
    for await (const value of buffer) rest.push(value);
    expect(rest).toEqual(all.slice(3));
  });

  test('loops of several tasks share the values without duplicates, and all end with the buffer', async () => {
    const buffer = make(2);
    const seen: unknown[] = [];
    const loops = Array.from({ length: 3 }, async () => {
      let mine = 0;
      for await (const value of buffer) {
        seen.push(value);
        mine += 1;
      }
      return mine;
    });
    await turn();
    for (const value of all) await buffer.pushAsync(value);
    await until(() => seen.length === all.length);
    buffer.close();
    expect((await Promise.all(loops)).reduce((sum, mine) => sum + mine)).toBe(all.length);
    expect(seen).toEqual(all);
  });
});

test("a loop throws the codec's errors, even a ClosedError, and ends only with its buffer", async () => {
  const angry: Codec<number> = {
    name: 'angry',
    encode: (value) => Uint8Array.of(value),
    decode: ([value]) => {
      if (value === 1) throw new ClosedError('mine');
      return value ?? 0;
    },
  };
  const buffer = BoundedBuffer.create<number>({ arena: ARENAS.wasm, codec: angry, slotBytes: 4 });
  buffer.pushMany([1, 1, 2]);
  buffer.close();
  const loop = async (): Promise<void> => {
    for await (const value of buffer) expect(value).toBe('never');
  };
  await expect(loop()).rejects.toThrow('mine');
  expect(() => [...buffer]).toThrow('mine');
  expect([...buffer]).toEqual([2]);
  expectQuiet(buffer);
});

describe('a blocking loop', () => {
  const DONE = { done: true, value: undefined };
  const filled = (): BoundedBuffer<number> => {
    const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32', capacity: 4 });
    buffer.pushMany([1, 2, 3]);
    return buffer;
  };

  test('a blocking loop that ends early takes no further value, and another loop continues from there', () => {
    const buffer = filled();
    for (const value of buffer) if (value === 1) break;
    const [returned, thrown] = [buffer[Symbol.iterator](), buffer[Symbol.iterator]()];
    expect([returned.next(), returned.return(), returned.next()]).toEqual([{ done: false, value: 2 }, DONE, DONE]);
    expect(() => thrown.throw(new Error('enough'))).toThrow('enough');
    expect([thrown.next(), buffer.pop()]).toEqual([DONE, 3]);
    expectQuiet(buffer);
  });

  test('a blocking loop that threw yields no further values', () => {
    const buffer = filled();
    const loop = buffer[Symbol.iterator]();
    buffer.free();
    expect(() => loop.next()).toThrow('was freed');
    expect(loop.next()).toEqual(DONE);
  });

  test('is an iterator of the language, with all of its methods', () => {
    const buffer = filled();
    const loop = buffer[Symbol.iterator]();
    const common = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object;
    expect(Object.prototype.isPrototypeOf.call(common, loop)).toBe(true);
    expect(loop[Symbol.iterator]()).toBe(loop);
    loop[Symbol.dispose]();
    expect(loop.next()).toEqual(DONE);
  });
});

test('a loop that waits when its buffer is freed throws', async () => {
  const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32' });
  buffer.free();
  const loop = async (): Promise<void> => {
    for await (const value of buffer) expect(value).toBe('never');
  };
  await expect(loop()).rejects.toMatchObject({ code: 'SLUICE_MISUSE' });
  expect(() => [...buffer]).toThrow('was freed');
});

describe('a loop that ends while its next() waits', () => {
  const make = (): BoundedBuffer<number> =>
    atEnd(BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32', capacity: 4 }), expectQuiet);
  const DONE = { done: true, value: undefined };

  test('by return(): the pending next() ends without a value, its wait ends, and the next value goes to another consumer', async () => {
    const buffer = make();
    const loop = buffer[Symbol.asyncIterator]();
    const nexts = [loop.next(), loop.next()];
    await turn();
    expect(buffer.inspect().consumers).toHaveLength(2);
    expect(await loop.return(undefined)).toEqual(DONE);
    expect([await Promise.all(nexts), buffer.inspect().consumers]).toEqual([[DONE, DONE], []]);
    buffer.push(1);
    await turn();
    expect([buffer.length, await loop.next(), buffer.pop()]).toEqual([1, DONE, 1]);
  });

  test('by throw(): the same, and the error is thrown', async () => {
    const buffer = make();
    const loop = buffer[Symbol.asyncIterator]();
    const next = loop.next();
    await expect(loop.throw(new Error('mine'))).rejects.toThrow('mine');
    expect([await next, await loop.next(), buffer.inspect().consumers]).toEqual([DONE, DONE, []]);
  });

  test('a loop that ends at any moment after a value came has the value in its result, or leaves it in the buffer', async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      const buffer = make();
      const loop = buffer[Symbol.asyncIterator]();
      const next = loop.next();
      await turn();
      buffer.push(7);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      await loop.return(undefined);
      const { value } = await next;
      expect([value, buffer.tryPop()].filter((one) => one !== undefined)).toEqual([7]);
    }
  });

  test('does not affect another loop or other calls', async () => {
    const buffer = make();
    const [one, other] = [buffer[Symbol.asyncIterator](), buffer[Symbol.asyncIterator]()];
    const [first, second, third] = [one.next(), other.next(), buffer.popAsync()];
    await one.return(undefined);
    buffer.pushMany([1, 2]);
    expect([await first, await second, await third]).toEqual([DONE, { done: false, value: 1 }, 2]);
    buffer.close();
    expect(await other.next()).toEqual(DONE);
  });

  test('as a destroyed stream: no value is lost', async () => {
    const buffer = make();
    const stream = Readable.from(buffer);
    const seen: unknown[] = [];
    stream.on('data', (value) => seen.push(value));
    buffer.push(1);
    await until(() => seen.length === 1);
    await until(() => buffer.inspect().consumers.length === 1);
    stream.destroy();
    await until(() => buffer.inspect().consumers.length === 0);
    buffer.push(2);
    await turn();
    expect([seen, buffer.length, buffer.tryPop()]).toEqual([[1], 1, 2]);
  });
});
