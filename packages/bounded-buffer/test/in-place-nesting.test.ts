// Other calls of an agent on a buffer while its claim or peek is open.

import { Arena, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { jsEngine } from '@sluice/core/js';
import { turn } from '../../core/test/support/turn.ts';
import { jsBoundedBuffer } from '../src/js.ts';
import { BoundedBuffer, BufferReader, BufferWriter } from '../src/index.ts';
import { atEnd, expectQuiet } from './support/rest.ts';

const LATER = { ref: false } as const;

describe.each(['wasm', 'js'] as const)('a claim or peek that is open (%s)', (engine) => {
  const arena = Arena.create({ maxPages: 64, ...(engine === 'js' ? { engine: jsEngine.with(jsBoundedBuffer) } : {}) });
  const make = (): BoundedBuffer<number> =>
    atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity: 4, name: 'open' }), expectQuiet);

  test.each([
    ['pushAsync', (buffer: BoundedBuffer<number>) => buffer.pushAsync(9, LATER)],
    ['pushManyAsync', (buffer: BoundedBuffer<number>) => buffer.pushManyAsync([9, 9], LATER)],
    ['closeAsync', (buffer: BoundedBuffer<number>) => buffer.closeAsync()],
  ])('makes %s() of the same side reject with MisuseError, and nothing changes, for a claim', async (_, call) => {
    const buffer = make();
    const writer = new BufferWriter(buffer);
    writer.claim(2)?.set([1, 2]);
    await expect(call(buffer)).rejects.toThrow(MisuseError);
    writer.commit();
    expect(buffer.popMany()).toEqual([1, 2]);
    buffer.push(3);
    expect(buffer.pop()).toBe(3);
  });

  test.each([
    ['popAsync', (buffer: BoundedBuffer<number>) => buffer.popAsync(LATER)],
    ['popManyAsync', (buffer: BoundedBuffer<number>) => buffer.popManyAsync(2, LATER)],
    ['next', (buffer: BoundedBuffer<number>) => buffer[Symbol.asyncIterator]().next()],
  ])('makes %s() of the same side reject with MisuseError, and nothing changes, for a peek', async (_, call) => {
    const buffer = make();
    const reader = new BufferReader(buffer);
    buffer.pushMany([1, 2, 3]);
    reader.peek(2);
    await expect(call(buffer)).rejects.toThrow(MisuseError);
    reader.consume();
    expect(buffer.popMany()).toEqual([3]);
  });

  test('stays open while an async pop of the agent waits', async () => {
    const buffer = make();
    const writer = new BufferWriter(buffer);
    writer.claim(2)?.set([1, 2]);
    const popped = buffer.popAsync(LATER);
    expect(() => buffer.push(9)).toThrow(MisuseError);
    await turn();
    expect(() => buffer.tryPush(9)).toThrow(MisuseError);
    writer.commit();
    expect([await popped, buffer.pop(), buffer.length]).toEqual([1, 2, 0]);
  });

  test('stays open while an async push of the agent waits, and consume() makes room for the push', async () => {
    const buffer = make();
    const reader = new BufferReader(buffer);
    buffer.pushMany([1, 2, 3, 4]);
    reader.peek(2);
    const pushed = buffer.pushAsync(5, LATER);
    await turn();
    expect(() => buffer.tryPop()).toThrow(MisuseError);
    reader.consume();
    await pushed;
    expect(buffer.popMany()).toEqual([3, 4, 5]);
  });

  test('an agent may have a claim and a peek open at once', () => {
    const buffer = make();
    const [writer, reader] = [new BufferWriter(buffer), new BufferReader(buffer)];
    buffer.pushMany([1, 2]);
    writer.claim(2)?.set([3, 4]);
    expect([...(reader.peek() ?? [])]).toEqual([1, 2]);
    reader.consume();
    expect(() => buffer.push(9)).toThrow(MisuseError);
    writer.commit();
    expect(buffer.popMany()).toEqual([3, 4]);
  });
});

describe('messages of writers and readers', () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 4, name: 'samples' });
  const [writer, reader] = [new BufferWriter(buffer), new BufferReader(buffer)];

  test.each([
    [
      'commit() without a claim',
      () => writer.commit(),
      "BoundedBuffer 'samples': no claim of this BufferWriter is open. Call claim() first.",
    ],
    [
      'consume() without a peek',
      () => reader.consume(),
      "BoundedBuffer 'samples': no peek of this BufferReader is open. Call peek() first.",
    ],
    [
      'claim(0)',
      () => writer.claim(0),
      "BoundedBuffer 'samples': the number to claim must be a whole number from 1 to 2147483647: received 0",
    ],
    [
      'a second claim()',
      () => (writer.claim(1), writer.claim(1)),
      "BoundedBuffer 'samples': a claim of this BufferWriter is open. Call commit() or cancel() first.",
    ],
  ])('%s throws an error that names the buffer and the next call', (_, call, message) => {
    expect(call).toThrow(message);
    writer.cancel();
    expect(buffer.length).toBe(0);
    expectQuiet(buffer);
  });

  test.each([[buffer.handle], [undefined], [5], [{}]])(
    'a writer or reader over %o throws a TypeError that says what was received',
    (value) => {
      for (const Class of [BufferWriter, BufferReader]) {
        expect(() => new Class(value as never)).toThrow(/^The buffer must be a BoundedBuffer: received /);
      }
    },
  );
});
