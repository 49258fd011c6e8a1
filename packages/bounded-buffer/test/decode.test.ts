// Codecs that fail: the call takes the value that does not decode and throws for it, and no other value is lost.

import { Arena, ClosedError, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { ENGINES } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

/** A codec of odd numbers: an even one can be pushed, but its decode throws. */
const ODD: Codec<number> = {
  name: 'odd',
  encode: (value) => new Uint8Array([value]),
  decode: ([value = 0]) => {
    if (value % 2 === 0) throw new RangeError(`${value} is even`);
    return value;
  },
};

type Batch = (buffer: BoundedBuffer<number>, most?: number) => number[] | Promise<number[]>;

const BATCHES: readonly (readonly [call: string, batch: Batch])[] = [
  ['popMany', (buffer, most) => buffer.popMany(most)],
  ['tryPopMany', (buffer, most) => buffer.tryPopMany(most)],
  ['popManyAsync', (buffer, most) => buffer.popManyAsync(most)],
];

describe.each(ENGINES)('%s', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 8 });
  const other = secondAgent(arena);
  const create = (codec = ODD): BoundedBuffer<number> =>
    atEnd(BoundedBuffer.create({ arena, codec, slotBytes: 1, capacity: 8 }), expectQuiet);
  const call = async <T>(act: () => T | Promise<T>): Promise<T> => act();

  test.each(BATCHES)(
    '%s returns the values before one that does not decode, then throws for it, then continues',
    async (_, batch) => {
      const buffer = create();
      buffer.pushMany([1, 3, 4, 6, 5, 7]);
      expect([await batch(buffer), buffer.length, buffer.popped]).toEqual([[1, 3], 4, 2]);
      await expect(call(() => batch(buffer))).rejects.toThrow('4 is even');
      expect([buffer.length, buffer.popped]).toEqual([3, 3]);
      await expect(call(() => batch(buffer))).rejects.toThrow('6 is even');
      expect([await batch(buffer, 1), await batch(buffer), buffer.length]).toEqual([[5], [7], 0]);
    },
  );

  test.each(BATCHES)('%s does not decode values beyond its maximum', async (_, batch) => {
    const buffer = create();
    buffer.pushMany([1, 3, 4]);
    expect([await batch(buffer, 2), buffer.length]).toEqual([[1, 3], 1]);
    await expect(call(() => batch(buffer))).rejects.toThrow(RangeError);
  });

  test('popManyAsync() that had to wait does the same', async () => {
    const buffer = create();
    const wait = buffer.popManyAsync();
    const next = buffer.popManyAsync();
    buffer.pushMany([1, 4]);
    expect(await wait).toEqual([1]);
    await expect(next).rejects.toThrow('4 is even');
    expect(buffer.length).toBe(0);
  });

  test('onTake gets a value that does not decode when the value is taken, and not before', () => {
    const ours = create();
    const seen: unknown[] = [];
    const theirs = openAs(other, ours.handle, (handle) =>
      BoundedBuffer.from<number>(handle, { codec: ODD, onTake: (packed) => seen.push((packed as Uint8Array)[0]) }),
    );
    ours.pushMany([1, 4, 5]);
    expect([theirs.popMany(), seen]).toEqual([[1], [1]]);
    expect(() => theirs.popMany()).toThrow(RangeError);
    expect([theirs.popMany(), seen]).toEqual([[5], [1, 4, 5]]);
  });

  test('a value that does not decode frees its room, and a waiting producer uses it', async () => {
    const buffer = atEnd(BoundedBuffer.create({ arena, codec: ODD, slotBytes: 1, capacity: 2 }), expectQuiet);
    buffer.pushMany([4, 1]);
    const push = buffer.pushAsync(3);
    expect(() => buffer.popMany()).toThrow(RangeError);
    await push;
    expect(buffer.popMany()).toEqual([1, 3]);
  });

  test.each([
    ['pop', (buffer: BoundedBuffer<number>) => buffer.pop()],
    ['tryPop', (buffer: BoundedBuffer<number>) => buffer.tryPop()],
    ['popAsync', (buffer: BoundedBuffer<number>) => buffer.popAsync()],
  ])('%s throws for a value that does not decode, and takes only that value', async (_, pop) => {
    const buffer = create();
    buffer.pushMany([4, 5]);
    await expect(call(() => pop(buffer))).rejects.toThrow('4 is even');
    expect([buffer.length, await pop(buffer)]).toEqual([1, 5]);
  });

  test("a loop ends with the codec's error, and the next loop continues behind that value", async () => {
    const buffer = create();
    buffer.pushMany([1, 4, 5, 6, 7]);
    buffer.close();
    const seen: number[] = [];
    const loop = (): void => {
      for (const value of buffer) seen.push(value);
    };
    const loopAsync = async (): Promise<void> => {
      for await (const value of buffer) seen.push(value);
    };
    expect(loop).toThrow('4 is even');
    await expect(loopAsync()).rejects.toThrow('6 is even');
    await loopAsync();
    expect([seen, buffer.length]).toEqual([[1, 5, 7], 0]);
    expect(() => buffer.popMany()).toThrow(ClosedError);
  });

  test('a decode or onTake that calls its own buffer throws, and does not wait for itself', () => {
    let nested: () => unknown = () => undefined;
    const buffer = create({ ...ODD, decode: () => nested() as number });
    buffer.pushMany([1, 3, 5]);
    for (const use of [() => buffer.pop(), () => buffer.tryPop(), () => buffer.popMany(), () => buffer.tryPop(1000)]) {
      nested = use;
      buffer.push(7);
      expect(() => buffer.popMany()).toThrow(MisuseError);
    }
    const twin = BoundedBuffer.from<number>(buffer.handle, { codec: ODD, onTake: () => buffer.tryPop() });
    expect(() => twin.pop()).toThrow(MisuseError);
    expect([buffer.length, BoundedBuffer.from<number>(buffer.handle, { codec: ODD }).popMany()]).toEqual([
      3,
      [7, 7, 7],
    ]);
  });
});
