// The errors of calls on a closed buffer.

import { ClosedError } from '@sluice/core';
import { expect, test } from 'vitest';
import { BoundedBuffer } from '../src/index.ts';

function closed(name: string | undefined, values: readonly number[] = []): BoundedBuffer<number> {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 2, name });
  buffer.pushMany(values);
  buffer.close();
  return buffer;
}

test.each([
  ['jobs', "BoundedBuffer 'jobs'"],
  [undefined, 'BoundedBuffer at address'],
])("pop() of a closed, empty buffer named %s throws 'closed and empty'", async (name, title) => {
  const buffer = closed(name);
  const message =
    name === undefined ? `${title} ${buffer.handle.address} is closed and empty.` : `${title} is closed and empty.`;
  expect(() => buffer.pop()).toThrow(new ClosedError(message));
  expect(() => buffer.tryPop()).toThrow(new ClosedError(message));
  expect(() => buffer.popMany()).toThrow(new ClosedError(message));
  await expect(buffer.popAsync()).rejects.toThrow(new ClosedError(message));
});

test("push() of a closed buffer throws 'is closed', with values left and without", async () => {
  const message = "BoundedBuffer 'jobs' is closed.";
  const buffer = closed('jobs', [1]);
  expect(() => buffer.push(2)).toThrow(new ClosedError(message));
  expect([buffer.pop(), buffer.length]).toEqual([1, 0]);
  expect(() => buffer.tryPush(2)).toThrow(new ClosedError(message));
  await expect(buffer.pushAsync(2)).rejects.toThrow(new ClosedError(message));
});

test('waiting consumers and producers get the same error when the buffer is closed', async () => {
  const make = (name: string): BoundedBuffer<number> => BoundedBuffer.create({ codec: 'int32', capacity: 1, name });
  const [empty, full] = [make('a'), make('b')];
  full.push(1);
  const waits: readonly Promise<unknown>[] = [empty.popAsync(), full.pushAsync(2)];
  for (const buffer of [empty, full]) buffer.close();
  const told = (await Promise.allSettled(waits)).map((end) =>
    end.status === 'rejected' ? (end.reason as Error).message : '',
  );
  expect(told).toEqual(["BoundedBuffer 'a' is closed and empty.", "BoundedBuffer 'b' is closed."]);
});
