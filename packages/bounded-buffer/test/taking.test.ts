// Reports on values that pass: counts, room, and each value at the moment it is taken.

import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer } from '../src/index.ts';
import { ENGINES } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

describe.each(ENGINES)('%s', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 8 });
  const other = secondAgent(arena);

  test('the counts of pushed and popped values, and the room, are exact', () => {
    const numbers = atEnd(BoundedBuffer.create({ arena, codec: 'float64', capacity: 5 }), expectQuiet);
    numbers.pushMany([1, 2, 3]);
    numbers.pop();
    expect([numbers.pushed, numbers.popped, numbers.length, numbers.room]).toEqual([3, 1, 2, 3]);
    const bytes = atEnd(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 64 }), expectQuiet);
    bytes.pushMany([new Uint8Array(0), new Uint8Array(5)]);
    expect([bytes.pushed, bytes.popped, bytes.room]).toEqual([2, 0, 64 - 4 - 12]);
    bytes.push(new Uint8Array(bytes.room - 4));
    expect([bytes.room, bytes.tryPush(new Uint8Array(0))]).toEqual([0, false]);
    bytes.popMany();
    expect([bytes.pushed, bytes.popped, bytes.room]).toEqual([3, 3, 64]);
  });

  test('onTake gets every value that this agent takes, in any form, before the value counts as taken', async () => {
    const ours = atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 8 }), expectQuiet);
    const seen: unknown[] = [];
    const theirs = openAs(other, ours.handle, (handle) =>
      BoundedBuffer.from<number>(handle, { onTake: (packed) => seen.push([packed, ours.popped]) }),
    );
    ours.pushMany([10, 11, 12, 13, 14, 15]);
    expect([theirs.pop(), ours.pop(), theirs.tryPop(), await theirs.popAsync(), theirs.popMany()]).toEqual([
      10,
      11,
      12,
      13,
      [14, 15],
    ]);
    const wait = theirs.popAsync();
    await turn();
    ours.push(16);
    expect(await wait).toBe(16);
    expect(seen).toEqual([
      [10, 0],
      [12, 2],
      [13, 3],
      [14, 4],
      [15, 4],
      [16, 6],
    ]);
  });

  test('onTake gets bytes before they are decoded, and must be a function', () => {
    const ours = atEnd(BoundedBuffer.create<string>({ arena, slotBytes: 8 }), expectQuiet);
    const seen: unknown[] = [];
    const twin = BoundedBuffer.from<string>(ours.handle, { onTake: (packed) => seen.push(packed) });
    ours.push('é');
    expect([twin.pop(), seen]).toEqual(['é', [new Uint8Array(Buffer.from('"é"'))]]);
    expect(() => BoundedBuffer.from<string>(ours.handle, { onTake: 5 as never })).toThrow(TypeError);
  });

  test('a value for which onTake throws stays in the buffer, and other consumers continue', () => {
    const ours = atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 8 }), expectQuiet);
    const fail = (): never => {
      throw new Error('mine');
    };
    const twin = BoundedBuffer.from<number>(ours.handle, { onTake: fail });
    ours.pushMany([1, 2]);
    for (const call of [() => twin.pop(), () => twin.tryPop(), () => twin.popMany()]) expect(call).toThrow('mine');
    expect(ours.popMany()).toEqual([1, 2]);
  });

  test('closeAsync() closes the buffer as close() does, and may be called again', async () => {
    const ours = atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 2 }), expectQuiet);
    const wait = ours.popAsync();
    ours.push(1);
    await Promise.all([ours.closeAsync(), ours.closeAsync()]);
    expect([ours.closed, await wait, ours.tryPush.length > 0]).toEqual([true, 1, true]);
    await expect(ours.popAsync()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});
