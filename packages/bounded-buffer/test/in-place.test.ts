// Values that are written and read in place in the ring, between values that are copied.

import { Arena, hasCode, MisuseError } from '@sluice/core';
import { Random } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { BoundedBuffer, BufferReader, BufferWriter } from '../src/index.ts';
import { atEnd, expectQuiet } from './support/rest.ts';

const arena = Arena.create({ maxPages: 64 });
const LATER = { ref: false } as const;

describe.each(['int32', 'float64'] as const)('a buffer of %s', (codec) => {
  const make = (capacity: number): BoundedBuffer<number> =>
    atEnd(BoundedBuffer.create({ arena, codec, capacity }), expectQuiet);

  test('claim() and peek() return views of the ring, and commit() and consume() move the given number of values', () => {
    const buffer = make(6);
    const [writer, reader] = [new BufferWriter(buffer), new BufferReader(buffer)];
    writer.claim(4)?.set([1, 2, 3, 9]);
    expect(buffer.length).toBe(0);
    writer.commit(3);
    expect([buffer.length, [...(reader.peek(2) ?? [])]]).toEqual([3, [1, 2]]);
    reader.consume(1);
    expect([buffer.pop(), [...(reader.peek() ?? [])]]).toEqual([2, [3]]);
    reader.cancel();
    expect(buffer.popMany()).toEqual([3]);
    expect([reader.peek(1, 0), reader.peek(1, 1)]).toEqual([undefined, undefined]);
    buffer.pushMany([1, 2, 3, 4, 5, 6]);
    expect([writer.claim(1, 0), buffer.popMany()]).toEqual([undefined, [1, 2, 3, 4, 5, 6]]);
  });

  test('claim() returns the same view for the same part of the ring', () => {
    const buffer = make(8);
    const writer = new BufferWriter(buffer);
    const views = new Set<unknown>();
    for (let round = 0; round < 100; round++) {
      views.add(writer.claim(4));
      writer.commit();
      buffer.popMany();
    }
    expect(views.size).toBe(2);
  });

  test.each([1, 2, 3])('random calls behave as a list does (seed %i)', (seed) => {
    const random = new Random(seed);
    const buffer = make(5);
    const [writer, reader] = [new BufferWriter(buffer), new BufferReader(buffer)];
    const list: number[] = [];
    let next = 0;
    const fill = (count: number): number[] => Array.from({ length: count }, () => next++);
    let wrapped = 0;
    for (let step = 0; step < 3000; step++) {
      const n = 1 + random.below(6);
      if (random.chance(2)) {
        const view = writer.claim(n, 0);
        expect(view === undefined).toBe(list.length === 5);
        if (view === undefined) continue;
        expect(view.length).toBeLessThanOrEqual(Math.min(n, 5 - list.length));
        if (view.length < Math.min(n, 5 - list.length)) wrapped += 1;
        const count = random.below(view.length + 1);
        const values = fill(count);
        view.set(values);
        if (random.chance(5)) writer.cancel();
        else {
          writer.commit(count);
          list.push(...values);
        }
      } else if (random.chance(4)) list.push(...(buffer.tryPush(next) ? fill(1) : []));
      else {
        const view = reader.peek(n, 0);
        expect([...(view ?? [])]).toEqual(list.slice(0, view?.length ?? 0));
        expect(view === undefined).toBe(list.length === 0);
        if (view === undefined) continue;
        const count = random.below(view.length + 1);
        reader.consume(count);
        list.splice(0, count);
      }
      expect(buffer.length).toBe(list.length);
    }
    expect(wrapped).toBeGreaterThan(3);
    expect(buffer.tryPopMany()).toEqual(list);
  });
});

