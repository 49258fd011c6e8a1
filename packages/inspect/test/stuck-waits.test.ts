// Tests which waits a look returns, and when the next one is due, on a clock of the test.

import { expect, test } from 'vitest';
import { StuckWaits } from '../src/stuck/stuck-waits.ts';
import type { SeenWait } from '../src/stuck/waits.ts';

function wait(agent: number, since: number): SeenWait {
  return { key: `${agent} ${since}`, agent, how: 'blocking', block: 128, since };
}

test('a wait is returned when it is older than the limit, once', () => {
  const waits = new StuckWaits(5000);
  const all = [wait(1, 1000)];
  expect(waits.look(() => all, 1000)).toEqual({ stuck: [], next: 5100 });
  expect(waits.look(() => all, 5900)).toEqual({ stuck: [], next: 200 });
  expect(waits.look(() => all, 6000)).toEqual({ stuck: all, next: 5100 });
  expect(waits.look(() => all, 60_000)).toEqual({ stuck: [], next: 5100 });
});

test('the next look comes 100 ms after the oldest new wait is too old, and no later than 100 ms after the limit', () => {
  const waits = new StuckWaits(5000);
  expect(waits.look(() => [wait(1, 7000), wait(2, 6000)], 8000).next).toBe(3100);
  // A wait that begins right after this look is too old after 5,000 ms.
  expect(waits.look(() => [], 8000).next).toBe(5100);
  // A clock that went back.
  expect(waits.look(() => [wait(3, 900_000)], 8000).next).toBe(5100);
});

test('with a limit of less than 100 ms a look comes later by that limit', () => {
  const waits = new StuckWaits(20);
  expect(waits.look(() => [wait(1, 990)], 1000)).toEqual({ stuck: [], next: 30 });
});

test('a later wait of the same agent is reported again', () => {
  const waits = new StuckWaits(10);
  expect(waits.look(() => [wait(1, 0)], 10).stuck).toHaveLength(1);
  expect(waits.look(() => [wait(1, 5)], 15).stuck).toEqual([wait(1, 5)]);
});

test('a wait that one look does not find is still the same wait, and one that two looks do not find has ended', () => {
  const waits = new StuckWaits(10);
  expect(waits.look(() => [wait(1, 0)], 10).stuck).toHaveLength(1);
  expect(waits.look(() => [], 20).stuck).toEqual([]);
  expect(waits.look(() => [wait(1, 0)], 30).stuck).toEqual([]);
  for (const now of [40, 50]) expect(waits.look(() => [], now).stuck).toEqual([]);
  expect(waits.look(() => [wait(1, 0)], 60).stuck).toHaveLength(1);
});

test('a wait that only the first of two reads finds is not returned, and looked for again soon', () => {
  const waits = new StuckWaits(5000);
  const reads = [[wait(1, 0), wait(2, 0)], [wait(2, 0)]];
  expect(waits.look(() => reads.shift() ?? [], 5000)).toEqual({ stuck: [wait(2, 0)], next: 100 });
});
