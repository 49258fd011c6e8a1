// Tests that NumberSlots hold the same bytes as ByteSlots with the codecs for numbers.

import { describe, expect, test } from 'vitest';
import { ByteSlots, slotStride } from '../src/slots/byte-slots.ts';
import { NumberSlots } from '../src/slots/number-slots.ts';
import { packedForSlots, slotsFor } from '../src/slots/slots.ts';
import { codecOf, fixedBytes, RefusedValue } from '../../core/src/values/value-codec.ts';

const INTEGERS = [0, 1, -1, 255, 256, -256, 0x12345678, 2 ** 31 - 1, -(2 ** 31)];
const DOUBLES = [...INTEGERS, -0, 0.1, Math.PI, -1e300, 5e-324, Number.MAX_VALUE, Infinity, -Infinity, NaN];
const COUNT = 3;
const AT = 64;

describe.each([
  ['int32', INTEGERS],
  ['float64', DOUBLES],
] as const)('NumberSlots (%s)', (name, numbers) => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const codec = codecOf(name);
  const most = fixedBytes(name) as number;
  const plan = { what: 'slots', at: AT, count: COUNT, stride: slotStride(most), most };
  const numeric = new NumberSlots(name, memory, plan);
  const bytewise = new ByteSlots(codec, memory, plan);
  const bytes = (): number[] => [...new Uint8Array(memory.buffer, AT, COUNT * plan.stride)];

  test.each(numbers)('%d has the same bytes in NumberSlots and ByteSlots', (number) => {
    for (let slot = 0; slot < COUNT; slot++) {
      new Uint8Array(memory.buffer).fill(0);
      bytewise.write(slot, bytewise.pack(number));
      const written = bytes();
      expect(numeric.unpack(numeric.read(slot))).toBe(number);
      new Uint8Array(memory.buffer).fill(0);
      numeric.write(slot, numeric.pack(number));
      expect(bytes()).toEqual(written);
      expect(bytewise.unpack(bytewise.read(slot))).toBe(number);
    }
  });

  test('NumberSlots and ByteSlots refuse the same values with the same message', () => {
    for (const wrong of ['1', null, undefined, {}, 1n, ...(name === 'int32' ? [0.5, 2 ** 31, -0.1, NaN] : [])]) {
      const refusals = [
        () => numeric.pack(wrong),
        () => bytewise.pack(wrong),
        () => packedForSlots(codec, most, wrong),
      ].map((pack) => {
        try {
          return pack();
        } catch (failure) {
          return failure instanceof RefusedValue ? `${failure.Kind.name}: ${failure.message}` : failure;
        }
      });
      expect(refusals[0]).toMatch(/^(Type|Range)Error: a value must be a /);
      expect(refusals).toEqual(Array(3).fill(refusals[0]));
    }
  });

  test('slotsFor() returns NumberSlots for this codec, and ByteSlots for json and bytes', () => {
    expect(slotsFor(codec, memory, plan)).toBeInstanceOf(NumberSlots);
    for (const other of ['json', 'bytes']) expect(slotsFor(codecOf(other), memory, plan)).toBeInstanceOf(ByteSlots);
    expect(packedForSlots(codec, most, numbers[2])).toBe(numbers[2]);
  });
});
