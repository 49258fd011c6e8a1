// Tests guards of several permits, and their entries in the records of the semaphore.

import { Arena } from '@sluice/core';
import { dispose } from '@sluice/core/calls';
import { expect, test } from 'vitest';
import { ResizableSemaphore } from '../src/index.ts';
import { PermitGuard } from '../src/permit-guard.ts';
import './support/kinds.ts';

const arena = Arena.create({ maxPages: 8 });
const create = (permits: number): ResizableSemaphore => ResizableSemaphore.create(permits, { arena, name: 'slots' });

test('a guard releases its permits exactly once, however it was made', async () => {
  const slots = create(5);
  slots.acquire();
  const guards = [
    slots.acquireGuard(2),
    slots.tryAcquireGuard(),
    await slots.acquireGuardAsync(),
    new PermitGuard(slots, 1),
  ];
  expect([slots.available, guards.map((guard) => guard?.permits), slots.tryAcquireGuard()]).toEqual([
    0,
    [2, 1, 1, 1],
    null,
  ]);
  for (const guard of guards) {
    guard?.release();
    guard?.release();
    expect([guard?.held, guard?.permits]).toEqual([false, 0]);
  }
  expect([slots.available, slots.inspect().holders]).toEqual([5, []]);
});

test('split() and merge() move permits and release none', () => {
  const slots = create(5);
  const guard = slots.acquireGuard(5);
  const [one, two] = [guard.split(1), guard.split(2)];
  expect([guard.permits, one.permits, two.permits, slots.available]).toEqual([2, 1, 2, 0]);
  one.release();
  expect(slots.available).toBe(1);
  guard.merge(two);
  expect([guard.permits, two.permits, two.held, slots.available]).toEqual([4, 0, false, 1]);
  two.release();
  expect(slots.available).toBe(1);
  const rest = guard.split(4);
  expect([guard.held, rest.permits]).toEqual([false, 4]);
  rest[dispose]();
  expect([slots.available, slots.inspect().holders]).toEqual([5, []]);
});

test('release() of a split guard serves the next waiter', async () => {
  const slots = create(3);
  const guard = slots.acquireGuard(3);
  const wait = slots.acquireGuardAsync(2);
  guard.split(1).release();
  expect(slots.waiting).toBe(1);
  guard.split(1).release();
  (await wait).release();
  expect([slots.waiting, guard.permits]).toEqual([0, 1]);
});

test('forget() removes the permits from the semaphore for good', () => {
  const slots = create(5);
  const guard = slots.acquireGuard(3);
  expect([guard.split(2).forget(), guard.permits, slots.available, slots.size]).toEqual([2, 1, 2, 3]);
  guard.release();
  expect([guard.forget(), slots.available, slots.size, slots.inspect().holders]).toEqual([0, 3, 3, []]);
  expect(slots.tryAcquire(4)).toBe(false);
  slots.forget(slots.drain());
  expect([slots.size, slots.available, slots.debt]).toEqual([0, 0, 0]);
});

test('wrong calls throw and move no permit', () => {
  const [slots, others] = [create(5), create(5)];
  const [guard, same, foreign, gone] = [
    slots.acquireGuard(2),
    slots.acquireGuard(),
    others.acquireGuard(),
    slots.acquireGuard(),
  ];
  gone.release();
  for (const count of [0, 3, -1, 1.5])
    expect(() => guard.split(count)).toThrow(
      "ResizableSemaphore 'slots': permits to split off a guard of 2 must be a whole number from 1 to 2",
    );
  expect(() => guard.split('1' as never)).toThrow(TypeError);
  expect(() => gone.split(1)).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }));
  const merges = [
    [guard, guard, 'it is the same guard'],
    [guard, foreign, 'another semaphore'],
    [guard, gone, 'one of them holds no permit'],
    [gone, guard, 'one of them holds no permit'],
  ] as const;
  for (const [into, from, why] of merges) {
    expect(() => into.merge(from)).toThrow(
      expect.objectContaining({
        code: 'SLUICE_MISUSE',
        message: expect.stringMatching(new RegExp(`${why}.*Nothing was moved\\.`)) as string,
      }),
    );
  }
  for (const wrong of [undefined, {}, slots.hold()]) expect(() => guard.merge(wrong as never)).toThrow(TypeError);
  expect(() => new PermitGuard(slots, 0)).toThrow(RangeError);
  expect(() => structuredClone(guard)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
  expect([guard.permits, same.permits, foreign.permits, slots.available]).toEqual([2, 1, 1, 1]);
});

test('merge() throws if the guards together hold more permits than one release may have', () => {
  const most = 2 ** 31 - 1;
  const slots = create(most);
  const guard = slots.acquireGuard(most);
  slots.release();
  const other = slots.acquireGuard();
  expect(() => guard.merge(other)).toThrow('together they hold more than 2147483647 permits');
  expect([guard.permits, other.permits]).toEqual([most, 1]);
});

test('permits that the semaphore does not accept stay with the guard', () => {
  const most = 2 ** 31 - 1;
  const slots = create(most);
  const guard = slots.acquireGuard(2);
  slots.release(2);
  expect(() => guard.release()).toThrow(RangeError);
  expect([guard.held, guard.permits]).toEqual([true, 2]);
  slots.acquire();
  guard.split(1).release();
  expect([guard.permits, slots.available]).toEqual([1, most]);
});

test('forget() throws after the semaphore was freed', () => {
  const slots = create(1);
  const guard = slots.acquireGuard();
  slots.free();
  expect(() => guard.forget()).toThrow('was freed');
  expect(guard.held).toBe(true);
});
