// What the showcase says about its gain on a busy machine.

import { expect, test } from 'vitest';
import { whySoLittle } from '../src/report.mjs';

const slow = { seconds: 50, cpuSeconds: 7 };

test('a pass whose workers had the cores is not explained', () => {
  expect(whySoLittle({ seconds: 7, cpuSeconds: 7 }, { seconds: 4, cpuSeconds: 7.5 }, 2, { cores: 2, load: 9 })).toEqual(
    [],
  );
});

test('a pass with one worker is not explained', () => {
  expect(whySoLittle(slow, { seconds: 50, cpuSeconds: 7 }, 1, { cores: 2, load: 20 })).toEqual([]);
});

test('a pass whose workers lacked the cores of a busy machine names the load and what idle cores allow', () => {
  expect(whySoLittle(slow, { seconds: 35, cpuSeconds: 7 }, 2, { cores: 2, load: 22.04 })).toEqual([
    'had 0.2 of 2 cores; other programs keep it busy (load 22.0)',
    'by the CPU times, 2 idle cores allow 2.00 times',
  ]);
});

test('a pass whose workers waited on an idle machine blames no other program alone', () => {
  const [reason] = whySoLittle(slow, { seconds: 10, cpuSeconds: 7 }, 4, { cores: 8, load: 0 });
  expect(reason).toBe('had 0.7 of 4 cores; they waited for files or other programs');
});
