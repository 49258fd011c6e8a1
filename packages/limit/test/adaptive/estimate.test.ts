// The rules of the estimate, one by one, and its bounds whatever the samples are.

import { describe, expect, test } from 'vitest';
import {
  firstEstimate,
  nextEstimate,
  samplesOf,
  type AdaptiveTerms,
  type Estimate,
  type Samples,
} from '../../src/adaptive/estimate.ts';

const TERMS: AdaptiveTerms = { min: 2, max: 100, tolerance: 1.5 };
const AT_REST: Estimate = {
  size: 16,
  baseline: 10,
  latency: 10,
  resume: 0,
  probed: 0,
  windows: 0,
  isStarting: false,
};

/** A window of calls that took `latency` ms, while the limit was used up. */
function calls(latency: number, over: Partial<Samples> = {}): Samples {
  return { count: 64, sum: 64 * latency, saturated: 64, overloads: 0, ...over };
}

describe('after a window', () => {
  test.each([
    ['as fast as without load: grows by √size', {}, calls(10), { size: 20 }],
    ['at the lower edge of the band: grows', {}, calls(12.5), { size: 20 }],
    ['within the band: stays', {}, calls(14), { size: 16 }],
    ['twice as slow: shrinks to the middle of the band', {}, calls(20), { size: 11 }],
    ['ten times as slow: halves', {}, calls(100), { size: 8 }],
    ['fast, but half of the slots were free: stays', {}, calls(10, { saturated: 31 }), { size: 16 }],
    ['slow, though slots were free: shrinks', {}, calls(20, { saturated: 0 }), { size: 11 }],
    ['near the maximum: grows to it', { size: 98 }, calls(10), { size: 100 }],
    ['near the minimum: shrinks to it', { size: 3 }, calls(100), { size: 2 }],
    ['while it starts: doubles', { isStarting: true }, calls(10), { size: 32, isStarting: true }],
    ['slow while it starts: doubles no more', { isStarting: true }, calls(20), { size: 11, isStarting: false }],
    ['a bit faster: lowers the baseline in part', {}, calls(9), { baseline: 9.75 }],
    ['much faster: the new baseline at once, and a probe', {}, calls(4), { baseline: 4, size: 8, resume: 16 }],
    ['slow at the minimum: the latency is the baseline', { size: 2 }, calls(40), { size: 2, baseline: 40 }],
    [
      'more than a twentieth overloads: shrinks by a tenth',
      {},
      calls(10, { overloads: 4 }),
      { size: 14.4, baseline: 10 },
    ],
    ['all calls overloads: shrinks', {}, calls(10, { count: 0, sum: 0, overloads: 64 }), { size: 14.4, baseline: 10 }],
    ['few overloads: no effect', {}, calls(10, { overloads: 1 }), { size: 20 }],
    ['the 64th since the last probe: begins one', { windows: 63 }, calls(14), { size: 8, resume: 16, windows: 0 }],
  ])('%s', (_, before, samples, after) => {
    expect(nextEstimate({ ...AT_REST, ...before }, samples, TERMS)).toMatchObject(after);
  });
});

describe('after a probe', () => {
  const probing = { size: 8, resume: 16, latency: 14 };
  test.each([
    ['as fast as the baseline: resumes', {}, calls(10), { size: 16, resume: 0, baseline: 10 }],
    ['slower than the baseline: tries half of that', {}, calls(14), { size: 4, resume: 16, probed: 14 }],
    ['faster than the probe before: tries half of that', { probed: 20 }, calls(14), { size: 4, probed: 14 }],
    ['no faster than the probe before: the baseline', { probed: 14 }, calls(14), { size: 16, resume: 0, baseline: 14 }],
    ['at the minimum: the baseline', { size: 2 }, calls(14), { size: 16, resume: 0, baseline: 14 }],
    [
      'slower with free slots: keeps the baseline',
      {},
      calls(14, { saturated: 0 }),
      { size: 16, resume: 0, baseline: 10 },
    ],
    [
      'overloads: ends the probe, and shrinks',
      {},
      calls(10, { overloads: 32 }),
      { size: 7.2, resume: 0, baseline: 10 },
    ],
  ])('%s', (_, before, samples, after) => {
    expect(nextEstimate({ ...AT_REST, ...probing, ...before }, samples, TERMS)).toMatchObject(after);
  });
});

describe('the first windows', () => {
  test('at the minimum, the first latency is the baseline', () => {
    expect(nextEstimate(firstEstimate(2), calls(10), TERMS)).toMatchObject({ size: 4, baseline: 10, isStarting: true });
  });

  test('above it, half the size is tried until calls become no faster', () => {
    let estimate = firstEstimate(64);
    const sizes = [40, 20, 10, 10].map((latency) => {
      estimate = nextEstimate(estimate, calls(latency), TERMS);
      return estimate.size;
    });
    // At 64 calls took 4 times as long, so the middle of the band is at 22.
    expect(sizes).toEqual([32, 16, 8, 22]);
    expect(estimate).toMatchObject({ baseline: 10, resume: 0, isStarting: false });
  });

  test('if they are as fast at half the size, the limit goes on from the first size', () => {
    const once = nextEstimate(firstEstimate(64), calls(10), TERMS);
    expect(nextEstimate(once, calls(10), TERMS)).toMatchObject({ size: 64, baseline: 10, isStarting: true });
  });
});

/** Windows at the edges of what may come: with a latency of almost 0 or of days, without a result, without use. */
const WINDOWS: readonly Samples[] = [
  calls(0.001),
  calls(0.001, { saturated: 0 }),
  calls(1),
  calls(1.4),
  calls(3),
  calls(1e9),
  calls(1e9, { saturated: 0 }),
  calls(1, { overloads: 3 }),
  calls(1, { overloads: 60 }),
  calls(0, { count: 0, overloads: 64 }),
];

test.each([
  [1, 1, 1, 1.5],
  [1, 200, 1, 1.5],
  [1, 200, 200, 1.5],
  [7, 9, 8, 1.01],
  [1, 2, 2, 10],
  [1000, 2 ** 31 - 3, 2 ** 31 - 3, 10],
])(
  'in all sequences of five windows the size stays within its bounds (%i to %i, first %i, tolerance %f)',
  (min, max, first, tolerance) => {
    const terms = { min, max, tolerance };
    let visited = 0;
    const visit = (last: Estimate, left: number): void => {
      for (const samples of WINDOWS) {
        const estimate = nextEstimate(last, samples, terms);
        const { size, resume, baseline, latency, probed } = estimate;
        visited += 1;
        const isRight =
          size >= min &&
          size <= max &&
          (resume === 0 || (resume >= size && resume <= max)) &&
          [baseline, latency, probed].every((time) => Number.isFinite(time) && time >= 0) &&
          samplesOf(size) >= 32;
        // An expectation for each of them would take most of the time.
        if (!isRight) expect({ last, samples, estimate }).toBe('within the bounds');
        if (left > 1) visit(estimate, left - 1);
      }
    };
    visit(firstEstimate(first), 5);
    expect(visited).toBe(111_110);
  },
);
