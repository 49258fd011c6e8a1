// Tests the text of the showcase about its gain on a busy machine.

import { expect, test } from 'vitest';
import { whySoLittle } from '../src/report.mjs';

const slow = { seconds: 50, cpuSeconds: 7 };

test('the gain of a pass whose workers had the cores needs no explanation', () => {
  expect(whySoLittle({ seconds: 7, cpuSeconds: 7 }, { seconds: 4, cpuSeconds: 7.5 }, 2, { cores: 2, load: 9 })).toEqual(
    [],
  );
});

test('the gain of a pass with one worker needs no explanation', () => {
  expect(whySoLittle(slow, { seconds: 50, cpuSeconds: 7 }, 1, { cores: 2, load: 20 })).toEqual([]);
});

test('the gain of a pass on a busy machine names the load and the gain on idle cores', () => {
  expect(whySoLittle(slow, { seconds: 35, cpuSeconds: 7 }, 2, { cores: 2, load: 22.04 })).toEqual([
    'had 0.2 of 2 cores; other programs keep it busy (load 22.0)',
    'by the CPU times, 2 idle cores allow 2.00 times',
  ]);
});

test('the gain of a pass whose workers waited on an idle machine blames no other program only', () => {
  const [reason] = whySoLittle(slow, { seconds: 10, cpuSeconds: 7 }, 4, { cores: 8, load: 0 });
  expect(reason).toBe('had 0.7 of 4 cores; they waited for files or other programs');
});