test('random bytes, written in place or copied, across the end of the ring, come out unchanged', () => {
  const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 64 }), expectQuiet);
  const [writer, reader] = [new BufferWriter(buffer), new BufferReader(buffer)];
  const random = new Random(7);
  const list: number[][] = [];
  for (let step = 0; step < 5000; step++) {
    const value = Array.from({ length: random.below(20) }, () => random.below(256));
    if (random.chance(2)) {
      const more = random.below(8);
      const view = writer.claim(value.length + more, 0);
      if (view === undefined) continue;
      expect(view.length).toBe(value.length + more);
      view.set(value);
      writer.commit(value.length);
      list.push(value);
    } else if (random.chance(3)) {
      if (buffer.tryPush(Uint8Array.from(value))) list.push(value);
    } else if (random.chance(4)) {
      expect(buffer.tryPop() ?? 'none').toEqual(list.length === 0 ? 'none' : Uint8Array.from(list.shift() ?? []));
    } else {
      const view = reader.peek(1, 0);
      expect(view === undefined ? undefined : [...view]).toEqual(list[0]);
      if (view === undefined) continue;
      if (random.chance(3)) reader.consume(0);
      else {
        reader.consume();
        list.shift();
      }
    }
    expect(buffer.length).toBe(list.length);
  }
});

describe('misuse', () => {
  const open = (): readonly [BoundedBuffer<number>, BufferWriter<number>, BufferReader<number>] => {
    const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 4 }), expectQuiet);
    return [buffer, new BufferWriter(buffer), new BufferReader(buffer)];
  };

  test('a second claim, a push and a close while a claim is open throw MisuseError and change nothing', () => {
    const [buffer, writer] = open();
    writer.claim(2)?.set([1, 2]);
    for (const call of [
      () => writer.claim(1),
      () => buffer.push(9),
      () => buffer.tryPush(9),
      () => new BufferWriter(buffer).claim(1),
      () => buffer.close(),
    ]) {
      expect(call).toThrow(MisuseError);
    }
    writer.commit();
    expect(buffer.popMany()).toEqual([1, 2]);
  });

  test('a second peek and a pop while a peek is open throw MisuseError and change nothing', async () => {
    const [buffer, , reader] = open();
    buffer.pushMany([1, 2]);
    reader.peek();
    for (const call of [() => reader.peek(), () => buffer.pop(), () => buffer.tryPop()])
      expect(call).toThrow(MisuseError);
    // The other side still works.
    buffer.push(3);
    reader.consume(2);
    expect(await buffer.popAsync(LATER)).toBe(3);
  });

  test('commit() and consume() throw MisuseError without an open view, and RangeError for too many values', () => {
    const [buffer, writer, reader] = open();
    expect(() => writer.commit()).toThrow(MisuseError);
    expect(() => reader.consume()).toThrow(MisuseError);
    writer.cancel();
    writer.claim(2)?.fill(5);
    for (const n of [3, -1, 0.5]) expect(() => writer.commit(n)).toThrow(RangeError);
    writer.commit();
    reader.peek(1);
    expect(() => reader.consume(2)).toThrow(RangeError);
    reader.consume();
    expect(buffer.popMany()).toEqual([5]);
    for (const n of [0, -1, 1.5]) expect(() => writer.claim(n)).toThrow(RangeError);
  });

  test('writers and readers throw for a codec that converts, for too many bytes, and for a buffer with onTake', () => {
    const json = BoundedBuffer.create<number>({ arena, codec: 'json' });
    for (const make of [() => new BufferWriter(json), () => new BufferReader(json)])
      expect(make).toThrow("must be 'bytes', 'int32' or 'float64'");
    const slots = BoundedBuffer.create({ arena, codec: 'bytes', slotBytes: 8 });
    expect(() => new BufferWriter(slots).claim(9)).toThrow('may have 8 bytes, received one of 9');
    const watched = BoundedBuffer.from(slots.handle, { onTake: () => undefined });
    expect(() => new BufferReader(watched)).toThrow('onTake');
  });

  test('claim() of a closed buffer throws, and peek() still reads its values', () => {
    const [buffer, writer, reader] = open();
    buffer.push(1);
    buffer.close();
    expect(
      hasCode(
        failureOf(() => writer.claim(1)),
        'SLUICE_CLOSED',
      ),
    ).toBe(true);
    expect([...(reader.peek() ?? [])]).toEqual([1]);
    reader.consume();
    expect(
      hasCode(
        failureOf(() => reader.peek()),
        'SLUICE_CLOSED',
      ),
    ).toBe(true);
  });
});

function failureOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (failure) {
    return failure;
  }
}
