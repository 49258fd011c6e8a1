// Tests handles, values and errors of another realm, at every class.

import { expect, test } from 'vitest';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { clonedThere, there } from '../../../packages/core/test/support/other-realm.ts';
import { Lazy } from '../../../packages/event/src/index.ts';
import { PACKAGES, SAMPLES } from './samples.ts';

interface Opener {
  from(handle: unknown): object;
}

/** Classes whose `from` takes the lock or the semaphore, too. */
const NEED_A_LOCK: readonly string[] = ['Condition', 'CapacitorLock', 'SemaphoreCapacitor'];

/** Classes whose `from` opens the handles of their instances. */
const OPENED = SAMPLES.flatMap(({ name, make }) => {
  const owner = Object.values(PACKAGES)
    .map((exported) => exported[name])
    .find((found) => typeof (found as Partial<Opener> | undefined)?.from === 'function') as Opener | undefined;
  return owner === undefined || NEED_A_LOCK.includes(name) ? [] : [{ className: name, owner, make }];
});

test('most classes open handles', () => {
  expect(OPENED.length).toBeGreaterThan(25);
});

test.each(OPENED)('$className.from() opens a handle of another realm', ({ owner, make }) => {
  const { handle } = make() as { readonly handle: object };
  expect((owner.from(clonedThere(handle)) as { readonly handle: { readonly kind?: string } }).handle.kind).toBe(
    (handle as { readonly kind?: string }).kind,
  );
});

const BYTES = 'new Uint8Array([7, 8])';

test('bytes of another realm are accepted by every primitive that carries values', () => {
  const value = there(BYTES) as Uint8Array;
  const buffer = BoundedBuffer.create({ codec: 'bytes' });
  buffer.push(value);
  buffer.pushMany([value]);
  expect(buffer.popMany().map((each) => [...each])).toEqual([
    [7, 8],
    [7, 8],
  ]);
  const cell = WatchCell.create(value, { codec: 'bytes', maxBytes: 8 });
  cell.set(value);
  expect([...cell.get()]).toEqual([7, 8]);
  const broadcast = Broadcast.create({ codec: 'bytes', capacity: 4, maxBytes: 8 });
  const heard = broadcast.subscribe();
  broadcast.publish(value);
  expect([...heard.next()]).toEqual([7, 8]);
  expect([...Lazy.create({ codec: 'bytes', capacity: 8 }).get(() => value)]).toEqual([7, 8]);
});

test('a codec may return bytes of another realm', () => {
  const codec = {
    name: 'theirs',
    encode: () => there(BYTES) as Uint8Array,
    decode: (bytes: Uint8Array) => bytes.length,
  };
  const buffer = BoundedBuffer.create({ codec });
  buffer.push(1);
  expect(buffer.pop()).toBe(2);
});

test('a typed array of another realm is accepted as a batch, and a DataView is not', () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 8 });
  expect(buffer.pushMany(there('new Int32Array([1, 2])') as Int32Array)).toBe(2);
  expect(buffer.popMany()).toEqual(expect.objectContaining({ 0: 1, 1: 2, length: 2 }));
  expect(() => buffer.pushMany(there('new DataView(new ArrayBuffer(8))') as never)).toThrow(
    'the values must be an array',
  );
});
