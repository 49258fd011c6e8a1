// The types of handles: a handle carries the type of the values. The compiler checks this file.

import { expect, expectTypeOf, test } from 'vitest';
import { BoundedBuffer, type BoundedBufferHandle } from '../src/index.ts';

test('from() returns a buffer with the value type of its handle', () => {
  const numbers = BoundedBuffer.create({ codec: 'float64', capacity: 2 });
  const bytes = BoundedBuffer.create({ codec: 'bytes', capacity: 2, slotBytes: 8 });
  const jobs = BoundedBuffer.create<{ readonly url: string }>({ ringBytes: 256 });
  expectTypeOf(BoundedBuffer.from(numbers.handle)).toEqualTypeOf<BoundedBuffer<number>>();
  expectTypeOf(BoundedBuffer.from(bytes.handle)).toEqualTypeOf<BoundedBuffer<Uint8Array>>();
  expectTypeOf(BoundedBuffer.from(jobs.handle).tryPop()).toEqualTypeOf<{ readonly url: string } | undefined>();
  // @ts-expect-error -- its values are numbers
  expect(BoundedBuffer.from<string>(numbers.handle)).toBeInstanceOf(BoundedBuffer);
});

test('a handle without a value type takes the requested type', () => {
  const plain: BoundedBufferHandle = BoundedBuffer.create({ codec: 'int32', capacity: 2 }).handle;
  const asked: BoundedBuffer<number> = BoundedBuffer.from(plain);
  expectTypeOf(BoundedBuffer.from<number>(plain)).toEqualTypeOf<BoundedBuffer<number>>();
  expectTypeOf(BoundedBuffer.from(plain)).toEqualTypeOf<BoundedBuffer<unknown>>();
  asked.push(7);
  expect(BoundedBuffer.from(plain).pop()).toBe(7);
});

test('the value type adds no property to a handle, which can be cloned', () => {
  const { handle } = BoundedBuffer.create({ codec: 'int32', capacity: 2 });
  expect('values' in handle).toBe(false);
  expect(structuredClone({ ...handle, memory: undefined })).toMatchObject({ codec: 'int32' });
});
