import { expect, test } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';
import { withoutAges } from './support/without-ages.ts';

const arena = Arena.create({ maxPages: 16 });

test("name and max return the options of create(), or '' and Infinity", () => {
  const bounded = Semaphore.create(1, { arena, name: 'open files', max: 4 });
  expect([bounded.name, bounded.max]).toEqual(['open files', 4]);
  const plain = Semaphore.create(1, { arena });
  expect([plain.name, plain.max]).toEqual(['', Infinity]);
});

test('a name may have any characters, up to 60 bytes of UTF-8', () => {
  const name = '門'.repeat(20);
  expect(Semaphore.create(1, { arena, name }).name).toBe(name);
});

test('acquire() takes up to 2,147,483,647 permits in one call', () => {
  const most = 2 ** 31 - 1;
  const sem = Semaphore.create(most, { arena });
  sem.acquire(most);
  expect(sem.available).toBe(0);
  sem.release(most);
  expect(sem.drain()).toBe(most);
});

test('an unbounded semaphore may have more free permits than one call can take', () => {
  const most = 2 ** 31 - 1;
  const sem = Semaphore.create(most, { arena });
  sem.release(most);
  sem.release(2);
  expect(sem.available).toBe(2 ** 32);
  expect(sem.tryAcquire(most)).toBe(true);
  expect(sem.drain()).toBe(most + 2);
});

test('release() of a bounded semaphore accepts exactly as many permits as fit', () => {
  const sem = Semaphore.create(2, { arena, max: 3 });
  sem.release();
  expect(() => sem.release()).toThrow(RangeError);
  expect(sem.available).toBe(3);
  sem.acquire(3);
  expect(() => sem.release(4)).toThrow(RangeError);
  sem.release(3);
  expect(sem.available).toBe(3);
});

test('a bounded semaphore counts permits released to waiters as taken', async () => {
  const sem = Semaphore.create(0, { arena, max: 2 });
  const waits = [sem.acquireAsync(), sem.acquireAsync()];
  sem.release(2);
  await Promise.all(waits);
  expect(sem.available).toBe(0);
  sem.release(2);
  expect(sem.available).toBe(2);
});

test('run() returns the result of its body, and holds the permits meanwhile', () => {
  const sem = Semaphore.create(3, { arena });
  expect(sem.run(() => sem.available, 2)).toBe(1);
  expect(sem.available).toBe(3);
});

test('runAsync() holds its permits until the promise settles, with many bodies at the same time', async () => {
  const sem = Semaphore.create(3, { arena });
  let inside = 0;
  let most = 0;
  const body = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 30 }, () => sem.runAsync(body)));
  expect([most, inside, sem.available]).toEqual([3, 0, 3]);
});

test('release() of a guard of hold() or holdAsync() releases all its permits', async () => {
  const sem = Semaphore.create(5, { arena });
  const first = sem.hold(2);
  const second = await sem.holdAsync(3);
  expect([sem.available, sem.tryHold()]).toEqual([0, null]);
  first.release();
  first.release();
  expect(sem.available).toBe(2);
  second.release();
  expect(sem.available).toBe(5);
});

test('two instances of one semaphore share its state', async () => {
  const sem = Semaphore.create(1, { arena });
  const twin = Semaphore.from(sem.handle);
  twin.acquire();
  expect(sem.available).toBe(0);
  const wait = sem.acquireAsync();
  expect(twin.waiting).toBe(1);
  twin.release();
  await wait;
  expect(withoutAges(twin.inspect())).toEqual(withoutAges(sem.inspect()));
});

test('create() without an arena uses the default arena of the realm', () => {
  const sem = Semaphore.create(1);
  expect(sem.handle.arena).toBe(Arena.default().id);
});
