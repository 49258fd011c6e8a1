// Values that lie across the end of the ring, and positions that wrap.

import { Arena } from '@sluice/core';
import { Session } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { BLOCK_LINE } from '../../core/src/kernel/layout.ts';
import { BoundedBuffer } from '../src/index.ts';
import { POSITION, SEEN } from '../src/kernel/layout.ts';
import { CASES, ENGINES, valuesOf } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const ARENAS = { wasm: Arena.create({ maxPages: 64 }), js: Arena.create({ engine: engineNamed('js'), maxPages: 64 }) };

/**
 * Starts both sides of an empty buffer at these positions: that much room used and returned, that many values written
 * and read.
 */
function begin({ arena, handle: { address } }: BoundedBuffer<unknown>, room: number, values: number): void {
  const { words } = contextOf(arena);
  const position = (BigInt.asUintN(32, BigInt(values)) << 32n) | BigInt.asUintN(32, BigInt(room));
  for (const which of [1, 2]) {
    words.store64(address + which * BLOCK_LINE + POSITION, BigInt.asIntN(64, position));
    words.store64(address + which * BLOCK_LINE + SEEN, BigInt.asIntN(64, position));
  }
}

function bytesOf(length: number, first: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => first + at * 3);
}

const EDGES = [2 ** 31, 2 ** 32];
const BELOW = EDGES.flatMap((room) => EDGES.map((values) => [room, values] as const));

describe.each(CASES)('$title', ({ engine, create, ...kind }) => {
  test.each(BELOW)('positions may pass %i (room) and %i (values)', async (room, values) => {
    // A value takes 1 to 16 units, so its middle, its begin and its end each meet the limit.
    for (const before of [1, 3, 20]) {
      const buffer = create(ARENAS[engine], 3);
      begin(buffer, room - before, values - 2);
      const all = valuesOf(kind, 0, 12);
      expect([buffer.length, buffer.tryPop(), buffer.pushMany(all), buffer.tryPush(all[3]), buffer.length]).toEqual([
        0,
        undefined,
        3,
        false,
        3,
      ]);
      for (let next = 3; next < 12; next++) {
        const wait = buffer.pushAsync(all[next]);
        expect([buffer.length, buffer.pop()]).toEqual([3, all[next - 3]]);
        await wait;
      }
      expect([buffer.popMany(), buffer.length]).toEqual([all.slice(9), 0]);
      expectQuiet(buffer);
      buffer.free();
    }
  });
});

describe.each(ENGINES)('%s', (engine) => {
  const arena = ARENAS[engine];

  test.each([8, 12, 16, 20, 32, 64])('a ring of %i bytes has values of all lengths at all positions', (ringBytes) => {
    const buffer = atEnd(BoundedBuffer.create({ arena, codec: 'bytes', ringBytes }), expectQuiet);
    const most = ringBytes - 4;
    const wrong: [length: number, place: number][] = [];
    for (let length = 0; length <= most; length++) {
      for (let place = 0; place < 16; place++) {
        begin(buffer, place, 0);
        const value = bytesOf(length, place);
        if (!buffer.tryPush(value) || Buffer.compare(buffer.pop(), value) !== 0) wrong.push([length, place]);
      }
    }
    expect(wrong).toEqual([]);
    expect(() => buffer.push(new Uint8Array(most + 1))).toThrow(RangeError);
  });

  test('values of random lengths come out as from a plain queue', () => {
    const session = new Session(`buffer against a queue (${engine})`);
    const { random } = session;
    let operations = 0;
    for (let round = 0; round < 8; round++) {
      const ringBytes = random.between(8, 200);
      const slots = random.chance(30) ? random.between(1, 5) : undefined;
      const placed = { arena, codec: 'bytes' } as const;
      const slotBytes = random.between(1, 20);
      const buffer = BoundedBuffer.create(
        slots === undefined ? { ...placed, ringBytes } : { ...placed, capacity: slots, slotBytes },
      );
      begin(buffer, random.pick([0, 2 ** 31 - random.below(300), 2 ** 32 - random.below(300)]), -random.below(100));
      const room = slots === undefined ? Math.floor(ringBytes / 4) : slots * (1 + Math.ceil(slotBytes / 4));
      const unitsOf = ({ length }: Uint8Array): number =>
        slots === undefined ? 1 + Math.ceil(length / 4) : room / slots;
      const most = slots === undefined ? 4 * (room - 1) : slotBytes;
      const queue: Uint8Array[] = [];
      const used = (): number => queue.reduce((sum, value) => sum + unitsOf(value), 0);
      for (let step = 0; step < 400; step++) {
        operations += 1;
        const values = Array.from({ length: random.chance(25) ? random.between(2, 6) : 1 }, () =>
          bytesOf(random.below(random.chance(20) ? most + 1 : Math.min(most, 9) + 1), random.below(256)),
        );
        if (random.chance(50)) {
          let fitting = 0;
          for (let units = used(); fitting < values.length; fitting++) {
            units += unitsOf(values[fitting] as Uint8Array);
            if (units > room) break;
          }
          expect(
            values.length === 1 ? Number(buffer.tryPush(values[0] as Uint8Array)) : buffer.tryPushMany(values),
          ).toBe(fitting);
          queue.push(...values.slice(0, fitting));
        } else if (random.chance(70)) {
          expect(buffer.tryPop()).toEqual(queue.shift());
        } else {
          const count = random.between(1, 4);
          expect(buffer.tryPopMany(count)).toEqual(queue.splice(0, count));
        }
        expect(buffer.length).toBe(queue.length);
      }
      expect(buffer.tryPopMany()).toEqual(queue);
      expectQuiet(buffer);
      buffer.free();
    }
    session.done(operations);
  });
});
