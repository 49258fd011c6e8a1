// Guards of several permits, and what they leave in the records of the semaphore.

import { expect, test } from 'vitest';
import { Arena, PermitGuard, Semaphore } from '../src/index.ts';
import { dispose } from '../src/lock.ts';

const arena = Arena.create({ maxPages: 8 });

function create(permits: number, options: { readonly recovery?: boolean; readonly max?: number } = {}): Semaphore {
  return Semaphore.create(permits, { arena, name: 'slots', ...options });
}

test('a guard releases its permits once, however it was made', async () => {
  const slots = create(5);
  slots.acquire();
  const guards = [PermitGuard.hold(slots, 2), PermitGuard.tryHold(slots), await PermitGuard.holdAsync(slots), new PermitGuard(slots)];
  expect([slots.available, guards.map((guard) => guard?.permits), PermitGuard.tryHold(slots)]).toEqual([0, [2, 1, 1, 1], null]);
  for (const guard of guards) {
    guard?.release();
    guard?.release();
    expect([guard?.held, guard?.permits]).toEqual([false, 0]);
  }
  expect([slots.available, slots.inspect().holders]).toEqual([5, []]);
});

test('split() and merge() move permits and release none', () => {
  const slots = create(5);
  const guard = PermitGuard.hold(slots, 5);
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

test('a part of the permits lets the next waiter in', async () => {
  const slots = create(3);
  const guard = PermitGuard.hold(slots, 3);
  const wait = slots.acquireAsync(2);
  guard.split(1).release();
  expect(slots.waiting).toBe(1);
  guard.split(1).release();
  await wait;
  expect([slots.waiting, guard.permits]).toEqual([0, 1]);
});

test('wrong calls move nothing', () => {
  const [slots, others] = [create(5), create(5)];
  const [guard, same, foreign, gone] = [PermitGuard.hold(slots, 2), PermitGuard.hold(slots), PermitGuard.hold(others), PermitGuard.hold(slots)];
  gone.release();
  for (const count of [0, 3, -1, 1.5]) expect(() => guard.split(count)).toThrow("The guard of Semaphore 'slots' holds 2: the number to split off must be a whole number from 1 to 2");
  expect(() => guard.split('1' as never)).toThrow(TypeError);
  expect(() => gone.split(1)).toThrow(RangeError);
  const merges = [
    [guard, guard, 'they are the same guard'],
    [guard, foreign, 'they are of different semaphores'],
    [guard, gone, 'one of them holds no permit'],
    [gone, guard, 'one of them holds no permit'],
  ] as const;
  for (const [into, from, why] of merges) expect(() => into.merge(from)).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE', message: expect.stringContaining(`${why}. Nothing was moved.`) as string }));
  for (const wrong of [undefined, {}, slots.hold()]) expect(() => guard.merge(wrong as never)).toThrow(TypeError);
  for (const wrong of [undefined, {}, slots.handle]) expect(() => PermitGuard.hold(wrong as never)).toThrow(TypeError);
  expect(() => new PermitGuard(slots, 0)).toThrow(RangeError);
  expect([guard.permits, same.permits, foreign.permits, slots.available]).toEqual([2, 1, 1, 1]);
  expect(() => structuredClone(guard)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
});

test('permits that the semaphore refuses stay with the guard', () => {
  const slots = create(2, { max: 2 });
  const guard = PermitGuard.hold(slots, 2);
  slots.release(2);
  expect(() => guard.release()).toThrow(RangeError);
  expect([guard.held, guard.permits, slots.available]).toEqual([true, 2, 2]);
  slots.acquire();
  guard.split(1).release();
  expect([guard.permits, slots.available]).toEqual([1, 2]);
});

test('guards that together hold more than a release can give back are not merged', () => {
  const most = 2 ** 31 - 1;
  const slots = create(most);
  const guard = PermitGuard.hold(slots, most);
  slots.release();
  const other = PermitGuard.hold(slots);
  expect(() => guard.merge(other)).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE', message: expect.stringContaining('together they hold more than 2147483647 permits. Nothing was moved.') as string }));
  expect([guard.permits, other.permits]).toEqual([most, 1]);
});

test('forget() takes the permits out of the semaphore for good', () => {
  for (const recovery of [true, false]) {
    const slots = create(5, { recovery });
    const guard = PermitGuard.hold(slots, 3);
    expect([guard.split(2).forget(), guard.permits, slots.available]).toEqual([2, 1, 2]);
    guard.release();
    expect([guard.forget(), slots.available, slots.inspect().holders]).toEqual([0, 3, []]);
    expect(slots.tryAcquire(4)).toBe(false);
    slots.acquire(3);
    slots.release(3);
    expect(slots.available).toBe(3);
  }
});

test('after forget() the errors name the permits that are left', async () => {
  const slots = create(2);
  PermitGuard.hold(slots).forget();
  slots.acquire();
  await expect(slots.acquireAsync(1, { timeout: 0 })).rejects.toThrow('0 of 1 available');
  slots.release();
});

test('forget() of a freed semaphore is refused', () => {
  const slots = create(1);
  const guard = PermitGuard.hold(slots);
  slots.free();
  expect(() => guard.forget()).toThrow('was freed');
});
