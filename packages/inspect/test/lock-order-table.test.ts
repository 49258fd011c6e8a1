// Tests the list that threads share, in one thread: each object of it is what one thread sees.

import { describe, expect, test } from 'vitest';
import { OrderTable } from '../src/lock-order/order-table.ts';

function read(table: OrderTable): unknown[] {
  const found: unknown[] = [];
  table.read((entry) => found.push(entry));
  return found;
}

/** The word that counts the entries: see order-table.ts and shared-table.ts. */
const CLAIMED = 2;

test('each thread reads each entry once, also its own', () => {
  const one = new OrderTable();
  const other = new OrderTable(one.memory);
  one.append({ n: 1 });
  expect(read(other)).toEqual([{ n: 1 }]);
  other.append({ n: 2 });
  expect([read(one), read(one), read(other)]).toEqual([[{ n: 1 }, { n: 2 }], [], [{ n: 2 }]]);
});

test('an entry whose thread ended before it was done holds up no other one', () => {
  const table = new OrderTable();
  Atomics.add(new Int32Array(table.memory), CLAIMED, 1);
  expect(table.append({ n: 2 })).toBe(1);
  expect([read(table), read(table)]).toEqual([[{ n: 2 }], []]);
});

test('the longest text that has room is taken, and none if all are too long', () => {
  const table = new OrderTable();
  const long = 'x'.repeat(2000);
  table.append({ long }, { short: 1 });
  expect(table.append({ long })).toBe(-1);
  expect(read(table)).toEqual([{ short: 1 }]);
});

test('a full list says so, and goes on to serve what it has', () => {
  const table = new OrderTable();
  const last = Array.from({ length: 3000 }, (_, n) => table.append({ n })).filter((entry) => entry >= 0).length;
  expect([last, table.isFull]).toEqual([2048, true]);
  expect(read(table)).toHaveLength(2048);
});

test('only one thread is the first for a text', () => {
  const one = new OrderTable();
  const other = new OrderTable(one.memory);
  expect([one.isFirst('a'), other.isFirst('a'), other.isFirst('b'), one.isFirst('b')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('the class of a lock is known to all threads', () => {
  const one = new OrderTable();
  const other = new OrderTable(one.memory);
  for (let lock = 1; lock <= 1000; lock++) one.setClass(7, lock * 64, 3, lock);
  expect(Array.from({ length: 1000 }, (_, at) => other.classOf(7, (at + 1) * 64, 3))).toEqual(
    Array.from({ length: 1000 }, (_, at) => at + 1),
  );
  expect([other.classOf(8, 64, 3), other.classOf(7, 65, 3), other.classOf(7, 64, 4)]).toEqual([-1, -1, -1]);
});

test('a lock at the address of a freed one takes its place, so the table has room for a program that goes on', () => {
  const one = new OrderTable();
  const other = new OrderTable(one.memory);
  for (let tag = 1; tag <= 50_000; tag++) one.setClass(7, 64 * (tag % 100) + 64, tag, tag);
  const last = Array.from({ length: 100 }, (_, at) => 49_901 + at);
  expect(last.map((tag) => other.classOf(7, 64 * (tag % 100) + 64, tag))).toEqual(last);
  // The freed locks have no class any more.
  expect(last.map((tag) => other.classOf(7, 64 * (tag % 100) + 64, tag - 100))).toEqual(last.map(() => -1));
});

test('a lock without room has no class, and those before it keep theirs', () => {
  const table = new OrderTable();
  for (let lock = 1; lock <= 20_000; lock++) table.setClass(7, lock * 64, 3, lock);
  const known = Array.from({ length: 20_000 }, (_, at) => table.classOf(7, (at + 1) * 64, 3));
  expect(known.filter((entry) => entry >= 0).length).toBeGreaterThan(14_000);
  expect(known.every((entry, at) => entry === at + 1 || entry === -1)).toBe(true);
});

test.each([64, 0])('a buffer of another size or version is no table: %i bytes', (bytes) => {
  expect(OrderTable.is(new SharedArrayBuffer(bytes === 0 ? new OrderTable().memory.byteLength : bytes))).toBe(false);
});

/** All orders of the steps of two threads, each thread's in its own order. */
function* merged<Step>(one: readonly Step[], other: readonly Step[]): Generator<Step[]> {
  if (one.length === 0 || other.length === 0) yield [...one, ...other];
  else {
    for (const rest of merged(one.slice(1), other)) yield [one[0] as Step, ...rest];
    for (const rest of merged(one, other.slice(1))) yield [other[0] as Step, ...rest];
  }
}

/** Of two threads that each append an entry: the least number of threads that see both, over all orders of their steps. */
function leastWitnesses(
  steps: (table: OrderTable, see: (entries: unknown[]) => void) => readonly (() => void)[],
): number {
  const orders = [...merged([0, 0], [1, 1])];
  return Math.min(
    ...orders.map((order) => {
      const first = new OrderTable();
      const threads = [first, new OrderTable(first.memory)].map((table) => {
        const seen: unknown[] = [];
        return { seen, steps: [...steps(table, (entries) => seen.push(...entries))] };
      });
      for (const thread of order) threads[thread]?.steps.shift()?.();
      return threads.filter(({ seen }) => seen.length === 2).length;
    }),
  );
}

describe('two threads that close a cycle together, in each order of their steps', () => {
  test('one of them sees both entries, because each appends before it reads', () => {
    expect(leastWitnesses((table, see) => [() => table.append({}), () => see(read(table))])).toBe(1);
  });

  test('none would see both if they read before', () => {
    expect(leastWitnesses((table, see) => [() => see(read(table)), () => see(table.append({}) >= 0 ? [{}] : [])])).toBe(
      0,
    );
  });
});
