import { expect, test } from 'vitest';
import { bypasses, summarizeBypass } from '../src/lib/bypass.mjs';

/** The definition, in quadratic time: admitted before, and came after. */
function counted(arrivals: readonly number[]): number[] {
  return arrivals.map((arrival, i) => arrivals.slice(0, i).filter((other) => other > arrival).length);
}

test('nobody is passed where all are admitted in the order in which they came', () => {
  expect([...bypasses(Int32Array.of(0, 1, 2, 3))]).toEqual([0, 0, 0, 0]);
});

test('who waits while others come and go is passed by each of them', () => {
  expect([...bypasses(Int32Array.of(1, 2, 3, 0, 4))]).toEqual([0, 0, 0, 3, 0]);
});

test('every record of up to six admissions gives what counting gives', () => {
  const check = (record: number[], left: number[]): void => {
    if (left.length === 0) expect([...bypasses(Int32Array.from(record))]).toEqual(counted(record));
    for (const next of left) check([...record, next], left.filter((other) => other !== next));
  };
  for (let length = 0; length <= 6; length++) check([], Array.from({ length }, (_, i) => i));
});

test('the worst and the 99.9th percentile are told apart', () => {
  const last = 2000;
  const arrivals = Int32Array.from({ length: last + 1 }, (_, i) => (i === last ? 0 : i + 1));
  expect(summarizeBypass(arrivals)).toEqual({ admissions: last + 1, worst: last, p999: 0 });
});

test('no record is no bypass', () => {
  expect(summarizeBypass(new Int32Array())).toBeNull();
});
