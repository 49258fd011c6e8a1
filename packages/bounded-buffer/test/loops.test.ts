import { Arena, ClosedError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { CASES, valuesOf } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { until } from './support/until.ts';

const ARENAS = { wasm: Arena.create({ engine: 'wasm', maxPages: 64 }), js: Arena.create({ engine: 'js', maxPages: 64 }) };

describe.each(CASES)('$title', ({ engine, create, ...kind }) => {
  const all = valuesOf(kind, 0, 6);
  const make = (capacity: number): BoundedBuffer<unknown> => atEnd(create(ARENAS[engine], capacity), expectQuiet);

  test('for await gets every value as it comes and ends when the buffer is closed and empty', async () => {
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

  test('for of gets what is left and ends', () => {
    const buffer = make(6);
    buffer.pushMany(all);
    buffer.close();
    expect([[...buffer], [...buffer]]).toEqual([all, []]);
  });

  test('a loop that is left takes nothing more, and another goes on from there', async () => {
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

  test('loops of several tasks share the values, each of which comes once, and all end', async () => {
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

test('a loop ends only with the end of its buffer: what the codec throws goes through, also a ClosedError', async () => {
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

test('a loop that waits when its buffer is freed does not end as if it were closed', async () => {
  const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32' });
  buffer.free();
  const loop = async (): Promise<void> => {
    for await (const value of buffer) expect(value).toBe('never');
  };
  await expect(loop()).rejects.toMatchObject({ code: 'SLUICE_MISUSE' });
  expect(() => [...buffer]).toThrow('was freed');
});
