import { expect, test } from 'vitest';
import { Arena, HandleError, MisuseError, Region } from '../src/index.ts';

const arena = Arena.create({ maxPages: 64 });

test('a new region is all zero and has the requested length and its name', () => {
  const region = Region.create(100, { arena, name: 'tally' });
  expect([region.byteLength, region.name, region.bytes.byteLength]).toEqual([100, 'tally', 100]);
  expect(region.bytes.every((byte) => byte === 0)).toBe(true);
});

test('the views of a region cover the same bytes, in whole elements', () => {
  const region = Region.create(21, { arena });
  expect([region.bytes.length, region.int32.length, region.float64.length]).toEqual([21, 5, 2]);
  region.float64[0] = Math.PI;
  region.int32[4] = -1;
  expect(new DataView(region.bytes.buffer, region.bytes.byteOffset).getFloat64(0, true)).toBe(Math.PI);
  expect([...region.bytes.subarray(16)]).toEqual([255, 255, 255, 255, 0]);
});

test('the bytes of a region are shared memory, aligned for every kind of element', () => {
  const region = Region.create(8, { arena });
  expect(region.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(region.bytes.byteOffset % 128).toBe(0);
});

test('two regions share no byte', () => {
  const regions = Array.from({ length: 50 }, (_, index) => Region.create(1 + index * 37, { arena }));
  for (const [index, region] of regions.entries()) region.bytes.fill(index + 1);
  for (const [index, region] of regions.entries()) expect(region.bytes.every((byte) => byte === index + 1)).toBe(true);
});

test('from() of a handle returns a region with the same bytes', () => {
  const region = Region.create(16, { arena, name: 'shared' });
  region.int32[3] = 42;
  const twin = Region.from(region.handle);
  expect([twin.byteLength, twin.name, twin.int32[3]]).toEqual([16, 'shared', 42]);
});

test('the bytes of a freed region are zero when another region reuses them', () => {
  const region = Region.create(5000, { arena });
  region.bytes.fill(255);
  const { address } = region.handle;
  region.free();
  const next = Region.create(5000, { arena });
  expect(next.handle.address).toBe(address);
  expect(next.bytes.every((byte) => byte === 0)).toBe(true);
});

test('all members of a freed region throw, and so does from() of its handle', () => {
  const region = Region.create(16, { arena });
  const twin = Region.from(region.handle);
  region.free();
  const uses = [
    () => region.name,
    () => region.bytes,
    () => region.int32,
    () => twin.float64,
    () => twin.free(),
    () => region.free(),
  ];
  for (const use of uses) expect(use).toThrow(MisuseError);
  expect(() => Region.from(region.handle)).toThrow(HandleError);
});
