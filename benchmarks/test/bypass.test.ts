import { expect, test } from 'vitest';
import { bypasses, summarizeBypass } from '../src/lib/bypass.mjs';

/** The definition, in quadratic time: admitted before, and came after. */
function counted(arrivals: readonly number[]): number[] {
  return arrivals.map((arrival, i) => arrivals.slice(0, i).filter((other) => other > arrival).length);
}

test('no thread is overtaken if all are admitted in the order of arrival', () => {
  expect([...bypasses(Int32Array.of(0, 1, 2, 3))]).toEqual([0, 0, 0, 0]);
});

test('a thread that waits while others arrive and are admitted is overtaken by each of them', () => {
  expect([...bypasses(Int32Array.of(1, 2, 3, 0, 4))]).toEqual([0, 0, 0, 3, 0]);
});

test('the bypass of every record of up to six admissions equals that of a plain count', () => {
  const check = (record: number[], left: number[]): void => {
    if (left.length === 0) expect([...bypasses(Int32Array.from(record))]).toEqual(counted(record));
    for (const next of left)
      check(
        [...record, next],
        left.filter((other) => other !== next),
      );
  };
  for (let length = 0; length <= 6; length++)
    check(
      [],
      Array.from({ length }, (_, i) => i),
    );
});

test('the worst bypass and the 99.9th percentile differ', () => {
  const last = 2000;
  const arrivals = Int32Array.from({ length: last + 1 }, (_, i) => (i === last ? 0 : i + 1));
  expect(summarizeBypass(arrivals)).toEqual({ admissions: last + 1, worst: last, p999: 0 });
});

test('an empty record has no bypass', () => {
  expect(summarizeBypass(new Int32Array())).toBeNull();
});
